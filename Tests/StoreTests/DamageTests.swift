import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// H19: damage of single rows. Which space it is in is told; the others open as ever.
struct DamageTests {
  @Test(
    "H19 a damaged row sets its space aside, with what can be read of it",
    arguments: [
      ("UPDATE anchors SET record = x'00ff' WHERE key = (1 << 32) + 2", 29),
      ("DELETE FROM anchors WHERE key = (1 << 32) + 2", 29),
      ("DELETE FROM anchors WHERE key = (SELECT max(key) FROM anchors WHERE key < 2 << 32)", 29),
      ("DELETE FROM anchors WHERE key < 2 << 32", 0),
      ("UPDATE spaces SET vector = x'ff' WHERE number = 1", 30),
      ("UPDATE spaces SET record = x'ff' WHERE number = 1", 30),
      ("DELETE FROM history WHERE space = 1 AND sequence = 1", 30),
      ("UPDATE spaces SET history = x'00' WHERE number = 1", 30),
      (
        "UPDATE anchor_history SET slot = 9223372036854775807 WHERE space = 1 AND slot = 2",
        30
      ),
      ("UPDATE history SET author = 'a' WHERE space = 1 AND author = 1 AND sequence = 1", 30),
      ("UPDATE history SET author = 1.5 WHERE space = 1 AND author = 1 AND sequence = 1", 30),
      ("UPDATE anchors SET key = (1 << 32) + 0xFFFFFFFF WHERE key = (1 << 32) + 29", 29),
    ])
  func rowOfOneSpace(sql: String, readable: Int) throws {
    let files = try DamagedFiles()
    files.execute(sql)
    let store = try Store(directory: files.directory.store)
    let loaded = store.loadReadable()
    #expect(loaded.spaces.map(\.state.id) == [DamagedFiles.attic])
    #expect(loaded.spaces[0].state.digest == files.states[DamagedFiles.attic]?.digest)
    let damaged = try #require(loaded.damaged.first)
    #expect(loaded.damaged.count == 1 && damaged.id == DamagedFiles.kitchen)
    #expect(damaged.remains?.anchors().count == readable)
    #expect(
      throws: StoreError.damagedSpace(
        path: files.directory.store, space: DamagedFiles.kitchen, what: damaged.what)
    ) { try store.load() }
  }

  @Test(
    "H19 an anchor that has two values of one key is damaged, although one of them is the later")
  func registerTwice() throws {
    let files = try DamagedFiles()
    let cells = try #require(files.states[DamagedFiles.kitchen]).record(of: AnchorID(3))
    var writer = ByteWriter()
    Cell.encode([cells[0]] + cells, into: &writer)
    let hex = writer.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    files.execute("UPDATE anchors SET record = x'\(hex)' WHERE key = (1 << 32) + 2")
    let loaded = try Store(directory: files.directory.store).loadReadable()
    #expect(loaded.damaged.map(\.id) == [DamagedFiles.kitchen])
    #expect(loaded.damaged[0].what.contains("twice"))
  }

  @Test(
    "H19 a number that is none of a space is told, and a repair is possible",
    arguments: ["2147483648", "-2147483648", "9223372036854775807", "0"])
  func numberOfNoSpace(number: String) throws {
    let files = try DamagedFiles()
    files.execute("UPDATE spaces SET number = \(number) WHERE number = 1")
    let loaded = try Store(directory: files.directory.store).loadReadable()
    #expect(loaded.spaces.map(\.state.id) == [DamagedFiles.attic])
    #expect(loaded.damaged.map(\.id) == [nil])
    _ = try Store.repair(directory: files.directory.store)
    #expect(try Store(directory: files.directory.store).load().count >= 1)
  }

  @Test(
    "H19 a space that is made beside a damaged row with a number of no space can be loaded",
    arguments: [
      "INSERT INTO anchors VALUES (0x7FFFFFFF << 32, x'00')",
      "INSERT INTO anchors VALUES (-1, x'00')",
      "INSERT INTO history VALUES (9223372036854775807, 1, 1, x'00')",
      "INSERT INTO history VALUES (2147483647, 1, 1, x'00')",
      "INSERT INTO anchor_history VALUES (3, 7, 1, 1)",
      "INSERT INTO replicas VALUES (9223372036854775807, x'00')",
    ])
  func numberBesideNoSpace(sql: String) throws {
    let files = try DamagedFiles()
    files.execute(sql)
    var store: Store? = try Store(directory: files.directory.store)
    #expect(store!.loadReadable().spaces.count == 2)
    var author = Author(space: SpaceID(77), replica: store!.replica)
    try store!.commit([author.change([.name("new")])])
    store = nil
    let loaded = try Store(directory: files.directory.store).loadReadable()
    #expect(loaded.spaces.count == 3 && loaded.damaged.isEmpty)
  }

  @Test("H19 a replica beside a damaged one gets a number under which its changes are found")
  func replicaBesideNoReplica() throws {
    let files = try DamagedFiles()
    files.execute("DELETE FROM replicas; INSERT INTO replicas VALUES (-5, x'00')")
    var store: Store? = try Store(directory: files.directory.store)
    var author = Author(space: SpaceID(77), replica: ReplicaID(99))
    try store!.commit([author.change([.name("new")])])
    store = nil
    let loaded = try Store(directory: files.directory.store).loadReadable()
    #expect(loaded.spaces.map(\.state.id) == [SpaceID(77)])
  }

  @Test("H19 a space that is made after a row of spaces was lost has nothing of the lost one")
  func numberIsNotUsedAgain() throws {
    let files = try DamagedFiles()
    files.execute("DELETE FROM spaces WHERE number = 2")
    var store: Store? = try Store(directory: files.directory.store)
    _ = store!.loadReadable()
    var author = Author(space: SpaceID(77), replica: store!.replica)
    try store!.commit([author.change([.name("new")])])
    store = nil
    let loaded = try Store(directory: files.directory.store).loadReadable()
    #expect(loaded.damaged.isEmpty)
    #expect(loaded.spaces.contains { $0.state.id == SpaceID(77) })
  }

  @Test("H19 a row of spaces without an id is told, the other space opens")
  func spaceWithoutID() throws {
    let files = try DamagedFiles()
    files.execute("UPDATE spaces SET id = x'00' WHERE number = 1")
    let store = try Store(directory: files.directory.store)
    let loaded = store.loadReadable()
    #expect(loaded.spaces.map(\.state.id) == [DamagedFiles.attic])
    #expect(loaded.damaged.map(\.id) == [nil])
    #expect(throws: StoreError.self) { try store.load() }
  }

  @Test("H19 damage of replicas sets aside the spaces with changes of that replica only")
  func rowOfReplicas() throws {
    let files = try DamagedFiles()
    files.execute(
      "UPDATE replicas SET id = x'00' WHERE id = x'00000000000000000000000000000005'")
    let loaded = try Store(directory: files.directory.store).loadReadable()
    #expect(loaded.spaces.map(\.state.id) == [DamagedFiles.attic])
    #expect(loaded.damaged.map(\.id) == [DamagedFiles.kitchen])
  }

  @Test("H19 a damaged row of history is told when it is read, and hides nothing else")
  func rowOfHistory() throws {
    let files = try DamagedFiles()
    files.execute("UPDATE history SET change = x'ff' WHERE space = 1 AND sequence = 7")
    let store = try Store(directory: files.directory.store)
    #expect(try store.load().count == 2)
    #expect {
      try store.changes(of: DamagedFiles.kitchen)
    } throws: { error in
      guard case .damaged(_, let what)? = error as? StoreError else { return false }
      return what.contains("change 7 of")
    }
    #expect(try store.changes(of: DamagedFiles.attic).count == 41)
  }

  @Test("H19 a damaged row of peers, of whole_maps or a setting counts as missing")
  func rowsThatLoseNoEdit() throws {
    let files = try DamagedFiles()
    files.execute(
      """
      INSERT INTO peers VALUES (x'00', x'00', x'', x'', 1);
      INSERT INTO whole_maps VALUES (x'00', x'00', 1)
      """)
    let store = try Store(directory: files.directory.store)
    #expect(try store.knownPeers().isEmpty && store.wholeMaps().isEmpty)
    #expect(try store.load().count == 2)
  }
}
