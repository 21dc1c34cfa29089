import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// What a store does when it cannot do what it should.
struct StoreRefusalTests {
  let directory = TemporaryDirectory()
  let space = SpaceID(7)

  /// Opens a store with one anchor and closes it.
  private func fill() throws -> Author {
    var author = Author(space: space, replica: ReplicaID(1))
    let store = try Store(directory: directory.store)
    for number in 1...3 {
      try store.commit([
        author.change([.existence(AnchorID(UInt128(number)), Existence(created: 1))])
      ])
    }
    return author
  }

  @Test func aSecondOpenerIsRefusedAndTheFirstGoesOn() throws {
    let first = try Store(directory: directory.store)
    #expect(throws: StoreError.inUse(path: directory.store)) {
      try Store(directory: directory.store)
    }
    var author = Author(space: space, replica: ReplicaID(1))
    try first.commit([author.change([.name("still open")])])
    #expect(try first.load()[0].state.name == "still open")
  }

  @Test func theLockGoesWithItsHolder() throws {
    var first: Store? = try Store(directory: directory.store)
    let replica = first!.replica
    first = nil
    #expect(try Store(directory: directory.store).replica == replica)
  }

  @Test func aFileIsNoStore() throws {
    try Data("text".utf8).write(to: URL(fileURLWithPath: directory.store))
    #expect(throws: StoreError.notADirectory(path: directory.store)) {
      try Store(directory: directory.store)
    }
    #expect(throws: StoreError.notADirectory(path: directory.store + "/below")) {
      try Store(directory: directory.store + "/below")
    }
    #expect(try String(contentsOfFile: directory.store, encoding: .utf8) == "text")
  }

  @Test func `H16: a newer format is left untouched`() throws {
    _ = try fill()
    RawDatabase(directory.database).execute("PRAGMA user_version = 5")
    let before = try Data(contentsOf: URL(fileURLWithPath: directory.database))
    #expect(throws: StoreError.newer(path: directory.store, version: 5)) {
      try Store(directory: directory.store)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.database)) == before)
  }

  @Test func aFormatOfAPreviewIsLeftUntouched() throws {
    _ = try fill()
    RawDatabase(directory.database).execute("PRAGMA user_version = 1")
    let before = try Data(contentsOf: URL(fileURLWithPath: directory.database))
    let expected = StoreError.older(path: directory.store, version: 1)
    #expect(throws: expected) { try Store(directory: directory.store) }
    #expect(expected.description.contains("written by a preview"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.database)) == before)
  }

  @Test func aFormatBelowTheFirstIsDamage() throws {
    _ = try fill()
    RawDatabase(directory.database).execute("PRAGMA user_version = 0")
    #expect(
      throws: StoreError.damaged(path: directory.store, what: "its format version is 0")
    ) { try Store(directory: directory.store) }
  }

  @Test func aDatabaseOfAnotherProgramIsLeftUntouched() throws {
    try FileManager.default.createDirectory(
      atPath: directory.store, withIntermediateDirectories: true)
    RawDatabase(directory.database).execute(
      "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
    let before = try Data(contentsOf: URL(fileURLWithPath: directory.database))
    #expect(throws: StoreError.foreign(path: directory.store)) {
      try Store(directory: directory.store)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.database)) == before)
  }

  @Test func textInPlaceOfTheDatabaseIsNamed() throws {
    try FileManager.default.createDirectory(
      atPath: directory.store, withIntermediateDirectories: true)
    let text = Data(String(repeating: "not a database ", count: 100).utf8)
    try text.write(to: URL(fileURLWithPath: directory.database))
    #expect {
      try Store(directory: directory.store)
    } throws: { error in
      if case .damaged(directory.store, _)? = error as? StoreError { true } else { false }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory.database)) == text)
  }

  @Test(arguments: [
    ("UPDATE anchors SET record = x'00ff' WHERE key & 3 = 1", "row 1 of space 1"),
    ("DELETE FROM anchors WHERE key & 3 = 1", "row 1 of space 1 is missing"),
    // A row without registers, and one that repeats another's.
    ("UPDATE anchors SET record = x'000000' WHERE key & 3 = 1", "row 1 of space 1"),
    (
      "UPDATE anchors SET record = (SELECT record FROM anchors WHERE key & 3 = 0) WHERE key & 3 = 1",
      "row 1 of space 1"
    ),
    (
      "UPDATE spaces SET record = (SELECT record FROM anchors WHERE key & 3 = 0)", "row 1 of spaces"
    ),
    ("UPDATE spaces SET vector = vector || x'00'", "row 1 of spaces"),
    ("UPDATE spaces SET vector = x'00'", "a write of change 1 of"),
    ("UPDATE spaces SET id = x'00'", "row 1 of spaces"),
  ])
  func damageIsNamed(sql: String, expected: String) throws {
    _ = try fill()
    RawDatabase(directory.database).execute(sql)
    let store = try Store(directory: directory.store)
    #expect {
      try store.load()
    } throws: { error in
      switch error as? StoreError {
      case .damaged(_, let what): return what.hasPrefix(expected)
      case .damagedSpace(_, space, let what): return what.hasPrefix(expected)
      default: return false
      }
    }
  }

  @Test func aFailedCommitLeavesNothingAndTheNextOneWorks() throws {
    var author = Author(space: space, replica: ReplicaID(1))
    let store = try Store(directory: directory.store)
    // Another connection holds the write lock, as a backup program might.
    let holder = RawDatabase(directory.database)
    holder.execute("BEGIN IMMEDIATE")
    let writes = try author.change([.name("first")])
    #expect(throws: StoreError.self) { try store.commit([writes]) }
    #expect(try store.load().isEmpty)

    holder.execute("COMMIT")
    try store.commit([writes])
    #expect(try store.load()[0].state.digest == author.state.digest)
  }
}
