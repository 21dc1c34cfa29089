import Foundation
import Testing

@testable import Hyperbasis

/// What a mock was given counts as saved by it.
@Suite(.timeLimit(.minutes(5))) struct MockBaseTests {
  let space = HBSpace(name: "Hall", worldMapData: Data([1, 2, 3]))

  private var chair: HBAnchor {
    HBAnchor(spaceId: space.id, transform: at(0), metadata: ["kind": "chair", "legs": 4])
  }

  @Test func `a value that a mock was given is not written again`() async throws {
    let chair = chair
    let mock = MockStorage(spaces: [space], anchors: [chair])
    try await mock.storage.elsewhere.put(chair.id, in: space.id, metadata: ["legs": 3])
    var renamed = try await mock.loadSpace(id: space.id)!
    renamed.update(name: "Kitchen")
    try await mock.save(renamed)
    var edited = chair
    edited.metadata["kind"] = "stool"
    try await mock.save(edited)
    try await mock.save(chair)
    try await mock.save(space)
    #expect(mock.anchors.map(\.metadata) == [["kind": "stool", "legs": 3]])
    #expect(mock.spaces.map(\.name) == ["Kitchen"])
  }

  @Test func `a value built afresh is compared with what a mock was given`() async throws {
    let chair = chair
    let mock = MockStorage(spaces: [space], anchors: [chair])
    try await mock.storage.elsewhere.put(chair.id, in: space.id, metadata: ["legs": 3, "new": 1])
    try await mock.save(
      HBAnchor(id: chair.id, spaceId: space.id, transform: at(0), metadata: ["legs": 4]))
    #expect(mock.anchors.map(\.metadata) == [["legs": 3, "new": 1]])
    #expect(mock.calls.count == 1)
  }
}
