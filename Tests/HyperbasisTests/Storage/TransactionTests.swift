import Foundation
import Hyperbasis
import Testing

@Suite(.timeLimit(.minutes(5))) struct TransactionTests {
  let directory = PeerDirectory()

  private struct Refusal: Error {}

  @Test func `a transaction is visible whole, everywhere`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Hall")
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first])
    #expect(try await eventually { try await second.loadAllSpaces().count == 1 })
    var changes = second.changes(spaceId: space.id).makeAsyncIterator()
    let ids = try await first.transaction(spaceId: space.id) { hall in
      var chairs = (0..<20).map { HBAnchor(spaceId: hall.spaceId, transform: at(Float($0))) }
      for chair in chairs { try hall.save(chair) }
      chairs[0].metadata["broken"] = true
      try hall.save(chairs[0])
      try hall.deleteAnchor(id: chairs[1].id)
      #expect(hall.anchors.count == 19)
      #expect(hall.anchor(id: chairs[0].id)?.boolMetadata(forKey: "broken") == true)
      return chairs.map(\.id)
    }
    let change = await changes.next()
    #expect(Set(change?.anchors.map(\.id) ?? []) == Set(ids))
    #expect(try await second.loadAnchors(spaceId: space.id).count == 19)
  }

  @Test func `one that throws writes nothing`() async throws {
    let storage = localStorage(directory)
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    try await storage.save(anchor)
    await #expect(throws: Refusal.self) {
      try await storage.transaction(spaceId: anchor.spaceId) { space in
        try space.deleteAnchor(id: anchor.id)
        throw Refusal()
      }
    }
    await #expect(throws: Refusal.self) {
      try await storage.update(anchorId: anchor.id) { anchor in
        anchor.metadata["x"] = 1
        throw Refusal()
      }
    }
    await #expect(throws: HBStorageError.self) {
      try await storage.update(anchorId: anchor.id) { $0.metadata["x"] = .double(.nan) }
    }
    await #expect(throws: HBStorageError.self) {
      try await storage.update(anchorId: UUID()) { _ in }
    }
    #expect(try await storage.loadAnchors(spaceId: anchor.spaceId) == [anchor])
  }

  @Test func `updates of many tasks are all counted`() async throws {
    let storage = localStorage(directory)
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1), metadata: ["n": 0])
    try await storage.save(anchor)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await storage.update(anchorId: anchor.id) { anchor in
            anchor.metadata["n"] = .int(anchor.intMetadata(forKey: "n")! + 1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await storage.loadAnchor(id: anchor.id)?.intMetadata(forKey: "n") == 50)
  }
}
