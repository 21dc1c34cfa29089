import CSQLite
import Foundation
import HyperbasisCore
import Testing

@testable import HyperbasisStore

/// H19: a log that is damaged after its process was killed is noticed, and no sequence number is given twice.
@Suite struct LogMarkTests {
  private let directory = TemporaryDirectory()
  private var log: URL { URL(fileURLWithPath: directory.database + "-wal") }

  private func mark(boot: UInt128 = 1) throws -> LogMark {
    try #require(LogMark(directory: directory.store, boot: boot))
  }

  /// As a killed process leaves a store: open, and with commits in the log. Returns the frames of the log.
  private func kill(rows: Int = 20, isInDatabase: Bool = false) throws -> Int {
    var handle: OpaquePointer?
    #expect(sqlite3_open(directory.database, &handle) == SQLITE_OK)
    let open = """
      UPDATE meta SET value = CAST(substr(value, 1, 64) || x'00' AS BLOB) WHERE key = 'continuation'
      """
    #expect(sqlite3_exec(handle, open, nil, nil, nil) == SQLITE_OK)
    for row in 0..<rows {
      let put = "INSERT OR REPLACE INTO meta VALUES ('test\(row % 7)', zeroblob(\(row * 300)))"
      #expect(sqlite3_exec(handle, put, nil, nil, nil) == SQLITE_OK)
    }
    var (frames, moved): (Int32, Int32) = (0, 0)
    if isInDatabase {
      sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &moved)
      #expect(frames == moved && frames > 0)
    }
    // Who closes a database takes its log away.
    let files = try [URL(fileURLWithPath: directory.database), log].map {
      ($0, try Data(contentsOf: $0))
    }
    sqlite3_close(handle)
    for (url, bytes) in files { try bytes.write(to: url) }
    let count = WriteAheadLog.frames(at: log.path)
    if isInDatabase { #expect(count == Int(frames)) }
    let reach = LogMark.Reach(
      frames: count, isInDatabase: isInDatabase, salts: WriteAheadLog.salts(at: log.path))
    try mark().tell(reach, #require(Continuation.number(in: directory.store)))
    return count
  }

  private func kept() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.store)
      .filter { $0.hasPrefix("damaged-") }
  }

  @Test func `frames are counted as SQLite reads them, wherever the log is damaged`() throws {
    _ = try Store(directory: directory.store, boot: 1)
    let count = try kill()
    #expect(count > 20)
    let sound = try Data(contentsOf: log)
    var lost = 0
    for part in 0..<40 {
      var damaged = sound
      let place = (sound.count - 1) * part / 39
      damaged[place] ^= 4
      try damaged.write(to: log)
      let frames = WriteAheadLog.frames(at: log.path)
      // A copy, so that nothing is moved out of the log.
      let copy = directory.path + "/copy\(part)"
      try FileManager.default.copyItem(atPath: directory.store, toPath: copy)
      var handle: OpaquePointer?
      #expect(sqlite3_open(copy + "/store.sqlite", &handle) == SQLITE_OK)
      #expect(sqlite3_exec(handle, "SELECT * FROM meta", nil, nil, nil) == SQLITE_OK)
      var (read, moved): (Int32, Int32) = (0, 0)
      sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &read, &moved)
      sqlite3_close(handle)
      #expect(frames == Int(max(0, read)), "byte \(place) of \(sound.count)")
      if frames < count { lost += 1 }
    }
    #expect(lost > 30)
  }

  @Test func `H19: a damaged log makes another replica, and is kept`() throws {
    var store: Store? = try Store(directory: directory.store, boot: 1)
    let before = store!.replica
    store = nil
    for damage: (inout Data) -> Void in [
      { $0[$0.count - 3_000] ^= 1 }, { $0[5] ^= 1 }, { $0 = Data() },
    ] {
      let count = try kill()
      var bytes = try Data(contentsOf: log)
      damage(&bytes)
      try bytes.write(to: log)
      #expect(WriteAheadLog.frames(at: log.path) < count)
      let known = try kept().count
      store = try Store(directory: directory.store, boot: 1)
      #expect(store!.breach == .logDamaged && store!.replica != before)
      #expect(try store!.identityChange()?.reason == .logDamaged)
      #expect(try kept().count == known + 1)
      store = nil
      #expect(try Store(directory: directory.store, boot: 1).breach == nil)
    }
    // So does one that is gone.
    _ = try kill()
    try FileManager.default.removeItem(at: log)
    #expect(try Store(directory: directory.store, boot: 1).breach == .logDamaged)
  }

  @Test func `H12: a sound log of a killed process keeps the replica`() throws {
    let first = try Store(directory: directory.store, boot: 1).replica
    for rows in [1, 20, 3] {
      _ = try kill(rows: rows)
      let store = try Store(directory: directory.store, boot: 1)
      #expect(store.replica == first && store.breach == nil)
    }
    #expect(try kept().isEmpty)
  }

  @Test func `H19: where the database has all of a damaged log nothing is lost`() throws {
    let first = try Store(directory: directory.store, boot: 1).replica
    _ = try kill(isInDatabase: true)
    var bytes = try Data(contentsOf: log)
    // The first frames stay: they would hide later pages of the database.
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: log)
    let store = try Store(directory: directory.store, boot: 1)
    #expect(store.replica == first && store.breach == nil)
    #expect(try kept().count == 1)
    #expect(
      RawDatabase(directory.database).integer("SELECT length(value) FROM meta WHERE key = 'test5'")
        == 5_700)
  }

  @Test func `a mark of another file or another start of the system says nothing`() throws {
    _ = try Store(directory: directory.store, boot: 1)
    try mark().tell(LogMark.Reach(frames: 9, isInDatabase: false), 5)
    #expect(try mark().last?.reach == LogMark.Reach(frames: 9, isInDatabase: false))
    #expect(try mark(boot: 2).last == nil)
    let path = LogMark.path(in: directory.store)
    try mark().tell(LogMark.Reach(frames: 9, isInDatabase: false), 5)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let kept = directory.path + "/kept"
    try FileManager.default.moveItem(atPath: path, toPath: kept)
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try mark().last == nil)
    for bytes in [Data(), Data("text".utf8), bytes + Data([0])] {
      try bytes.write(to: URL(fileURLWithPath: path))
      #expect(try mark().last == nil)
    }
    // What is no file is no mark, and hinders nothing.
    try FileManager.default.removeItem(atPath: path)
    mkfifo(path, 0o600)
    #expect(LogMark(directory: directory.store, boot: 1) == nil)
    #expect(try Store(directory: directory.store, boot: 1).breach == nil)
  }

  @Test func `H17: a log that closing leaves is not said to be gone`() throws {
    var store: Store? = try Store(directory: directory.store, boot: 1)
    var author = Author(space: SpaceID(7), replica: store!.replica)
    for number in 0..<9 {
      try store!.commit([author.change([.name(Key("name \(number)"))])])
    }
    // Who reads keeps SQLite from taking the log away.
    var handle: OpaquePointer?
    #expect(sqlite3_open(directory.database, &handle) == SQLITE_OK)
    #expect(sqlite3_exec(handle, "BEGIN; SELECT * FROM meta", nil, nil, nil) == SQLITE_OK)
    store = nil
    #expect(try mark().last?.reach.frames == WriteAheadLog.frames(at: log.path))
    sqlite3_close_v2(handle)
  }

  @Test func `H12: a log that begins anew with a large commit is told as another one`() throws {
    let store = try Store(directory: directory.store, boot: 1)
    var author = Author(space: SpaceID(7), replica: store.replica)
    let text = String(repeating: "x", count: 60_000)
    try store.commit([author.change([.metadata(AnchorID(1), "k", .string(text))])])
    let told = try #require(try mark().last?.reach)
    #expect(told.frames == WriteAheadLog.frames(at: log.path) && told.frames > 9)
    #expect(told.salts == WriteAheadLog.salts(at: log.path))
  }

  @Test func `each commit is told, and so is a log that is no more needed`() throws {
    let store = try Store(directory: directory.store, boot: 1)
    var author = Author(space: SpaceID(7), replica: store.replica)
    for number in 0..<1_200 {
      try store.commit([author.change([.name(Key("name \(number)"))])])
      if number % 100 == 7 {
        let told = try #require(try mark().last)
        #expect(told.reach.frames == WriteAheadLog.frames(at: log.path), "commit \(number)")
        #expect(told.reach.salts == WriteAheadLog.salts(at: log.path), "commit \(number)")
      }
    }
    store.shortenLog()
    #expect(try mark().last?.reach.frames == 0)
    #expect(WriteAheadLog.frames(at: log.path) == 0)
  }
}
