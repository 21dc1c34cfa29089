import Foundation
import Testing

@testable import Hyperbasis

/// Which keys a save of a value built afresh removes: those that could be known when it was made.
@Suite(.timeLimit(.minutes(5))) struct KeyBaseTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["x": 0, "y": 0])
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private func fresh(_ metadata: [String: AnyCodableValue]) -> HBAnchor {
    HBAnchor(id: anchor.id, spaceId: anchor.spaceId, transform: at(0), metadata: metadata)
  }

  private func addElsewhere(_ key: String) async throws {
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: [key: 9])
  }

  private var keys: [String] {
    get async throws { try await storage.unseen(anchor).metadata.keys.sorted() }
  }

  enum Look: CaseIterable { case list, lists, one, update, transaction }

  /// The key was shown to another task after the value was made.
  @Test(arguments: Look.allCases) func `H32: a key that came after the value was made stays`(
    _ look: Look
  ) async throws {
    try await storage.save(anchor)
    let value = fresh(["x": 1])
    try await addElsewhere("z")
    switch look {
    case .list: _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
    case .lists:
      for _ in 0..<20 { _ = try await storage.loadAnchors(spaceId: anchor.spaceId) }
    case .one: _ = try await storage.loadAnchor(id: anchor.id)
    case .update: try await storage.update(anchorId: anchor.id) { $0.metadata["w"] = 1 }
    case .transaction:
      try await storage.transaction(spaceId: anchor.spaceId) { space in
        var now = space.anchor(id: anchor.id)!
        now.metadata["z"] = 8
        try space.save(now)
      }
    }
    try await storage.save(value)
    #expect(try await keys == (look == .update ? ["w", "x", "z"] : ["x", "z"]))
    // It was saved, and is compared no more.
    try await storage.save(value)
    #expect(try await keys == (look == .update ? ["w", "x", "z"] : ["x", "z"]))
  }

  @Test func `a value that was made after a key was shown removes it`() async throws {
    try await storage.save(anchor)
    try await addElsewhere("z")
    _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
    let value = fresh(["x": 1])
    // However often it is shown again.
    try await addElsewhere("w")
    for _ in 0..<20 { _ = try await storage.loadAnchors(spaceId: anchor.spaceId) }
    _ = try await storage.loadAnchor(id: anchor.id)
    try await storage.save(value)
    #expect(try await keys == ["w", "x"])
  }

  @Test func `each of several lists is remembered, not only the last`() async throws {
    try await storage.elsewhere.createSpace(named: "Hall", id: anchor.spaceId)
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["a": 0])
    _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
    let one = fresh([:])
    try await addElsewhere("b")
    _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
    let two = fresh([:])
    try await addElsewhere("c")
    _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
    try await storage.save(one)
    #expect(try await keys == ["b", "c"])
    try await storage.save(two)
    #expect(try await keys == ["c"])
  }

  @Test func `a key that went and came back came late`() async throws {
    try await storage.save(anchor)
    let value = fresh(["x": 1])
    try await storage.elsewhere.removeMetadata(["y"], of: anchor.id, in: anchor.spaceId)
    _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
    try await addElsewhere("y")
    _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
    try await storage.save(value)
    #expect(try await keys == ["x", "y"])
  }

  @Test func `a value that is older than all that is known removes nothing`() async throws {
    let value = fresh(["x": 1])
    try await storage.elsewhere.createSpace(named: "Hall", id: anchor.spaceId)
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["y": 0])
    _ = try await storage.loadAnchor(id: anchor.id)
    try await storage.save(value)
    #expect(try await keys == ["x", "y"])
  }

  @Test func `an explicit removal is one, whoever knew the key`() async throws {
    try await storage.save(anchor)
    var value = fresh(["x": 0, "y": 0, "z": 0])
    try await addElsewhere("z")
    try await addElsewhere("w")
    _ = try await storage.loadAnchor(id: anchor.id)
    value.metadata["z"] = nil
    try await storage.save(value)
    #expect(try await keys == ["w", "x", "y"])
  }

  @Test func `a decoded value is made when it is decoded`() async throws {
    try await storage.save(anchor)
    let data = try JSONEncoder().encode(fresh(["x": 1]))
    let early = try JSONDecoder().decode(HBAnchor.self, from: data)
    try await addElsewhere("z")
    _ = try await storage.loadAnchor(id: anchor.id)
    try await storage.save(early)
    #expect(try await keys == ["x", "z"])
    try await storage.save(try JSONDecoder().decode(HBAnchor.self, from: data))
    #expect(try await keys == ["x"])
  }

  @Test func `what an update or transaction puts in the place follows the same rule`() async throws
  {
    try await storage.save(anchor)
    let value = fresh(["x": 1])
    try await addElsewhere("z")
    try await storage.update(anchorId: anchor.id) { $0 = value }
    #expect(try await keys == ["x", "z"])
    try await storage.update(anchorId: anchor.id) { $0 = fresh(["x": 2]) }
    #expect(try await keys == ["x"])
    let other = fresh(["x": 3])
    try await storage.transaction(spaceId: anchor.spaceId) { space in
      var now = space.anchor(id: anchor.id)!
      now.metadata["w"] = 1
      try space.save(now)
      try space.save(other)
      #expect(space.anchor(id: anchor.id)?.metadata == ["x": 3, "w": 1])
      try space.save(fresh(["x": 4]))
    }
    #expect(try await keys == ["x"])
  }
}
