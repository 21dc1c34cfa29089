import CSQLite
import Foundation
import HyperbasisCore
import Testing

@testable import HyperbasisStore

/// H19: a log that is not the one which the last commit wrote.
@Suite struct OtherLogTests {
  /// A store with a space, closed; with `leavesLog` as a killed process leaves it. Returns its device.
  private func make(
    _ directory: TemporaryDirectory, space: SpaceID, commits: Int, leavesLog: Bool
  ) throws -> DeviceID {
    var store: Store? = try Store(directory: directory.store, boot: 1)
    let device = store!.device
    var author = Author(space: space, replica: store!.replica)
    try store!.commit([author.change([.name(Key("of \(space)"))])])
    store = nil
    guard leavesLog else { return device }
    store = try Store(directory: directory.store, boot: 1)
    _ = try store!.load()
    for number in 0..<commits {
      try store!.commit([author.change([.name(Key("name \(number)"))])])
    }
    let names = ["store.sqlite", "store.sqlite-wal", "log-mark", "continuation"]
    let files = try names.map {
      try Data(contentsOf: URL(fileURLWithPath: directory.store + "/" + $0))
    }
    store = nil
    for (name, bytes) in zip(names, files) {
      // In place: the mark stays the same file.
      if name == "log-mark" || name == "continuation" {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.store + "/" + name))
        try file.write(contentsOf: bytes)
        try file.close()
      } else {
        try bytes.write(to: URL(fileURLWithPath: directory.store + "/" + name))
      }
    }
    return device
  }

  @Test(arguments: [false, true])
  func `H19: the longer log of another store is not taken for this one's`(isKilled: Bool) throws {
    let (mine, other) = (TemporaryDirectory(), TemporaryDirectory())
    let device = try make(mine, space: SpaceID(7), commits: 2, leavesLog: isKilled)
    _ = try make(other, space: SpaceID(8), commits: 9, leavesLog: true)
    let log = mine.database + "-wal"
    try? FileManager.default.removeItem(atPath: log)
    try FileManager.default.copyItem(atPath: other.database + "-wal", toPath: log)
    let store = try Store(directory: mine.store, boot: 1)
    #expect(store.device == device)
    #expect(try store.load().map(\.state.id) == [SpaceID(7)])
  }

  @Test func `H19: a mark of an earlier round throws no sound log away`() throws {
    let mine = TemporaryDirectory()
    let first = try Store(directory: mine.store, boot: 1).replica
    // As a killed process leaves a store, with a commit in the log.
    var handle: OpaquePointer?
    #expect(sqlite3_open(mine.database, &handle) == SQLITE_OK)
    for sql in [
      "UPDATE meta SET value = CAST(substr(value, 1, 64) || x'00' AS BLOB) WHERE key = 'continuation'",
      "INSERT INTO meta VALUES ('test', zeroblob(300))",
    ] {
      #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }
    let files = try [mine.database, mine.database + "-wal"].map {
      (URL(fileURLWithPath: $0), try Data(contentsOf: URL(fileURLWithPath: $0)))
    }
    sqlite3_close(handle)
    for (url, bytes) in files { try bytes.write(to: url) }
    // As where the mark could not be written since the log before was in the database.
    do {
      let mark = try #require(LogMark(directory: mine.store, boot: 1))
      mark.tell(LogMark.Reach(frames: 1_000, isInDatabase: true, salts: 7), 9)
    }
    let store = try Store(directory: mine.store, boot: 1)
    let rows = try store.database.integer("SELECT count(*) FROM meta WHERE key = 'test'")
    #expect(rows == 1 || (store.breach == .logDamaged && store.replica != first))
  }

  @Test(arguments: ["plain", "a b%41?#é", "file:x"])
  func `what a database notes without its log is read whatever its path`(name: String) throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/" + name
    let store = try Store(directory: path, boot: 1)
    let number = try #require(Continuation.number(in: path))
    #expect(Continuation.number(inDatabaseOf: path) == number)
    withExtendedLifetime(store) {}
  }
}
