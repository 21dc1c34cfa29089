import Foundation
import Testing

@testable import Hyperbasis
@testable import HyperbasisStore

/// Lists of anchors are made of the last one and what changed since: each is as if it had been made anew.
@Suite(.timeLimit(.minutes(5))) struct ListTests {
  let storage: HBStorage
  let space = UUID()
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private func anchor(_ seconds: Double, _ n: Int) -> HBAnchor {
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000 + seconds)
    return HBAnchor(
      id: UUID(), spaceId: space, transform: HBAnchor.flatten(at(Float(n))),
      metadata: ["n": .int(n)], createdAt: date, updatedAt: date)
  }

  private func list(deleted: Bool = false) async throws -> [HBAnchor] {
    try await storage.loadAnchors(spaceId: space, includeDeleted: deleted)
  }

  private func numbers(deleted: Bool = false) async throws -> [Int?] {
    try await list(deleted: deleted).map { $0.intMetadata(forKey: "n") }
  }

  @Test func `a list that is made of the last one has what came, changed, went and came back`()
    async throws
  {
    let anchors = [anchor(4, 4), anchor(2, 2), anchor(6, 6)]
    for anchor in anchors { try await storage.save(anchor) }
    #expect(try await numbers() == [2, 4, 6])
    try await storage.save(anchor(1, 1))
    try await storage.save(anchor(5, 5))
    try await storage.save(anchor(7, 7))
    #expect(try await numbers() == [1, 2, 4, 5, 6, 7])
    try await storage.update(anchorId: anchors[0].id) { $0.metadata["n"] = 40 }
    try await storage.deleteAnchor(id: anchors[1].id)
    #expect(try await numbers() == [1, 40, 5, 6, 7])
    try await storage.deleteAnchor(id: anchors[2].id)
    #expect(try await numbers(deleted: true) == [1, 2, 40, 5, 6, 7])
    #expect(try await numbers() == [1, 40, 5, 7])
    try await storage.update(anchorId: anchors[1].id) { $0.restore() }
    #expect(try await numbers() == [1, 2, 40, 5, 7])
    try await storage.purgeDeletedAnchors(before: Date() + 1)
    #expect(try await numbers(deleted: true) == [1, 2, 40, 5, 7])
    try await storage.deleteSpace(id: space)
    #expect(try await list().isEmpty)
  }

  @Test func `anchors that two lists have share no edits`() async throws {
    let other = localStorage(directory, "other")
    try await storage.save(anchor(0, 0))
    let first = try await list()[0]
    let second = try await list()[0]
    #expect(first == second)
    try await other.save(first)
    #expect(!first.edits.hasUnsaved(in: other.core.scope))
    // So it is compared with what the other has, and not taken for written there.
    #expect(second.edits.isFresh(in: other.core.scope))
    var edited = first
    edited.metadata["n"] = 1
    #expect(try await numbers() == [0])
    try await storage.save(edited)
    #expect(try await numbers() == [1])
    #expect(second.metadata == ["n": 0])
  }

  @Test func `a list after a turn that the disk refused shows what is on disk`() async throws {
    var value = anchor(0, 0)
    try await storage.save(value)
    #expect(try await numbers() == [0])
    for number in 1...3 {
      try await setDiskRefuses(true)
      value.metadata["n"] = .int(-number)
      let refused = value
      await #expect(throws: HBStorageError.self) { try await storage.save(refused) }
      #expect(try await numbers() == [number - 1])
      try await setDiskRefuses(false)
      // It has the number in the history that the refused one had.
      value.metadata["n"] = .int(number)
      try await storage.save(value)
      #expect(try await numbers() == [number])
    }
  }

  private func setDiskRefuses(_ refuses: Bool) async throws {
    try await storage.turn { loop throws(HBStorageError) in
      do { try loop.store.database.execute("PRAGMA query_only = \(refuses ? 1 : 0)") } catch {
        throw .fileOperationFailed(underlying: error)
      }
    }
  }
}
