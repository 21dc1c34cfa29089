import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// What the engine gives up is gone from the store, and nothing else.
struct GivenUpTests {
  let directory = TemporaryDirectory()
  let space = SpaceID(7)

  private func raw() -> RawDatabase { RawDatabase(directory.database) }

  /// Ten anchors with members; every second one deleted and given up, with the history up to then.
  private func fill(_ store: Store) throws -> Author {
    var author = Author(space: space, replica: store.replica)
    try store.commit([author.makeMembers()])
    for number in 1...10 {
      try store.commit([
        author.change([.existence(AnchorID(UInt128(number)), Existence(created: 1))])
      ])
    }
    for number in [2, 4, 6, 8, 10] {
      let anchor = AnchorID(UInt128(number))
      try store.commit([author.change([.existence(anchor, Existence(created: 1, deleted: 2))])])
    }
    try store.commit([author.giveUp()])
    return author
  }

  @Test("what all members had at which times comes back, or is not known where it cannot be read")
  func marks() throws {
    var store: Store? = try Store(directory: directory.store)
    var author = Author(space: space, replica: store!.replica)
    var writes = try author.change([.name("a")])
    let marks = [
      RetentionMark(wall: 5, stable: VersionVector()),
      RetentionMark(wall: 9, stable: author.state.vector),
    ]
    writes.marks = marks
    try store!.commit([writes])
    // What says nothing of them leaves them.
    try store!.commit([author.change([.name("b")])])
    store = nil
    store = try Store(directory: directory.store)
    #expect(try store!.load().first?.marks == marks)
    // A mark that tells of more than the state has is none.
    var beyond = VersionVector()
    beyond[ReplicaID(9)] = 1
    writes = try author.change([.name("c")])
    writes.marks = marks + [RetentionMark(wall: 10, stable: beyond)]
    try store!.commit([writes])
    #expect(try store!.load().first?.marks == marks)
    raw().execute("UPDATE meta SET value = x'02' WHERE key LIKE 'marks%'")
    #expect(try store!.load().first?.marks == [])
    #expect(try store!.load().first?.state.name == "c")
  }

  @Test("anchors and history that were given up stay so, and slots keep their numbers")
  func survivesReopening() throws {
    var store: Store? = try Store(directory: directory.store)
    var author = try fill(store!)
    try store!.commit([author.change([.metadata(AnchorID(3), Key("n"), .int(1))])])
    for table in ["history", "anchor_history"] {
      #expect(raw().integer("SELECT count(*) FROM \(table)") == 1)
    }
    #expect(raw().integer("SELECT count(*) FROM anchors") == 5)
    store = nil
    store = try Store(directory: directory.store)
    let loaded = try #require(try store!.load().first)
    #expect(loaded.state.digest == author.state.digest)
    #expect(loaded.state.floor == author.cut && loaded.cut == author.cut)
    #expect(loaded.state.lastGivenUp == author.state.lastGivenUp)
    #expect(loaded.state.lastGivenUp > .zero)
    #expect(loaded.history == author.state.vector)
    #expect(
      (1...9).map { loaded.state.slotNumber(of: AnchorID($0)) } == [
        0, nil, 2, nil, 4, nil, 6, nil, 8,
      ])
    // What was given up is no part of what is read.
    let read = try store!.changes(
      of: space, after: VersionVector(), upTo: author.state.vector, bytes: .max)
    #expect(try read.count == 1 && store!.changes(of: space) == read)
    #expect(try store!.changes(of: space, slot: 2) == read)
    // The next anchor has a number of its own.
    author.state = loaded.state
    try store!.commit([author.change([.existence(AnchorID(11), Existence(created: 1))])])
    store = nil
    store = try Store(directory: directory.store)
    #expect(try store!.load().first?.state.digest == author.state.digest)
    #expect(
      try store!.changes(of: space, slot: author.state.slotNumber(of: AnchorID(11))!).count == 1)
  }

  @Test("a number that the history names is not given again")
  func numbersOfTheHistory() throws {
    var store: Store? = try Store(directory: directory.store)
    var author = Author(space: space, replica: store!.replica)
    try store!.commit([author.makeMembers()])
    try store!.commit([author.change([.existence(AnchorID(1), Existence(created: 1, deleted: 2))])])
    // The anchor goes, its changes stay.
    let collected = author.state.collect(floor: author.state.vector, dropped: author.state.vector)
    try store!.commit([
      author.state.writes(
        touched: Touched(), history: author.state.vector, changes: [], removed: collected.slots)
    ])
    store = nil
    store = try Store(directory: directory.store)
    author.state = try #require(try store!.load().first).state
    try store!.commit([author.change([.existence(AnchorID(2), Existence(created: 1))])])
    #expect(author.state.slotNumber(of: AnchorID(2)) == 1)
    #expect(try store!.changes(of: space, slot: 1).count == 1)
    #expect(try store!.changes(of: space, slot: 0).count == 1)
  }

  @Test(
    "H19 a lost row is found by the number of rows",
    arguments: [
      ("DELETE FROM anchors WHERE key & 15 = 4", "of 5 rows of space 1 there are 4"),
      ("DELETE FROM anchors WHERE key & 15 >= 6", "of 5 rows of space 1 there are 3"),
      ("DELETE FROM anchors", "of 5 rows of space 1 there are 0"),
      ("UPDATE spaces SET anchors = 4", "of 4 rows of space 1 there are 5"),
      ("UPDATE spaces SET cut = x'ff'", "row 1 of spaces"),
      ("UPDATE spaces SET cut = x''", "the history of space 1"),
      (
        "UPDATE spaces SET floor = CAST(substr(floor, 1, length(floor) - 1) || x'7f' AS BLOB)",
        "its vectors"
      ),
      (
        "UPDATE spaces SET cut = CAST(substr(cut, 1, length(cut) - 1) || x'7f' AS BLOB)",
        "its vectors"
      ),
      ("DELETE FROM history", "the history of space 1"),
    ])
  func lostRow(sql: String, what: String) throws {
    do {
      let store = try Store(directory: directory.store)
      var author = try fill(store)
      try store.commit([author.change([.name("after")])])
    }
    raw().execute(sql)
    let loaded = try Store(directory: directory.store).loadReadable()
    #expect(loaded.spaces.isEmpty && loaded.damaged.count == 1)
    let found = try #require(loaded.damaged.first?.what)
    #expect(found.hasPrefix(what), "\(found)")
  }

  @Test("a commit that fails forgets what it gave up")
  func failedCommit() throws {
    let store = try Store(directory: directory.store)
    var author = Author(space: space, replica: store.replica)
    try store.commit([author.makeMembers()])
    try store.commit([author.change([.existence(AnchorID(1), Existence(created: 1, deleted: 2))])])
    var other = Author(space: SpaceID(9), replica: store.replica)
    var bad = try other.change([.name("twice")])
    bad.changes += bad.changes
    let writes = author.giveUp()
    #expect(throws: StoreError.self) { try store.commit([writes, bad]) }
    #expect(try store.changes(of: space).count == 2)
    #expect(try store.load().count == 1)
    try store.commit([writes])
    #expect(try store.changes(of: space).isEmpty)
    #expect(try store.load().first?.cut == author.cut)
  }

  @Test(
    "where much of the history stays, the rows of its anchors go together, and are not seen before")
  func sweptLater() throws {
    var author = Author(space: space, replica: ReplicaID(1))
    var changes = try author.makeMembers().changes.map(\.change)
    for number in 0..<8_000 {
      let anchor = AnchorID(UInt128(number % 10 + 1))
      changes += try author.change([.metadata(anchor, Key("n"), .int(Int64(number)))])
        .changes.map(\.change)
    }
    var store: Store? = try Store(directory: directory.store)
    try store!.commit([author.state.allWrites(history: author.state.vector, changes: changes)])
    for (cut, rows) in [(1_001, 8_000), (1_101, 8_000), (2_001, 6_000), (7_001, 1_000)] {
      author.cut[ReplicaID(1)] = UInt64(cut)
      try store!.commit([
        author.state.writes(
          touched: Touched(), history: author.state.vector, changes: [], cut: author.cut)
      ])
      #expect(raw().integer("SELECT count(*) FROM history") == 8_001 - cut)
      #expect(raw().integer("SELECT count(*) FROM anchor_history") == rows)
      store = nil
      store = try Store(directory: directory.store)
      #expect(try store!.load().first?.cut == author.cut)
      let kept = try (0..<10).flatMap { try store!.changes(of: space, slot: $0) }
      #expect(kept.count == 8_001 - cut)
    }
  }
}
