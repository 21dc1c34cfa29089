import Foundation
import Testing

@testable import Hyperbasis

/// Edits of values that an update or a transaction saves: they are written once, or not at all.
@Suite(.timeLimit(.minutes(5))) struct EditsWithinTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["x": 0, "y": 0])
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private struct Refusal: Error {}

  /// A value with one edit.
  private func edited(_ x: AnyCodableValue = 1) async throws -> HBAnchor {
    try await storage.save(anchor)
    var value = try await storage.loadAnchor(id: anchor.id)!
    value.metadata["x"] = x
    return value
  }

  @Test func `what an update puts in the place is saved by it`() async throws {
    let value = try await edited()
    try await storage.update(anchorId: anchor.id) { $0 = value }
    try await storage.update(anchorId: anchor.id) { $0.metadata["x"] = 2 }
    try await storage.save(value)
    #expect(try await storage.unseen(anchor).intMetadata(forKey: "x") == 2)
  }

  @Test func `what an update refuses is not saved`() async throws {
    let value = try await edited()
    await #expect(throws: Refusal.self) {
      try await storage.update(anchorId: anchor.id) {
        $0 = value
        throw Refusal()
      }
    }
    await #expect(throws: HBStorageError.self) {
      try await storage.update(anchorId: anchor.id) {
        $0 = value
        $0.transform = []
      }
    }
    try await storage.save(value)
    #expect(try await storage.unseen(anchor).intMetadata(forKey: "x") == 1)
  }

  @Test func `a transaction writes the edits of a value once`() async throws {
    let value = try await edited()
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      try space.save(value)
      var newer = space.anchor(id: value.id)!
      newer.metadata["x"] = 2
      try space.save(newer)
      var copy = value
      copy.metadata["y"] = 5
      try space.save(value)
      try space.save(copy)
    }
    #expect(try await storage.unseen(anchor).metadata == ["x": 2, "y": 5])
    try await storage.save(value)
    #expect(try await storage.unseen(anchor).metadata == ["x": 2, "y": 5])
  }

  @Test func `a fresh value is one of the transaction's once it was saved there`() async throws {
    try await storage.save(anchor)
    let fresh = HBAnchor(
      id: anchor.id, spaceId: anchor.spaceId, transform: at(0), metadata: ["x": 3, "y": 0])
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      try space.save(fresh)
      var newer = space.anchor(id: fresh.id)!
      newer.metadata["x"] = 4
      try space.save(newer)
      try space.save(fresh)
    }
    #expect(try await storage.unseen(anchor).metadata == ["x": 4, "y": 0])
  }

  @Test(arguments: [false, true]) func `a transaction that fails has saved nothing`(
    throwsItself: Bool
  ) async throws {
    let value = try await edited()
    let fresh = HBAnchor(spaceId: anchor.spaceId, transform: at(0))
    let long = AnyCodableValue.string(String(repeating: "x", count: 1_000_000))
    await #expect(throws: (any Error).self) {
      try await storage.transaction(spaceId: anchor.spaceId) { space in
        try space.save(value)
        try space.save(fresh)
        if throwsItself { throw Refusal() }
        // More than a change may have.
        let large = HBAnchor(
          spaceId: space.spaceId, transform: at(0),
          metadata: ["1": long, "2": long, "3": long, "4": long, "5": long])
        try space.save(large)
      }
    }
    try await storage.save(value)
    try await storage.save(fresh)
    #expect(try await storage.unseen(anchor).intMetadata(forKey: "x") == 1)
    #expect(try await storage.loadAnchor(id: fresh.id) == fresh)
  }

  /// What a transaction showed after it had set `x`, before it threw.
  private func shownAndDropped() async throws -> HBAnchor {
    try await storage.save(anchor)
    let shown = Shown()
    await #expect(throws: Refusal.self) {
      try await storage.transaction(spaceId: anchor.spaceId) { space in
        var value = space.anchor(id: anchor.id)!
        value.metadata["x"] = 1
        try space.save(value)
        shown.set(space.anchor(id: anchor.id)!)
        throw Refusal()
      }
    }
    return try #require(shown.value)
  }

  @Test func `what a transaction showed and then dropped is to be written`() async throws {
    let shown = try await shownAndDropped()
    try await storage.save(shown)
    #expect(try await storage.unseen(anchor).intMetadata(forKey: "x") == 1)
  }

  @Test func `what a transaction showed and then dropped writes its edits only`() async throws {
    let shown = try await shownAndDropped()
    // Another task sees what another device did.
    try await storage.elsewhere.put(
      anchor.id, in: anchor.spaceId, metadata: ["y": 9, "z": 9])
    _ = try await storage.loadAnchor(id: anchor.id)
    try await storage.save(shown)
    #expect(try await storage.unseen(anchor).metadata == ["x": 1, "y": 9, "z": 9])
    try await storage.update(anchorId: anchor.id) { $0.metadata["x"] = 2 }
    try await storage.save(shown)
    #expect(try await storage.unseen(anchor).intMetadata(forKey: "x") == 2)
  }

  @Test func `what a transaction built afresh and dropped is written by what it showed`()
    async throws
  {
    try await storage.save(anchor)
    let (kept, new) = (Shown(), Shown())
    let other = HBAnchor(spaceId: anchor.spaceId, transform: at(2), metadata: ["x": 7])
    await #expect(throws: Refusal.self) {
      try await storage.transaction(spaceId: anchor.spaceId) { space in
        try space.save(
          HBAnchor(id: anchor.id, spaceId: space.spaceId, transform: at(1), metadata: ["y": 0]))
        kept.set(space.anchor(id: anchor.id)!)
        try space.save(other)
        new.set(space.anchor(id: other.id)!)
        throw Refusal()
      }
    }
    try await storage.save(kept.value!)
    try await storage.save(new.value!)
    let now = try await storage.unseen(anchor)
    #expect(now.metadata == ["y": 0] && now.position == [1, 0, 0])
    #expect(try await storage.unseen(other).metadata == ["x": 7])
  }

  @Test func `what a failed transaction only read is handed out all the same`() async throws {
    try await storage.save(anchor)
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["x": 1])
    await #expect(throws: Refusal.self) {
      try await storage.transaction(spaceId: anchor.spaceId) { space in
        _ = space.anchor(id: anchor.id)
        throw Refusal()
      }
    }
    try await storage.save(
      HBAnchor(
        id: anchor.id, spaceId: anchor.spaceId, transform: at(0), metadata: ["x": 0, "y": 0]))
    #expect(try await storage.unseen(anchor).intMetadata(forKey: "x") == 0)
  }

  @Test func `what a transaction showed is the storage's once it is kept`() async throws {
    try await storage.save(anchor)
    let shown = try await storage.transaction(spaceId: anchor.spaceId) { space in
      var value = space.anchor(id: anchor.id)!
      value.metadata["x"] = 1
      try space.save(value)
      return space.anchors[0]
    }
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["x": 2])
    try await storage.save(shown)
    #expect(try await storage.unseen(anchor).intMetadata(forKey: "x") == 2)
  }
}

/// A value that leaves a closure.
///
/// Safe because: it is read after the call that set it.
private final class Shown: @unchecked Sendable {
  private(set) var value: HBAnchor?

  func set(_ anchor: HBAnchor) {
    value = anchor
  }
}
