import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// H19: what a repair brings back without any peer, and what it claims.
struct RepairTests {
  private func repair(_ files: DamagedFiles) throws -> (RepairReport, Store, [StoredSpace]) {
    let report = try Store.repair(directory: files.directory.store)
    let store = try Store(directory: files.directory.store)
    return (report, store, try store.load())
  }

  @Test("H19 a repair of an undamaged store changes nothing but the replica id")
  func undamaged() throws {
    let files = try DamagedFiles()
    let before = try Data(contentsOf: files.database)
    let (report, store, spaces) = try repair(files)
    #expect(report.intact == [DamagedFiles.kitchen, DamagedFiles.attic] && report.problems == [])
    #expect(spaces.map(\.state.digest) == spaces.map { files.states[$0.state.id]?.digest })
    #expect(try store.changes(of: DamagedFiles.kitchen) == files.changes[DamagedFiles.kitchen])
    #expect(store.device == files.device && store.replica != files.replica)
    let change = try #require(try store.identityChange())
    #expect(store.breach == nil && change.reason == .repaired && change.previous == files.replica)
    #expect(try store.manifest(ContentHash(high: 1, low: 2)) == [1, 2, 3])
    #expect(try store.chunk(ContentHash(high: 3, low: 4))?.bytes == [9, 9, 9])
    #expect(report.kept.count == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: report.kept[0])) == before)
    #expect(!FileManager.default.fileExists(atPath: files.directory.store + "/repair"))
  }

  @Test(
    "H19 a state is rebuilt from its history, whole",
    arguments: [
      "UPDATE anchors SET record = x'00ff' WHERE key = (1 << 32) + 2",
      "DELETE FROM anchors WHERE key >> 32 = 1",
      "UPDATE spaces SET vector = x'ff', history = x'ff', record = x'ff' WHERE number = 1",
    ])
  func stateFromHistory(sql: String) throws {
    let files = try DamagedFiles()
    files.execute(sql)
    let (report, _, spaces) = try repair(files)
    #expect(report.rebuilt.contains(DamagedFiles.kitchen))
    #expect(spaces.map(\.state.digest) == spaces.map { files.states[$0.state.id]?.digest })
    #expect(spaces.count == 2 && report.rewritten == 0)
  }

  @Test("H19 who made a change is told by the change, where the row of its replica is damaged")
  func replicas() throws {
    let files = try DamagedFiles()
    files.execute("UPDATE replicas SET id = id || x'00'")
    let (report, _, spaces) = try repair(files)
    #expect(report.intact.count == 2)
    #expect(spaces.map(\.state.digest) == spaces.map { files.states[$0.state.id]?.digest })
  }

  @Test(
    "H19 an older state of an anchor, as of a page that was not written, gives way to the history")
  func olderState() throws {
    let files = try DamagedFiles()
    let state = try #require(files.states[DamagedFiles.kitchen])
    let cells = state.record(of: AnchorID(3)).filter { $0.stamp.dot.replica == files.replica }
    var writer = ByteWriter()
    Cell.encode(cells, into: &writer)
    let hex = writer.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    files.execute("UPDATE anchors SET record = x'\(hex)' WHERE key = (1 << 32) + 2")
    #expect(try Store(directory: files.directory.store).load().count == 2)
    let (report, _, spaces) = try repair(files)
    #expect(report.rebuilt == [DamagedFiles.kitchen] && report.rewritten == 0)
    #expect(spaces[0].state.digest == state.digest)
  }

  @Test("H19 a damaged history ends before the damage, and the state stays")
  func historyCut() throws {
    let files = try DamagedFiles()
    files.execute("UPDATE history SET change = x'ff' WHERE space = 1 AND sequence = 7")
    let (report, store, spaces) = try repair(files)
    #expect(report.historyCut == [DamagedFiles.kitchen])
    #expect(report.intact == [DamagedFiles.attic])
    #expect(spaces.map(\.state.digest) == spaces.map { files.states[$0.state.id]?.digest })
    #expect(spaces[0].history[files.replica] == 6 && spaces[0].history[ReplicaID(5)] == 6)
    #expect(try store.changes(of: DamagedFiles.kitchen).count == 12)
  }

  @Test("H19 a damaged state behind a damaged history keeps all last values, and claims no more")
  func rewritten() throws {
    let files = try DamagedFiles()
    files.execute(
      """
      UPDATE history SET change = x'ff' WHERE space = 1 AND sequence = 7;
      UPDATE anchors SET record = x'00ff' WHERE key = (1 << 32) + 20;
      """)
    let (report, store, spaces) = try repair(files)
    #expect(report.rebuilt == [DamagedFiles.kitchen] && report.rewritten > 0)
    let space = spaces[0]
    #expect(files.isHonest(space) && files.showsAll(space))
    #expect(space.state.vector[files.replica] == 6)
    #expect(space.state.vector[store.replica] > 0)
    // A peer that has the originals and this one agree in the end.
    var peer = try #require(files.states[DamagedFiles.kitchen])
    for change in try store.changes(of: DamagedFiles.kitchen) {
      _ = try peer.apply(change)
    }
    var back = space.state
    for change in try #require(files.changes[DamagedFiles.kitchen]) { _ = try? back.apply(change) }
    #expect(back.digest == peer.digest)
    #expect(back.anchors() == files.states[DamagedFiles.kitchen]?.anchors())
  }

  @Test("H19 a change in a row of nobody's number does not stand against its author's")
  func strayRow() throws {
    let files = try DamagedFiles()
    let last = try #require(files.changes[DamagedFiles.kitchen]?.last)
    files.execute(
      """
      INSERT INTO history SELECT space, 14, sequence,
        CAST(substr(change, 1, length(change) - 1) AS BLOB) || x'16' FROM history
        WHERE space = 1 AND author = (SELECT max(author) FROM history WHERE space = 1)
        AND sequence = \(last.dot.sequence)
      """)
    let (report, _, spaces) = try repair(files)
    #expect(report.intact == [DamagedFiles.kitchen, DamagedFiles.attic])
    #expect(spaces.map(\.state.digest) == spaces.map { files.states[$0.state.id]?.digest })
  }

  @Test("H19 of a state and a history that contradict each other neither is believed")
  func contradiction() throws {
    let files = try DamagedFiles()
    let last = try #require(files.changes[DamagedFiles.kitchen]?.last)
    // A bit of a value: the change is well formed.
    files.execute(
      """
      UPDATE history SET change = CAST(substr(change, 1, length(change) - 1) AS BLOB) || x'16'
        WHERE space = 1 AND author = (SELECT max(author) FROM history WHERE space = 1)
        AND sequence = \(last.dot.sequence)
      """)
    #expect(try Store(directory: files.directory.store).loadReadable().damaged.isEmpty)
    let (report, _, spaces) = try repair(files)
    #expect(report.rebuilt == [DamagedFiles.kitchen])
    #expect(files.isHonest(spaces[0]))
    #expect(spaces[0].state.vector[last.dot.replica] == last.dot.sequence - 1)
  }

  @Test("H19 a repair that ended before it was whole leaves the old store")
  func interruptedEarly() throws {
    let files = try DamagedFiles()
    let folder = files.directory.store + "/repair"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try Data("half".utf8).write(to: URL(fileURLWithPath: folder + "/store.sqlite"))
    #expect(try Store(directory: files.directory.store).load().count == 2)
    let (report, _, _) = try repair(files)
    #expect(report.intact.count == 2)
  }

  @Test("H19 a repair that was whole is completed by the next opening", arguments: [0, 1, 2])
  func interruptedLate(done: Int) throws {
    let files = try DamagedFiles(leavesLog: true)
    let other = try DamagedFiles(anchors: 3)
    let manager = FileManager.default
    let store = files.directory.store
    try manager.copyItem(
      atPath: other.directory.database, toPath: store + "/repaired-20260101-000000.sqlite")
    let aside = store + "/damaged-20260101-000000.sqlite"
    for ending in ["-wal", ""].prefix(done) {
      try manager.moveItem(atPath: store + "/store.sqlite" + ending, toPath: aside + ending)
    }
    let spaces = try Store(directory: store).load()
    #expect(spaces[0].state.digest == other.states[DamagedFiles.kitchen]?.digest)
    #expect(manager.fileExists(atPath: aside) && manager.fileExists(atPath: aside + "-wal"))
  }

  @Test("H19 what is no damaged store is not repaired")
  func refused() throws {
    let files = try DamagedFiles()
    files.execute("PRAGMA user_version = 5")
    let before = try Data(contentsOf: files.database)
    #expect(throws: StoreError.newer(path: files.directory.store, version: 5)) {
      try Store.repair(directory: files.directory.store)
    }
    #expect(try Data(contentsOf: files.database) == before)
    let open = try Store(directory: files.directory.path + "/open")
    #expect(throws: StoreError.inUse(path: open.directory)) {
      try Store.repair(directory: open.directory)
    }
    #expect(throws: StoreError.self) { try Store.repair(directory: files.directory.path + "/none") }
    let foreign = files.directory.path + "/foreign"
    try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: true)
    RawDatabase(foreign + "/store.sqlite").execute("CREATE TABLE notes (text TEXT)")
    #expect(throws: StoreError.foreign(path: foreign)) { try Store.repair(directory: foreign) }
  }
}
