import Foundation
import Testing

@testable import Hyperbasis
@testable import HyperbasisStore

/// Bases say no more than the disk: what a turn noted counts for others once the turn is committed.
@Suite(.timeLimit(.minutes(5))) struct CommitBaseTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["x": 1, "y": 1])
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private func fresh(_ metadata: [String: AnyCodableValue]) -> HBAnchor {
    HBAnchor(id: anchor.id, spaceId: anchor.spaceId, transform: at(0), metadata: metadata)
  }

  private func setDiskRefuses(_ refuses: Bool) async throws {
    try await storage.turn { loop throws(HBStorageError) in
      do { try loop.store.database.execute("PRAGMA query_only = \(refuses ? 1 : 0)") } catch {
        throw .fileOperationFailed(underlying: error)
      }
    }
  }

  private var known: AnyCodableValue? {
    storage.core.memory.base(SaveMemory.Place(anchor))?.value.metadata["x"]
  }

  @Test func `what a turn wrote is known to it at once, and to others when it is on disk`()
    async throws
  {
    try await storage.save(anchor)
    let (inside, outside) = try await storage.turn {
      [storage, anchor] loop throws(HBStorageError) in
      let new = HBAnchor(
        id: anchor.id, spaceId: anchor.spaceId, transform: at(0), metadata: ["x": 2])
      try loop.save(new)
      let inside = loop.base(of: anchor.id, in: anchor.spaceId)?.value.metadata["x"]
      let outside = storage.core.memory.base(SaveMemory.Place(anchor))?.value.metadata["x"]
      return (inside, outside)
    }
    #expect(inside == 2)
    #expect(outside == 1)
    #expect(known == 2)
  }

  @Test func `a turn that the disk refuses leaves the bases as they were`() async throws {
    try await storage.save(anchor)
    try await setDiskRefuses(true)
    await #expect(throws: HBStorageError.self) { try await storage.save(fresh(["x": 2, "y": 1])) }
    await #expect(throws: HBStorageError.self) { try await storage.deleteAnchor(id: anchor.id) }
    await #expect(throws: HBStorageError.self) {
      try await storage.save(HBSpace(id: anchor.spaceId, name: "Hall"))
    }
    await #expect(throws: HBStorageError.self) {
      try await storage.transaction(spaceId: anchor.spaceId) { [anchor] space in
        try space.deleteAnchor(id: anchor.id)
      }
    }
    #expect(known == 1)
    #expect(storage.core.memory.base(of: anchor.spaceId) == nil)
    try await setDiskRefuses(false)
    // So the key that it had is still known, and removed.
    try await storage.save(fresh(["x": 2]))
    #expect(try await storage.unseen(anchor).metadata == ["x": 2])
    #expect(try await !storage.unseen(anchor).isDeleted)
  }

  @Test func `what is read after a storage was cleared is all that is known`() async throws {
    try await storage.save(anchor)
    try storage.clearLocalStorage()
    #expect(known == nil)
    // A read that began before ends after.
    storage.core.memory.note([anchor], at: .zero)
    #expect(known == nil)
    try await storage.save(HBSpace(id: anchor.spaceId))
    try await storage.save(fresh(["x": 3]))
    #expect(known == 3)
    try await storage.deleteSpace(id: anchor.spaceId)
    #expect(known == nil)
  }
}
