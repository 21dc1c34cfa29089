import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// Stores of format 2 are brought up when they are opened.
struct MigrationTests {
  let directory = TemporaryDirectory()

  /// Puts the store of format 2 in place.
  init() throws {
    try FileManager.default.createDirectory(
      atPath: directory.store, withIntermediateDirectories: true)
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Golden/format-2.sqlite")
    try FileManager.default.copyItem(at: golden, to: URL(fileURLWithPath: directory.database))
  }

  private func raw() -> RawDatabase { RawDatabase(directory.database) }

  @Test("a store of format 2 is of format 4 afterwards, with its anchors counted, and goes on")
  func goesOn() throws {
    #expect(raw().integer("PRAGMA user_version") == 2)
    var store: Store? = try Store(directory: directory.store)
    #expect(raw().integer("PRAGMA user_version") == 4)
    #expect(raw().integer("SELECT anchors FROM spaces") == awkwardValues.count)
    let before = try #require(try store!.load().first)
    #expect(before.cut.entries.isEmpty && before.state.floor.entries.isEmpty)
    var author = Author(space: before.state.id, replica: store!.replica)
    author.state = before.state
    // The history of another replica is still to come.
    for number in 100..<103 {
      let old = author.state.vector
      var writes = try author.change([
        .existence(AnchorID(UInt128(number)), Existence(created: 1))
      ])
      writes.history = before.history
      writes.history[store!.replica] = old[store!.replica] + 1
      try store!.commit([writes])
    }
    store = nil
    #expect(raw().integer("SELECT anchors FROM spaces") == awkwardValues.count + 3)
    let after = try #require(try Store(directory: directory.store).load().first)
    #expect(after.state.digest == author.state.digest)
  }

  @Test("how late the writes were that a store of format 3 gave up is not known: until now")
  func givenUp() throws {
    let directory = TemporaryDirectory()
    var store: Store? = try Store(directory: directory.store)
    var shared = Author(space: SpaceID(7), replica: store!.replica)
    try store!.commit([shared.makeMembers()])
    try store!.commit([shared.change([.existence(AnchorID(1), Existence(created: 1, deleted: 2))])])
    try store!.commit([shared.giveUp()])
    var plain = Author(space: SpaceID(8), replica: store!.replica)
    try store!.commit([plain.change([.name("a")])])
    store = nil
    RawDatabase(directory.database).execute(
      "ALTER TABLE spaces DROP COLUMN given_up; PRAGMA user_version = 3")
    let now = UInt64(Date().timeIntervalSince1970 * 1_000)
    let spaces = try Store(directory: directory.store).load()
    #expect(RawDatabase(directory.database).integer("PRAGMA user_version") == 4)
    let last = spaces.map(\.state.lastGivenUp)
    #expect(last[0] >= shared.state.lastGivenUp && last[0].milliseconds > now - 5_000)
    #expect(last[0].milliseconds <= now + 5_000 && last[1] == .zero)
  }

  @Test("H19 what a store of format 2 had lost is told afterwards as before")
  func damagedBefore() throws {
    for (sql, row) in [
      ("DELETE FROM anchors WHERE key = (1 << 32) + 2", 2),
      ("DELETE FROM anchors WHERE key = (SELECT max(key) FROM anchors)", awkwardValues.count - 1),
    ] {
      let test = try MigrationTests()
      test.raw().execute(sql)
      let loaded = try Store(directory: test.directory.store).loadReadable()
      #expect(loaded.damaged.map(\.what) == ["row \(row) of space 1 is missing"])
      let report = try Store.repair(directory: test.directory.store)
      #expect(report.rebuilt.count == 1)
      #expect(try Store(directory: test.directory.store).load().count == 1)
    }
  }

  @Test("a store that cannot be brought up now is left untouched")
  func untouched() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: directory.database))
    let holder = raw()
    holder.execute("BEGIN IMMEDIATE")
    #expect(throws: StoreError.inUse(path: directory.store)) {
      try Store(directory: directory.store)
    }
    holder.execute("ROLLBACK")
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.database)) == before)
    #expect(holder.integer("PRAGMA user_version") == 2)
    #expect(try Store(directory: directory.store).load().count == 1)
  }

  @Test(
    "H19 a store of format 2 is repaired, whole or without its first page",
    arguments: [false, true])
  func repaired(isFirstPageLost: Bool) throws {
    if isFirstPageLost {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: directory.database))
      bytes.replaceSubrange(0..<4_096, with: Data(count: 4_096))
      try bytes.write(to: URL(fileURLWithPath: directory.database))
    }
    let report = try Store.repair(directory: directory.store)
    #expect(report.intact.count == 1)
    let spaces = try Store(directory: directory.store).load()
    #expect(spaces.map { "\($0.state.contentDigest)" } == ["6944629012d59cf7a639c53fa2716bb0"])
  }

  @Test("H19 a header that tells of format 2 does no harm to a store of format 4")
  func formatFlipped() throws {
    _ = try Store(directory: directory.store)
    raw().execute("UPDATE spaces SET anchors = anchors + 1; PRAGMA user_version = 2")
    let loaded = try Store(directory: directory.store).loadReadable()
    // Nothing is counted a second time.
    #expect(loaded.damaged.map(\.what) == ["row \(awkwardValues.count) of space 1 is missing"])
    #expect(raw().integer("PRAGMA user_version") == 4)
  }
}
