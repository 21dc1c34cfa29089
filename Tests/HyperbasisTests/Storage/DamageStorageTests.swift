import Foundation
import Testing

@testable import Hyperbasis

/// H19 as an app sees it: one space is damaged, the others are used, and a repair with a peer at hand
/// brings everything back.
@Suite(.timeLimit(.minutes(3)))
struct DamageStorageTests {
  let directory = PeerDirectory()

  /// Two spaces with ten anchors each; returns them.
  private func fill(_ storage: HBStorage, map: Data = Data()) async throws -> [HBSpace] {
    var spaces: [HBSpace] = []
    for name in ["Kitchen", "Attic"] {
      let space = HBSpace(name: name, worldMapData: map)
      try await storage.save(space)
      for number in 0..<10 {
        try await storage.save(
          HBAnchor(
            spaceId: space.id, transform: at(Float(number)), metadata: ["n": .int(number)]))
      }
      spaces.append(space)
    }
    return spaces
  }

  @Test("H19 a damaged space refuses by its id; its other anchors and the other space are used")
  func setAside() async throws {
    var storage: HBStorage? = localStorage(directory)
    let map = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    let spaces = try await fill(storage!)
    try await storage!.save(HBSpace(id: spaces[0].id, name: "Kitchen", worldMapData: map))
    let anchors = try await storage!.loadAnchors(spaceId: spaces[0].id)
    storage = nil
    try directory.execute("UPDATE anchors SET record = x'ff' WHERE key = (1 << 32) + 2", "a")

    let opened = localStorage(directory)
    let damaged = try await opened.damagedSpaces()
    #expect(damaged.map(\.id) == [spaces[0].id])
    #expect(damaged[0].anchors == anchors.filter { $0.id != anchors[2].id })
    #expect(damaged[0].reason.contains("row 2 of space 1"))
    #expect(try await opened.loadAllSpaces().map(\.id) == [spaces[1].id])
    #expect(try await opened.loadAnchors(spaceId: spaces[1].id).count == 10)
    try await opened.save(HBAnchor(spaceId: spaces[1].id, transform: at(1)))
    #expect(try await opened.loadAnchor(id: anchors[5].id) == anchors[5])
    let refused = HBStoreFailure.damagedSpace(
      id: spaces[0].id, path: directory.path("a"), what: damaged[0].reason)
    let (id, anchor) = (spaces[0].id, anchors[5])
    // One that cannot be read is not said to be nowhere.
    let lost = anchors[2].id
    #expect(await storeFailure { _ = try await opened.loadAnchor(id: lost) } == refused)
    #expect(await storeFailure { try await opened.update(anchorId: lost) { _ in } } == refused)
    #expect(await storeFailure { try await opened.deleteAnchor(id: lost) } == refused)
    #expect(await storeFailure { _ = try await opened.history(anchorId: lost) } == refused)
    #expect(
      await storeFailure { try await opened.rollback(anchorId: lost, toVersion: 1) } == refused)
    #expect(await storeFailure { _ = try await opened.loadSpace(id: id) } == refused)
    #expect(await storeFailure { _ = try await opened.loadAnchors(spaceId: id) } == refused)
    #expect(await storeFailure { try await opened.save(spaces[0]) } == refused)
    #expect(
      await storeFailure { try await opened.save(HBAnchor(spaceId: id, transform: at(1))) }
        == refused)
    #expect(await storeFailure { try await opened.update(anchorId: anchor.id) { _ in } } == refused)
    #expect(await storeFailure { try await opened.deleteAnchor(id: anchor.id) } == refused)
    // Its id is not taken for another anchor's.
    let elsewhere = HBAnchor(id: anchor.id, spaceId: spaces[1].id, transform: at(1))
    #expect(await storeFailure { try await opened.save(elsewhere) } == refused)
    #expect(await storeFailure { try await opened.deleteSpace(id: id) } == refused)
    #expect(await storeFailure { try await opened.joinSpace(id: id) } == refused)
    #expect(await storeFailure { _ = try await opened.history(anchorId: anchor.id) } == refused)
    #expect(await storeFailure { try await opened.transaction(spaceId: id) { _ in } } == refused)
    #expect(await storeFailure { _ = try await opened.spaceHistory(spaceId: id) } == refused)
    #expect(await storeFailure { _ = try await opened.timeline(spaceId: id) } == refused)

    // Without a peer: the history tells all, and the map was not dropped as if nobody needed it.
    try await Task.sleep(for: .milliseconds(200))
    #expect(try await opened.repair().rebuiltSpaces == [id])
    #expect(try await opened.loadAnchors(spaceId: id) == anchors)
    #expect(try await opened.loadSpace(id: id)?.loadWorldMapData() == map)
  }

  @Test("H19 a damaged space is not synced, and with a peer a repair brings everything back")
  func repairWithPeer() async throws {
    let map = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    let other = lanStorage(directory, "other")
    var storage: HBStorage? = lanStorage(directory, "a", dialling: [other])
    let spaces = try await fill(storage!, map: map)
    let id = spaces[0].id
    let before = try await storage!.loadAnchors(spaceId: id)
    #expect(
      try await eventually {
        guard try await other.loadSpace(id: id)?.loadWorldMapData() == map else { return false }
        return try await other.loadAnchors(spaceId: id) == before
      })
    #expect(
      try await eventually { try await storage!.peerInfosForTests().contains { $0.isConnected } })
    storage = nil
    // The state, the history behind the first change, and the map.
    try directory.execute(
      """
      UPDATE anchors SET record = x'ff' WHERE key = (1 << 32) + 2;
      UPDATE history SET change = x'ff' WHERE space = 1 AND sequence = 3;
      UPDATE chunks SET bytes = x'00';
      """, "a")
    // The other goes on, also with an anchor that this one cannot show.
    let lost = before[2]
    try await other.update(anchorId: lost.id) { $0.metadata["by"] = "other" }

    let opened = lanStorage(directory, "a", dialling: [other])
    #expect(try await opened.damagedSpaces().map(\.id) == [id])
    try await other.save(HBAnchor(spaceId: spaces[1].id, transform: at(77)))
    #expect(
      try await eventually { try await opened.loadAnchors(spaceId: spaces[1].id).count == 11 })
    #expect(try await opened.offeredSpaces().isEmpty)
    #expect(await storeFailure { _ = try await opened.loadAnchors(spaceId: id) } != nil)

    let actor = try opened.actorId
    let report = try await opened.repair()
    #expect(report.rebuiltSpaces == [id] && report.intactSpaces == [spaces[1].id])
    #expect(report.keptFiles.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    #expect(try opened.actorId != actor)
    #expect(try await opened.damagedSpaces().isEmpty)
    #expect(
      try await eventually {
        let text = try await opened.loadAnchor(id: lost.id)?.stringMetadata(forKey: "by")
        let theirs = try await other.loadAnchors(spaceId: id)
        let ours = try await opened.loadAnchors(spaceId: id)
        return text == "other" && ours == theirs
      })
    #expect(
      try await eventually {
        (try? await opened.loadSpace(id: id)?.loadWorldMapData()) == map
      })
    #expect(
      try await eventually {
        let theirs = try await other.history(anchorId: lost.id)
        return try await opened.history(anchorId: lost.id).count == theirs.count
      })
    // Both go on.
    try await opened.update(anchorId: lost.id) { $0.metadata["after"] = 1 }
    #expect(
      try await eventually {
        try await other.loadAnchor(id: lost.id)?.intMetadata(forKey: "after") == 1
      })
  }

  @Test("H19 where not even the id of a space can be read none is joined or made until a repair")
  func spaceWithoutID() async throws {
    var storage: HBStorage? = localStorage(directory)
    let spaces = try await fill(storage!)
    storage = nil
    try directory.execute("UPDATE spaces SET id = x'00' WHERE number = 1", "a")
    let opened = localStorage(directory)
    #expect(try await opened.damagedSpaces().map(\.id) == [nil])
    try await opened.save(HBAnchor(spaceId: spaces[1].id, transform: at(1)))
    #expect(await storeFailure { try await opened.save(HBSpace(name: "New")) } != nil)
    #expect(await storeFailure { try await opened.joinSpace(id: spaces[0].id) } != nil)
    // Nor is any shown as empty: it might be that one.
    let id = spaces[0].id
    #expect(await storeFailure { _ = try await opened.loadAnchors(spaceId: id) } != nil)
    #expect(await storeFailure { _ = try await opened.loadSpace(id: id) } != nil)
    #expect(await endsAtOnce(opened.anchors(spaceId: id)))
    #expect(await endsAtOnce(opened.changes(spaceId: id)))
    let report = try await opened.repair()
    #expect(report.intactSpaces == [spaces[1].id] && !report.problems.isEmpty)
    try await opened.save(HBSpace(name: "New"))
  }

  @Test(
    "H19 observers of a damaged space end at once, and the notices begin with it",
    arguments: [false, true])
  func observers(onNetwork: Bool) async throws {
    func open() -> HBStorage {
      onNetwork ? lanStorage(directory, "a") : localStorage(directory)
    }
    var storage: HBStorage? = open()
    let spaces = try await fill(storage!)
    storage = nil
    try directory.execute("UPDATE anchors SET record = x'ff' WHERE key = (1 << 32) + 2", "a")
    let opened = open()
    let (id, whole) = (spaces[0].id, spaces[1].id)
    #expect(await endsAtOnce(opened.changes(spaceId: id)))
    #expect(await endsAtOnce(opened.anchors(spaceId: id)))
    #expect(await endsAtOnce(opened.syncStatus(spaceId: id)))
    #expect(await endsAtOnce(opened.worldMapProgress(spaceId: id)))
    #expect(await first(of: opened.anchors(spaceId: whole))?.count == 10)
    let refused = await storeFailure { _ = try await opened.loadAnchors(spaceId: id) }
    // Also for a reader that comes late.
    for _ in 1...2 { #expect(await first(of: opened.notices) == refused?.description) }
    try await opened.repair()
    #expect(await first(of: opened.anchors(spaceId: id))?.count == 10)
  }

  @Test("H19 a file that is no database is told by each call, kept aside by a repair")
  func noDatabase() async throws {
    let folder = directory.path("a")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let text = Data(String(repeating: "no database ", count: 900).utf8)
    try text.write(to: URL(fileURLWithPath: folder + "/store.sqlite"))
    let storage = localStorage(directory)
    for _ in 1...2 {
      guard case .damaged? = await storeFailure({ _ = try await storage.loadAllSpaces() }) else {
        Issue.record("it is not told")
        return
      }
    }
    let report = try await storage.repair()
    #expect(try Data(contentsOf: report.keptFiles[0]) == text)
    #expect(try await storage.loadAllSpaces().isEmpty)
  }

  @Test("a backup of a storage in use is complete, and replaces no file")
  func backup() async throws {
    let storage = localStorage(directory)
    let map = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    let spaces = try await fill(storage, map: map)
    let file = directory.url("room.sqlite")
    try await storage.backup(to: file)
    #expect(
      await storeFailure { try await storage.backup(to: file) } == .fileExists(path: file.path))
    let folder = directory.path("restored")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: file.path, toPath: folder + "/store.sqlite")
    let restored = localStorage(directory, "restored")
    #expect(try await restored.loadAllSpaces().map(\.id) == spaces.map(\.id))
    for space in spaces {
      let (read, kept) = (
        try await restored.loadAnchors(spaceId: space.id),
        try await storage.loadAnchors(spaceId: space.id)
      )
      #expect(read == kept)
      #expect(try await restored.loadSpace(id: space.id)?.loadWorldMapData() == map)
    }
  }
}

extension HBStorage {
  fileprivate func peerInfosForTests() async throws -> [HBPeerInfo] {
    try await turn { loop throws(HBStorageError) in loop.peerInfos }
  }
}
