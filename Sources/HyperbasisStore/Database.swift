import CSQLite
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// The one owner of a SQLite connection: every call's result is checked. Used by one thread at a time.
final class Database {
  /// For this file, and for tests that write what no store does.
  let handle: OpaquePointer
  /// The store's directory, for errors.
  let path: String
  /// Statements that nobody uses just now, by their text: to prepare one costs more than most runs.
  private var idle: [String: OpaquePointer] = [:]
  /// Statements that are kept at most: more than a store has.
  private static let idleLimit = 96
  /// Told how far the write-ahead log reaches, after each commit.
  var logMark: LogMark?
  /// Frames of the log that are enough to have them be in the database, as SQLite has it.
  private static let logFrames: Int32 = 1_000

  /// Opens or creates the database file; a read-only one must be there.
  ///
  /// - Throws: `StoreError` when the file cannot be opened or is no database.
  init(file: String, directory: String, isReadOnly: Bool = false, isURI: Bool = false)
    throws(StoreError)
  {
    var opened: OpaquePointer?
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let flags = access | SQLITE_OPEN_NOMUTEX | (isURI ? SQLITE_OPEN_URI : 0)
    let code = sqlite3_open_v2(file, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let error = StoreError(code: code, handle: opened, path: directory)
      sqlite3_close_v2(opened)
      throw error
    }
    sqlite3_extended_result_codes(opened, 1)
    handle = opened
    path = directory
    sqlite3_wal_hook(
      handle,
      { database, _, _, frames in
        Unmanaged<Database>.fromOpaque(database!).takeUnretainedValue().logHas(frames)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Opens a database file as it is, read only, without its log.
  convenience init(alone file: String, directory: String) throws(StoreError) {
    guard let path = file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) else {
      throw .failed(path: directory, reason: "its path is no text")
    }
    try self.init(
      file: "file:\(path)?immutable=1", directory: directory, isReadOnly: true, isURI: true)
  }

  /// Opens a database in memory that begins as this file.
  ///
  /// - Throws: `StoreError` when memory is short; what the bytes are worth shows when they are read.
  convenience init(inMemory file: [UInt8], directory: String) throws(StoreError) {
    try self.init(file: ":memory:", directory: directory)
    guard let copy = sqlite3_malloc64(UInt64(file.count)) else { throw error(SQLITE_NOMEM) }
    file.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    // SQLite frees the copy, also where it refuses it.
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
    let count = Int64(file.count)
    let code = sqlite3_deserialize(
      handle, "main", copy.assumingMemoryBound(to: UInt8.self), count, count, flags)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// The bytes of a database in memory, as its file would be.
  func serialized() throws(StoreError) -> [UInt8] {
    var count: Int64 = 0
    guard let bytes = sqlite3_serialize(handle, "main", &count, 0) else {
      throw error(SQLITE_NOMEM)
    }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  deinit {
    for statement in idle.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
    logMark?.noteClosed(number: Continuation.number(in: path))
  }

  /// Runs statements that give no rows.
  func execute(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// The single integer that a pragma or query gives.
  func integer(_ sql: String) throws(StoreError) -> Int64 {
    let statement = try Statement(sql, in: self)
    guard try statement.step() else { return 0 }
    return statement.integer(0)
  }

  /// The key of the last row that was inserted; an update and a replaced row leave it.
  var lastInserted: Int64 {
    get { sqlite3_last_insert_rowid(handle) }
    set { sqlite3_set_last_insert_rowid(handle, newValue) }
  }

  /// How many rows the last statement inserted, changed or deleted.
  var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Has the frames of the log be in the database, as far as nobody reads them; with `TRUNCATE` the log is of no bytes
  /// then. Returns whether all are.
  @discardableResult
  func checkpoint(_ mode: Int32 = SQLITE_CHECKPOINT_PASSIVE) -> Bool {
    var (frames, moved): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &frames, &moved)
    guard code == SQLITE_OK, frames >= 0, frames == moved else { return false }
    logMark?.note(frames: Int(frames), isInDatabase: true)
    return true
  }

  /// A commit was added to the log.
  private func logHas(_ frames: Int32) {
    if frames >= Database.logFrames, checkpoint() { return }
    logMark?.note(frames: Int(frames), isInDatabase: false)
  }

  func damaged(_ what: String) -> StoreError { .damaged(path: path, what: what) }

  fileprivate func error(_ code: Int32) -> StoreError {
    StoreError(code: code, handle: handle, path: path)
  }

  /// A statement that is ready to be run, and nobody else's until ``giveBack(_:of:)``.
  fileprivate func take(_ sql: String) throws(StoreError) -> OpaquePointer {
    if let kept = idle.removeValue(forKey: sql) { return kept }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw error(code) }
    return prepared
  }

  fileprivate func giveBack(_ statement: OpaquePointer, of sql: String) {
    guard idle.count < Database.idleLimit, idle[sql] == nil else {
      sqlite3_finalize(statement)
      return
    }
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    idle[sql] = statement
  }
}

/// A prepared statement. Its database keeps it for the next one with the same text: numbers and texts are
/// bound, not written into it.
final class Statement {
  private let database: Database
  private let sql: String
  private let handle: OpaquePointer

  init(_ sql: String, in database: Database) throws(StoreError) {
    handle = try database.take(sql)
    self.sql = sql
    self.database = database
  }

  deinit {
    database.giveBack(handle, of: sql)
  }

  /// Binds the next run's values, from 1.
  @discardableResult
  func bind(_ index: Int32, _ number: Int64) -> Statement {
    sqlite3_bind_int64(handle, index, number)
    return self
  }

  @discardableResult
  func bind(_ index: Int32, text: String) -> Statement {
    sqlite3_bind_text(handle, index, text, -1, hb_sqlite_transient())
    return self
  }

  @discardableResult
  func bind(_ index: Int32, _ bytes: [UInt8]) -> Statement {
    // A zero-length blob needs a non-null pointer, or SQLite stores NULL.
    _ =
      bytes.isEmpty
      ? sqlite3_bind_zeroblob(handle, index, 0)
      : sqlite3_bind_blob64(
        handle, index, bytes, UInt64(bytes.count), hb_sqlite_transient())
    return self
  }

  /// Binds a column of another statement's row as it is.
  @discardableResult
  func bind(_ index: Int32, column: Int32, of row: Statement) -> Statement {
    sqlite3_bind_value(handle, index, sqlite3_column_value(row.handle, column))
    return self
  }

  /// Goes to the next row; false when there is none, and the statement is then ready again.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    sqlite3_reset(handle)
    guard code == SQLITE_DONE else { throw database.error(code) }
    return false
  }

  /// Runs a statement that gives no rows.
  func run() throws(StoreError) {
    while try step() {}
  }

  func reset() {
    sqlite3_reset(handle)
  }

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  func bytes(_ column: Int32) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(handle, column))
    guard count > 0, let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}

extension StoreError {
  /// What a SQLite result code means for a store.
  fileprivate init(code: Int32, handle: OpaquePointer?, path: String) {
    let text = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
    // A file that cannot grow is an I/O error to SQLite, whatever the reason.
    if code & 0xFF == SQLITE_IOERR, let handle, sqlite3_system_errno(handle) == ENOSPC {
      self = .full(path: path)
      return
    }
    switch code & 0xFF {
    case SQLITE_FULL: self = .full(path: path)
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH:
      self = .notWritable(path: path, reason: text)
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(path: path, what: text)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .inUse(path: path)
    default: self = .failed(path: path, reason: text)
    }
  }
}
