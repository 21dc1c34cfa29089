import Foundation
import Testing

@testable import Hyperbasis

/// The change that a transaction makes: its date, and nothing in it that did not happen.
@Suite(.timeLimit(.minutes(5))) struct TransactionChangeTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["x": 0])
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private func dated(_ seconds: Double, _ x: AnyCodableValue = 0) -> HBAnchor {
    let date = Date(timeIntervalSince1970: seconds)
    return HBAnchor(
      id: UUID(), spaceId: anchor.spaceId, transform: HBAnchor.flatten(at(0)), metadata: ["x": x],
      createdAt: date, updatedAt: date)
  }

  @Test func `it bears the latest date of its values`() async throws {
    let values = [dated(1_000), dated(3_000.25), dated(2_000)]
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      for value in values { try space.save(value) }
    }
    let loaded = try await storage.loadAnchors(spaceId: anchor.spaceId)
    #expect(Set(loaded.map(\.updatedAt)) == [Date(timeIntervalSince1970: 3_000.25)])
    #expect(Set(loaded.map(\.createdAt)) == Set(values.map(\.createdAt)))
    var edited = loaded[0]
    edited.metadata["x"] = 1
    edited.updatedAt = Date(timeIntervalSince1970: 4_000)
    try await storage.transaction(spaceId: anchor.spaceId) { [edited] in try $0.save(edited) }
    #expect(try await storage.loadAnchor(id: edited.id) == edited)
  }

  @Test func `where no value has a later date it is now`() async throws {
    let values = [dated(1_000), dated(1_000)]
    for value in values { try await storage.save(value) }
    let start = Date()
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      var one = space.anchor(id: values[0].id)!
      one.metadata["x"] = 1
      try space.save(one)
    }
    #expect(try await storage.loadAnchor(id: values[0].id)!.updatedAt >= start)
    // No anchor's date goes back because of another's.
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      var (one, two) = (space.anchor(id: values[0].id)!, space.anchor(id: values[1].id)!)
      one.metadata["x"] = 2
      two.metadata["x"] = 2
      two.updatedAt = Date(timeIntervalSince1970: 2_000)
      try space.save(one)
      try space.save(two)
    }
    #expect(try await storage.loadAnchor(id: values[0].id)!.updatedAt >= start)
  }

  @Test func `it does not show what was purged`() async throws {
    try await storage.save(anchor)
    try await storage.deleteAnchor(id: anchor.id)
    try await storage.purgeDeletedAnchors(before: Date(timeIntervalSinceNow: 60))
    let id = anchor.id
    let shown = try await storage.transaction(spaceId: anchor.spaceId) { $0.anchor(id: id) }
    #expect(shown == nil)
    await #expect(throws: HBStorageError.self) {
      try await storage.transaction(spaceId: anchor.spaceId) { try $0.deleteAnchor(id: id) }
    }
  }

  @Test func `an anchor that was deleted and restored in it was not touched`() async throws {
    let id = anchor.id
    try await storage.save(anchor)
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      try space.deleteAnchor(id: id)
      var back = space.anchor(id: id)!
      back.restore()
      try space.save(back)
      #expect(space.anchors.map(\.id) == [id])
    }
    #expect(try await storage.history(anchorId: id).map(\.type) == [.created])
    // As one that was restored and deleted.
    try await storage.deleteAnchor(id: id)
    let deleted = try await storage.unseen(anchor).deletedAt
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      var back = space.anchor(id: id)!
      back.restore()
      back.metadata["x"] = 1
      try space.save(back)
      try space.deleteAnchor(id: id)
    }
    #expect(
      try await storage.history(anchorId: id).map(\.type) == [.created, .deleted, .updated])
    #expect(try await storage.unseen(anchor).deletedAt == deleted)
  }

  @Test func `one that was made, deleted and restored in it was made`() async throws {
    let id = anchor.id
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      try space.save(anchor)
      try space.deleteAnchor(id: id)
      var back = space.anchor(id: id)!
      back.restore()
      try space.save(back)
    }
    #expect(try await storage.history(anchorId: id).map(\.type) == [.created])
  }
}
