import Foundation
import HyperbasisCore
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

  /// Another task may save a copy before the first call is told of its success.
  @Test(arguments: [false, true])
  func `an edit that two tasks save is written once, by the first`(
    inTransaction: Bool
  ) async throws {
    try await storage.save(anchor)
    var edited = try await storage.loadAnchor(id: anchor.id)!
    edited.metadata["x"] = 2
    let copy = edited
    try await storage.turn { loop throws(HBStorageError) in
      guard inTransaction else { return try loop.save(copy) }
      _ = try loop.transaction(in: SpaceID(copy.spaceId)) { try $0.save(copy) }
    }
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["x": 3])
    try await storage.turn { loop throws(HBStorageError) in try loop.save(copy) }
    #expect(try await storage.unseen(anchor).metadata["x"] == 3)
  }

  @Test(arguments: [false, true])
  func `a name that two tasks save is written once, by the first`(isFresh: Bool) async throws {
    let id = anchor.spaceId
    var space = HBSpace(id: id, name: "1")
    if !isFresh {
      try await storage.save(space)
      space = try await storage.loadSpace(id: id)!
      space.name = "2"
    }
    let (copy, peer) = (space, try storage.peer())
    func saveCopy() async throws {
      try await storage.turn { loop throws(HBStorageError) in
        try loop.save(copy, map: nil, peer: peer)
      }
    }
    try await saveCopy()
    try await storage.turn { loop throws(HBStorageError) in
      try loop.write([.name("3")], to: SpaceID(id), date: nil)
    }
    try await saveCopy()
    let name = try await storage.turn { loop throws(HBStorageError) in
      loop.shownRecord(of: SpaceID(id))?.name
    }
    #expect(name == "3")
  }

  @Test func `edits that the disk refuses are written by the next save`() async throws {
    try await storage.save(anchor)
    try await storage.save(HBSpace(id: anchor.spaceId, name: "Hall"))
    var edited = try await storage.loadAnchor(id: anchor.id)!
    edited.metadata["x"] = 2
    var within = try await storage.loadAnchor(id: anchor.id)!
    within.metadata["y"] = 2
    var space = try await storage.loadSpace(id: anchor.spaceId)!
    space.name = "Attic"
    let (one, two, three) = (edited, within, space)
    func save() async throws {
      try await storage.save(one)
      try await storage.transaction(spaceId: two.spaceId) { try $0.save(two) }
      try await storage.save(three)
    }
    try await setDiskRefuses(true)
    await #expect(throws: HBStorageError.self) { try await storage.save(one) }
    await #expect(throws: HBStorageError.self) {
      try await storage.transaction(spaceId: two.spaceId) { try $0.save(two) }
    }
    await #expect(throws: HBStorageError.self) { try await storage.save(three) }
    try await setDiskRefuses(false)
    try await save()
    #expect(try await storage.unseen(anchor).metadata == ["x": 2, "y": 2])
    #expect(try await storage.loadSpace(id: space.id)?.name == "Attic")
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
