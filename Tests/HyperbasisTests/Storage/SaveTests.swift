import Foundation
import Hyperbasis
import Testing

@Suite struct SaveTests {
  let directory = PeerDirectory()

  @Test func `an anchor comes back as it was saved, dates included`() async throws {
    let storage = localStorage(directory)
    var anchor = HBAnchor(
      spaceId: UUID(), transform: at(1, 2, 3), metadata: ["a": 1, "b": 2.0, "c": .null])
    try await storage.save(anchor)
    #expect(try await storage.loadAnchor(id: anchor.id) == anchor)
    anchor.updateMetadata(key: "a", value: nil)
    anchor.update(transform: at(4))
    try await storage.save(anchor)
    #expect(try await storage.loadAnchors(spaceId: anchor.spaceId) == [anchor])
    anchor.markDeleted()
    try await storage.save(anchor)
    #expect(try await storage.loadAnchors(spaceId: anchor.spaceId) == [])
    #expect(
      try await storage.loadAnchors(spaceId: anchor.spaceId, includeDeleted: true) == [anchor])
  }

  @Test func `a space comes back as it was saved, after a restart too`() async throws {
    var space = HBSpace(name: "Kitchen")
    do {
      let storage = localStorage(directory)
      try await storage.save(space)
      space.update(name: nil)
      try await storage.save(space)
      #expect(try await storage.loadSpace(id: space.id) == space)
    }
    #expect(try await localStorage(directory).loadAllSpaces() == [space])
  }

  @Test(arguments: [false, true]) func `H32: two edits from one loaded anchor and a peer's`(
    sharesTheValue: Bool
  ) async throws {
    let storage = localStorage(directory)
    let anchor = HBAnchor(
      spaceId: UUID(), transform: at(0), metadata: ["x": 0, "y": 0, "z": 0, "gone": 0])
    try await storage.save(anchor)
    let loaded = try await storage.loadAnchor(id: anchor.id)!
    var first = loaded
    var second = sharesTheValue ? loaded : try await storage.loadAnchor(id: anchor.id)!
    try await storage.update(anchorId: anchor.id) { peer in
      peer.metadata["z"] = 9
      peer.update(transform: at(9))
    }
    first.metadata["x"] = 1
    second.metadata["y"] = 2
    second.metadata["gone"] = nil
    try await storage.save(first)
    try await storage.save(second)
    let now = try await storage.loadAnchor(id: anchor.id)!
    #expect(now.metadata == ["x": 1, "y": 2, "z": 9])
    #expect(now.position == SIMD3(9, 0, 0))
    // Back to the first value: an edit like any other.
    first.metadata["x"] = 0
    try await storage.save(first)
    #expect(try await storage.loadAnchor(id: anchor.id)?.intMetadata(forKey: "x") == 0)
    // What was loaded and not edited writes nothing, however old it is.
    try await storage.save(loaded)
    #expect(try await storage.loadAnchor(id: anchor.id)!.metadata == ["x": 0, "y": 2, "z": 9])
  }

  @Test func `a value built afresh writes what differs from what was handed out`() async throws {
    let storage = localStorage(directory)
    let anchor = HBAnchor(
      spaceId: UUID(), transform: at(0), metadata: ["text": "a", "color": "pink"])
    try await storage.save(anchor)
    try await storage.update(anchorId: anchor.id) { $0.metadata["by a peer"] = true }
    _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
    let other = localStorage(directory)
    try await other.update(anchorId: anchor.id) { $0.metadata["z"] = 1 }
    let fresh = HBAnchor(
      id: anchor.id, spaceId: anchor.spaceId, transform: at(5), metadata: ["text": "a", "z": 1])
    try await storage.save(fresh)
    let now = try await storage.loadAnchor(id: anchor.id)!
    #expect(now.metadata == ["text": "a", "z": 1])
    #expect(now.position.x == 5)
    #expect(now.createdAt == anchor.createdAt)
  }
}
