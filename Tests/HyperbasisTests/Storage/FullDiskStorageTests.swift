import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis
@testable import HyperbasisStore

/// H17 as an app and its peers see it: nothing half done, nothing told that was not kept.
@Suite(.timeLimit(.minutes(3)))
struct FullDiskStorageTests {
  let directory = PeerDirectory()

  /// Lets the database have no page more than it has, or as many as it wants.
  private func fill(_ storage: HBStorage, _ isFull: Bool) async throws {
    try await storage.turn { loop throws(HBStorageError) in
      do throws(StoreError) {
        let database = loop.store.database
        let count = try database.integer("PRAGMA page_count")
        _ = try database.integer("PRAGMA max_page_count = \(isFull ? count : 1 << 30)")
      } catch {
        throw HBStorageError(error)
      }
    }
  }

  private func isFull(_ body: () async throws -> Void) async -> Bool {
    do { try await body() } catch HBStorageError.fileOperationFailed(let cause) {
      if case .full? = cause as? HBStoreFailure { return true }
    } catch {
      return false
    }
    return false
  }

  @Test("H17 on a full disk saves throw, reads go on, peers hear nothing, and it goes on by itself")
  func saves() async throws {
    let other = lanStorage(directory, "other")
    let storage = lanStorage(directory, "a", dialling: [other])
    let space = HBSpace(name: "Kitchen")
    try await storage.save(space)
    let note = HBAnchor(spaceId: space.id, transform: at(1), metadata: ["n": 1])
    try await storage.save(note)
    #expect(try await eventually { try await other.loadAnchor(id: note.id) == note })

    try await fill(storage, true)
    let text = AnyCodableValue.string(String(repeating: "x", count: 30_000))
    let big = HBAnchor(spaceId: space.id, transform: at(2), metadata: ["text": text])
    #expect(await isFull { try await storage.save(big) })
    #expect(
      await isFull { try await storage.update(anchorId: note.id) { $0.metadata["text"] = text } })
    #expect(
      await isFull {
        try await storage.transaction(spaceId: space.id) { try $0.save(big) }
      })
    let map = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    #expect(await isFull { try await storage.save(HBSpace(name: "Attic", worldMapData: map)) })
    #expect(try await storage.loadAnchor(id: note.id) == note)
    #expect(try await storage.loadAnchors(spaceId: space.id) == [note])
    #expect(try await storage.loadAllSpaces().map(\.id) == [space.id])
    #expect(try await other.loadAnchors(spaceId: space.id) == [note])
    #expect(try await other.loadAllSpaces().map(\.id) == [space.id])

    try await fill(storage, false)
    try await storage.save(big)
    #expect(try await eventually { try await other.loadAnchor(id: big.id) == big })
    #expect(try await storage.history(anchorId: big.id).count == 1)
  }

  @Test("H17 what a peer sends to a full disk is not shown, and comes once there is room")
  func receives() async throws {
    let other = lanStorage(directory, "other")
    let storage = lanStorage(directory, "a", dialling: [other])
    let space = HBSpace(name: "Kitchen")
    try await other.save(space)
    #expect(try await eventually { try await storage.loadSpace(id: space.id) != nil })
    try await fill(storage, true)
    let text = AnyCodableValue.string(String(repeating: "x", count: 30_000))
    let big = HBAnchor(spaceId: space.id, transform: at(2), metadata: ["text": text])
    try await other.save(big)
    try await Task.sleep(for: .milliseconds(500))
    #expect(try await storage.loadAnchor(id: big.id) == nil)
    try await fill(storage, false)
    #expect(try await eventually { try await storage.loadAnchor(id: big.id) == big })
  }
}
