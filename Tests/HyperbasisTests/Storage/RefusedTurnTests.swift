import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// A turn that the disk refuses is told to those who wrote in it; its reads are answered from what is
/// durable.
@Suite(.timeLimit(.minutes(3))) struct RefusedTurnTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["x": 1])
  private let directory = PeerDirectory()

  init() {
    storage = lanStorage(directory, "a")
  }

  /// Has the disk refuse a save and a transaction, and `read` ask in the very turn.
  private func inRefusedTurn<Output: Sendable>(
    _ read: @escaping @Sendable (HBStorage) async throws -> Output
  ) async throws -> Output {
    try await storage.save(HBSpace(id: anchor.spaceId, name: "Hall"))
    try await storage.save(anchor)
    try await storage.setDiskRefuses(true)
    let (storage, space) = (storage, anchor.spaceId)
    // Calls that come meanwhile are one turn.
    try storage.peer().post { Thread.sleep(forTimeInterval: 0.5) }
    try await Task.sleep(for: .milliseconds(100))
    let saved = Task { try await storage.save(HBAnchor(spaceId: space, transform: at(1))) }
    async let output = read(storage)
    var edited = anchor
    edited.metadata["x"] = 2
    let value = edited
    let changed = Task { try await storage.transaction(spaceId: space) { try $0.save(value) } }
    await #expect(throws: HBStorageError.self) { try await saved.value }
    await #expect(throws: HBStorageError.self) { try await changed.value }
    let result = try await output
    try await storage.setDiskRefuses(false)
    return result
  }

  @Test func `lists and values are those on disk`() async throws {
    let id = anchor.id
    let (list, one, spaces, history) = try await inRefusedTurn { [anchor] storage in
      async let list = storage.loadAnchors(spaceId: anchor.spaceId)
      async let one = storage.loadAnchor(id: id)
      async let spaces = storage.loadAllSpaces()
      async let history = storage.history(anchorId: id)
      return try await (list, one, spaces, history.count)
    }
    #expect(list == [anchor] && one == anchor && history == 1)
    #expect(spaces.map(\.id) == [anchor.spaceId])
    #expect(try await storage.loadAnchors(spaceId: anchor.spaceId) == [anchor])
  }

  @Test func `questions are answered`() async throws {
    try await storage.open()
    let port = storage.port
    let answer = try await inRefusedTurn { storage in
      // Threads of their own, since these block.
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(returning: (storage.port, try? storage.actorId))
        }
      }
    }
    #expect(port != nil && answer.0 == port)
    #expect(answer.1 != nil)
  }

  @Test func `sequences go on`() async throws {
    let id = anchor.spaceId
    let (list, peers, status, map) = try await inRefusedTurn { storage in
      async let list = first(of: storage.anchors(spaceId: id))
      async let peers = first(of: storage.peers)
      async let status = first(of: storage.syncStatus(spaceId: id))
      async let map = first(of: storage.worldMapProgress(spaceId: id))
      return await (list, peers, status, map)
    }
    #expect(list == [anchor])
    #expect(peers != nil && status != nil && map != nil)
  }
}
