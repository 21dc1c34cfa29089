import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// H10, H11, H12: when a store goes on under its replica id, and when it takes a new one.
@Suite struct IdentityTests {
  private let directory = TemporaryDirectory()

  /// Opens the store and closes it.
  private func open(
    _ path: String? = nil, boot: UInt128 = 1
  ) throws -> (replica: ReplicaID, breach: IdentityBreach?) {
    let store = try Store(directory: path ?? directory.store, boot: boot)
    return (store.replica, store.breach)
  }

  private func copy(_ source: String, to target: String) throws {
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  /// As `cp` does onto a file that is there: the file stays the same one.
  private func overwrite(_ target: String, with source: String) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: source))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: target))
    try file.write(contentsOf: bytes)
    try file.truncate(atOffset: UInt64(bytes.count))
    try file.close()
  }

  @Test func `H12: ordinary restarts keep the replica id`() throws {
    let first = try open().replica
    for start in 0..<1_000 {
      let (replica, breach) = try open(boot: UInt128(start / 10))
      #expect(replica == first && breach == nil)
    }
    #expect(try Store(directory: directory.store, boot: 1).identityChange() == nil)
  }

  @Test func `H11: a copied directory is another replica, and the original stays who it is`() throws
  {
    let original = try open().replica
    let other = directory.path + "/copy"
    try copy(directory.store, to: other)
    let (replica, breach) = try open(other)
    #expect(replica != original && breach == .copied)
    #expect(try open(other).replica == replica)
    #expect(try open().replica == original)
    let change = try #require(try Store(directory: other, boot: 1).identityChange())
    #expect(change.previous == original && change.reason == .copied)
  }

  @Test func `H10: a backup in place of the directory is another replica`() throws {
    let original = try open().replica
    let backup = directory.path + "/backup"
    try copy(directory.store, to: backup)
    #expect(try open().replica == original)
    try FileManager.default.removeItem(atPath: directory.store)
    try copy(backup, to: directory.store)
    #expect(try open().breach == .copied)
  }

  @Test(arguments: [["store.sqlite"], ["continuation"], ["store.sqlite", "continuation"]])
  func `H10: files written over by those of a backup make another replica`(names: [String]) throws {
    _ = try open()
    let backup = directory.path + "/backup"
    try copy(directory.store, to: backup)
    _ = try open()
    for name in names {
      try overwrite(directory.store + "/" + name, with: backup + "/" + name)
    }
    #expect(try open().breach == .copied)
  }

  @Test func `H10: a backup of the session before, put in place alone, is another replica`() throws
  {
    let backup = directory.path + "/backup"
    var store: Store? = try Store(directory: directory.store, boot: 1)
    try Store.backup(directory: directory.store, to: backup)
    let replica = store!.replica
    store = nil
    try overwrite(directory.database, with: backup)
    let (next, breach) = try open()
    #expect(next != replica && breach == .copied)
  }

  @Test func `H10: a backup of this very session is another replica, also after a kill`() throws {
    let backup = directory.path + "/backup"
    let other = directory.path + "/other"
    let store = try Store(directory: directory.store, boot: 1)
    try Store.backup(directory: directory.store, to: backup)
    // As the directory is when the process is killed: nothing closed it.
    try copy(directory.store, to: other)
    for name in ["store.sqlite-wal", "store.sqlite-shm"] {
      try? FileManager.default.removeItem(atPath: other + "/" + name)
    }
    try overwrite(other + "/store.sqlite", with: backup)
    #expect(try open(other).breach == .copied)
    withExtendedLifetime(store) {}
  }

  @Test func `H10: a copy of the open directory is told from it once it was closed`() throws {
    let live = directory.path + "/live"
    var store: Store? = try Store(directory: directory.store, boot: 1)
    try copy(directory.store, to: live)
    let replica = store!.replica
    store = nil
    for name in ["store.sqlite", "store.sqlite-wal"] {
      try? FileManager.default.removeItem(atPath: directory.store + "/" + name)
      try copy(live + "/" + name, to: directory.store + "/" + name)
    }
    let (next, breach) = try open()
    #expect(next != replica && breach == .copied)
  }

  @Test func `what is no file in the place of the continuation is refused, and changes nothing`()
    throws
  {
    let replica = try open().replica
    let file = directory.store + "/continuation"
    let kept = directory.path + "/kept"
    try FileManager.default.moveItem(atPath: file, toPath: kept)
    mkfifo(file, 0o600)
    #expect(throws: StoreError.self) { try open() }
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    #expect(throws: StoreError.self) { try open() }
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: kept, toPath: file)
    // A moved file has another time of change, which is a breach of its own, once.
    let next = try open().replica
    #expect(try open().replica == next && next != replica)
  }

  @Test func `a backup written over the files although nothing happened since is a copy as well`()
    throws
  {
    _ = try open()
    let backup = directory.path + "/backup"
    try copy(directory.store, to: backup)
    for name in ["store.sqlite", "continuation"] {
      try overwrite(directory.store + "/" + name, with: backup + "/" + name)
    }
    #expect(try open().breach == .copied)
  }

  @Test func `a directory that was moved is the same`() throws {
    let original = try open().replica
    let moved = directory.path + "/moved"
    try FileManager.default.moveItem(atPath: directory.store, toPath: moved)
    #expect(try open(moved).replica == original)
  }

  /// Has the store be as a process leaves it that ended without closing it.
  private func reopenAfterKill(boot: UInt128) throws -> (
    before: ReplicaID, after: ReplicaID, breach: IdentityBreach?
  ) {
    let before = try open(boot: 1).replica
    RawDatabase(directory.database).execute(
      "UPDATE meta SET value = CAST(substr(value, 1, 64) || x'00' AS BLOB) WHERE key = 'continuation'"
    )
    let (after, breach) = try open(boot: boot)
    #expect(try open(boot: 3).replica == after)
    return (before, after, breach)
  }

  @Test func `H10: a system that went down while the store was open makes another replica`() throws
  {
    let (before, after, breach) = try reopenAfterKill(boot: 2)
    #expect(after != before && breach == .cut)
  }

  @Test func `H12: a process that was killed while the store was open is the same replica`() throws
  {
    let (before, after, breach) = try reopenAfterKill(boot: 1)
    #expect(after == before && breach == nil)
  }

  @Test func `a store without its file of continuation, or with another's, is another replica`()
    throws
  {
    let first = try open().replica
    let file = directory.store + "/continuation"
    try FileManager.default.removeItem(atPath: file)
    let second = try open().replica
    #expect(second != first)
    try Data("not ours".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try open().replica != second)
  }

  @Test(arguments: ["X''", "X'00'", "zeroblob(73)", "randomblob(300)"])
  func `a note that cannot be read proves nothing, and hinders nothing`(note: String) throws {
    let first = try open().replica
    RawDatabase(directory.database)
      .execute("UPDATE meta SET value = \(note) WHERE key = 'continuation'")
    #expect(try open().replica != first)
  }

  @Test func `an emptied store goes on under the id that it then took`() throws {
    var store: Store? = try Store(directory: directory.store, boot: 1)
    try store!.reset()
    let replica = store!.replica
    store = nil
    #expect(try open().replica == replica)
  }
}
