import Foundation
import Hyperbasis
import Testing

/// What the base of a save is, and what a refused or late call leaves behind: cases that once went
/// wrong.
@Suite(.timeLimit(.minutes(5))) struct BaseTests {
  let directory = PeerDirectory()

  private func fresh(_ id: UUID, _ space: UUID, _ metadata: [String: AnyCodableValue]) -> HBAnchor {
    HBAnchor(id: id, spaceId: space, transform: at(0), metadata: metadata)
  }

  @Test func `a stale value that is saved does not make its other fields the base`() async throws {
    let storage = localStorage(directory)
    let anchor = fresh(UUID(), UUID(), ["x": 0, "z": 1, "gone": 1])
    try await storage.save(anchor)
    var stale = try await storage.loadAnchor(id: anchor.id)!
    try await storage.update(anchorId: anchor.id) { peer in
      peer.metadata["z"] = 2
      peer.metadata["new"] = 3
    }
    _ = try await storage.loadAnchor(id: anchor.id)
    stale.metadata["x"] = 5
    try await storage.save(stale)
    // z goes back on purpose, "new" stays as it was handed out, "gone" is removed.
    try await storage.save(fresh(anchor.id, anchor.spaceId, ["x": 5, "z": 1, "new": 3]))
    #expect(
      try await storage.loadAnchor(id: anchor.id)!.metadata == ["x": 5, "z": 1, "new": 3])
    // The same in a transaction.
    try await storage.transaction(spaceId: anchor.spaceId) { [stale] space in
      var again = stale
      again.metadata["x"] = 6
      try space.save(again)
    }
    try await storage.save(fresh(anchor.id, anchor.spaceId, ["x": 6, "z": 7, "new": 3]))
    #expect(
      try await storage.loadAnchor(id: anchor.id)!.metadata == ["x": 6, "z": 7, "new": 3])
  }

  @Test func `a stale space that is saved does not make its name the base`() async throws {
    let storage = localStorage(directory)
    let space = HBSpace(name: "a")
    try await storage.save(space)
    var stale = try await storage.loadSpace(id: space.id)!
    var renamed = try await storage.loadSpace(id: space.id)!
    renamed.update(name: "b")
    try await storage.save(renamed)
    stale.worldMapData = Data([1])
    try await storage.save(stale)
    try await storage.save(HBSpace(id: space.id, name: "a", worldMapData: Data([1])))
    #expect(try await storage.loadSpace(id: space.id)?.name == "a")
  }

  @Test func `a space built afresh removes a name or map only where it was taken out`() async throws
  {
    let storage = localStorage(directory)
    let space = HBSpace(name: "Kitchen", worldMapData: Data([1, 2, 3]))
    try await storage.save(space)
    _ = try await storage.loadSpace(id: space.id)
    try await storage.save(HBSpace(id: space.id, name: "Hall"))
    try await storage.save(HBSpace(id: space.id))
    let data = try JSONEncoder().encode(HBSpace(id: space.id))
    try await storage.save(try JSONDecoder().decode(HBSpace.self, from: data))
    let kept = try await storage.loadSpace(id: space.id)
    #expect(kept?.name == "Hall")
    #expect(kept?.worldMapSize == 3)
    var fresh = HBSpace(id: space.id, name: "Hall", worldMapData: Data([4]))
    fresh.name = nil
    fresh.worldMapData = Data()
    try await storage.save(fresh)
    let emptied = try await storage.loadSpace(id: space.id)
    #expect(emptied?.name == nil)
    #expect(emptied?.worldMapSize == 0)
  }

  @Test func `a saved space keeps its map where it is new`() async throws {
    let first = localStorage(directory, "first")
    let second = localStorage(directory, "second")
    let space = HBSpace(name: "Kitchen", worldMapData: Data([1, 2, 3]))
    try await first.save(space)
    try await second.save(space)
    #expect(try await second.loadSpace(id: space.id)?.loadWorldMapData() == Data([1, 2, 3]))
    try first.clearLocalStorage()
    try await first.save(space)
    #expect(try await first.loadSpace(id: space.id)?.loadWorldMapData() == Data([1, 2, 3]))
    let third = localStorage(directory, "third")
    try await third.save(try await first.loadSpace(id: space.id)!)
    #expect(try await third.loadSpace(id: space.id)?.loadWorldMapData() == Data([1, 2, 3]))
  }

  @Test func `a map that was removed can be given anew`() async throws {
    let storage = localStorage(directory)
    let space = HBSpace(name: "Kitchen", worldMapData: Data([1, 2, 3]))
    try await storage.save(space)
    var without = try await storage.loadSpace(id: space.id)!
    without.worldMapData = Data()
    try await storage.save(without)
    try await storage.save(HBSpace(id: space.id, name: "Kitchen", worldMapData: Data([1, 2, 3])))
    #expect(try await storage.loadSpace(id: space.id)?.worldMapSize == 3)
  }

  @Test func `a refused save holds no space`() async throws {
    let first = lanStorage(directory, "first")
    let space = UUID()
    await #expect(throws: HBStorageError.self) {
      try await first.save(fresh(UUID(), space, ["x": .double(.nan)]))
    }
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      try await first.transaction(spaceId: UUID()) { _ in throw Refusal() }
    }
    var config = HBStorageConfig.lan(
      directory: directory.url("second"), knownPeers: ["127.0.0.1:\(first.port!)"],
      discovery: false, joinsOfferedSpaces: false)
    config.compression = .none
    let second = HBStorage(config: config)
    for await peers in second.peers where !peers.isEmpty { break }
    let good = HBSpace(name: "good")
    try await first.save(good)
    #expect(try await eventually { try await !second.offeredSpaces().isEmpty })
    #expect(try await second.offeredSpaces() == [good.id])
  }

  @Test func `a storage can be released while it is observed and written to`() async throws {
    for round in 0..<30 {
      let observer: Task<Void, Never>
      do {
        let storage = localStorage(directory, "\(round % 3)")
        let space = HBSpace(name: "\(round)")
        try await storage.save(space)
        let changes = storage.changes(spaceId: space.id)
        observer = Task { for await _ in changes {} }
        var renamed = space
        for number in 0..<3 {
          renamed.update(name: "\(number)")
          Task { [renamed] in try? await storage.save(renamed) }
        }
      }
      await observer.value
    }
  }

  @Test func `a second reader of a sequence gets its end`() async throws {
    let storage = localStorage(directory)
    let changes = storage.changes(spaceId: UUID())
    let readers = (0..<2).map { _ in Task { for await _ in changes {} } }
    // One of them ends at once, the other with its task.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for reader in readers { group.addTask { await reader.value } }
      try await group.next()
      for reader in readers { reader.cancel() }
    }
  }

  @Test func `syncs and resumes at once share one network`() async throws {
    let first = lanStorage(directory, "first")
    try await first.save(HBSpace(name: "Kitchen"))
    let manual = lanStorage(directory, "manual", dialling: [first], strategy: .manual)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          try await Task.sleep(for: .milliseconds(200 * number))
          try await manual.sync()
        }
      }
      try await group.waitForAll()
    }
    #expect(manual.port == nil)
    #expect(try await manual.loadAllSpaces().count == 1)
    await first.suspend()
    async let one: Void = first.resume()
    async let other: Void = first.resume()
    _ = try await (one, other)
    #expect(first.port != nil)
  }

  @Test func `a map that was replaced is no damage`() async throws {
    let storage = localStorage(directory)
    let space = HBSpace(name: "Kitchen", worldMapData: Data([1, 2, 3]))
    try await storage.save(space)
    let held = try await storage.loadSpace(id: space.id)!
    var newer = held
    newer.worldMapData = Data([4])
    try await storage.save(newer)
    #expect(
      try await eventually {
        do { _ = try held.loadWorldMapData() } catch HBStorageError.fileOperationFailed(let cause) {
          guard case HBStoreFailure.failed(_, let reason) = cause else { return false }
          return reason.contains("load the space again")
        }
        return false
      })
  }
}
