import Foundation
import Hyperbasis
import Testing

/// What a closure of `update` or `transaction` may ask its own storage, and what is left of a transaction
/// after it.
@Suite(.timeLimit(.minutes(3))) struct WithinClosureTests {
  let directory = PeerDirectory()

  /// What a closure gave away. Safe because: it is written before the call returns and read after.
  private final class Kept: @unchecked Sendable {
    var transaction: HBTransaction?
  }

  @Test func `questions are answered within a closure as outside`() async throws {
    let storage = lanStorage(directory, "a")
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    try await storage.save(anchor)
    let (port, actor) = (storage.port, try storage.actorId)
    #expect(port != nil && storage.pendingOperationCount == 1)
    try await storage.update(anchorId: anchor.id) { anchor in
      #expect(storage.port == port)
      #expect(storage.pendingOperationCount == 1)
      #expect(try storage.identityChange == nil)
      anchor.metadata["by"] = .string(try storage.actorId)
    }
    try await storage.transaction(spaceId: anchor.spaceId) { _ in
      #expect(storage.port == port && storage.pendingOperationCount == 2)
    }
    #expect(try await storage.loadAnchor(id: anchor.id)?.stringMetadata(forKey: "by") == actor)
  }

  @Test func `a call within a closure that waits for its storage is refused by its own name`()
    async throws
  {
    let storage = lanStorage(directory, "a")
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    try await storage.save(anchor)
    let refusal = HBStoreFailure.insideClosure(path: directory.path("a"))
    #expect(
      await storeFailure {
        try await storage.update(anchorId: anchor.id) { _ in try storage.clearLocalStorage() }
      } == refusal)
    #expect(
      await storeFailure {
        try await storage.transaction(spaceId: anchor.spaceId) { _ in
          try storage.clearLocalStorage()
        }
      } == refusal)
    #expect(refusal.localizedDescription.hasSuffix("make the call before or after"))
    #expect(try await storage.loadAnchor(id: anchor.id) == anchor)
  }

  @Test func `a world map is whole within a closure`() async throws {
    let storage = localStorage(directory)
    let map = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    let space = HBSpace(name: "Hall", worldMapData: map)
    try await storage.save(space)
    let loaded = try await storage.loadSpace(id: space.id)!
    try await storage.transaction(spaceId: space.id) { _ in
      let bytes = try loaded.loadWorldMapData()
      #expect(bytes == map && loaded.worldMapData == map)
      #expect(loaded == space)
    }
    // The storage goes on.
    try await storage.save(HBSpace(id: space.id, worldMapData: Data(map.reversed())))
    #expect(try await storage.loadSpace(id: space.id)?.worldMapData == Data(map.reversed()))
  }

  @Test func `a mock shows what it holds within a closure`() async throws {
    let space = HBSpace(name: "Hall")
    let anchor = HBAnchor(spaceId: space.id, transform: at(1))
    let mock = MockStorage(spaces: [space], anchors: [anchor])
    try await mock.update(anchorId: anchor.id) { anchor in
      anchor.metadata["seen"] = .int(mock.anchors.count + mock.spaces.count)
    }
    #expect(mock.anchors[0].intMetadata(forKey: "seen") == 2)
  }

  @Test func `a transaction that is over shows nothing and takes nothing`() async throws {
    let storage = localStorage(directory)
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    try await storage.save(anchor)
    let kept = Kept()
    try await storage.transaction(spaceId: anchor.spaceId) { transaction in
      kept.transaction = transaction
      #expect(transaction.anchors == [anchor] && transaction.anchor(id: anchor.id) == anchor)
    }
    let over = kept.transaction!
    #expect(over.anchors.isEmpty)
    #expect(over.anchor(id: anchor.id) == nil)
    for call in [{ try over.save(anchor) }, { try over.deleteAnchor(id: anchor.id) }] {
      #expect { try call() } throws: { error in
        error.localizedDescription.contains("transaction of space \(anchor.spaceId) has ended")
      }
    }
    #expect(try await storage.loadAnchors(spaceId: anchor.spaceId) == [anchor])
  }

  @Test func `what is of another space is refused with both spaces`() async throws {
    let storage = localStorage(directory)
    let (anchor, other) = (
      HBAnchor(spaceId: UUID(), transform: at(1)), HBAnchor(spaceId: UUID(), transform: at(1))
    )
    try await storage.save(anchor)
    func words(_ body: () async throws -> Void) async -> String {
      do { try await body() } catch { return error.localizedDescription }
      return ""
    }
    let saved = await words {
      try await storage.transaction(spaceId: anchor.spaceId) { try $0.save(other) }
    }
    let replaced = await words { try await storage.update(anchorId: anchor.id) { $0 = other } }
    for text in [saved, replaced] {
      #expect(text.contains("\(anchor.spaceId)") && text.contains("\(other.spaceId)"))
    }
  }
}
