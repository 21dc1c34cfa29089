internal import CSQLite
import Foundation

/// SQLite as it comes, with the least that keeps anchors: one table, a row of bytes for each, a prepared statement,
/// and each transaction on the disk when it returns.
///
/// No history, no vectors, no ids that are looked up: the caller knows the number of a row.
final class PlainSQLite {
  private var database: OpaquePointer?
  private var put: OpaquePointer?

  /// - Throws: `BenchmarkError`.
  init(directory: URL) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    try check(
      sqlite3_open_v2(directory.appendingPathComponent("plain.sqlite").path, &database, flags, nil))
    try execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE anchors (key INTEGER PRIMARY KEY, record BLOB NOT NULL);
      """)
    try check(
      sqlite3_prepare_v2(
        database, "INSERT OR REPLACE INTO anchors (key, record) VALUES (?1, ?2)", -1, &put, nil))
  }

  deinit {
    sqlite3_finalize(put)
    sqlite3_close_v2(database)
  }

  func transaction(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    try body()
    try execute("COMMIT")
  }

  /// Writes a row; without a transaction it is one.
  func write(_ record: [UInt8], to row: Int) throws {
    sqlite3_bind_int64(put, 1, Int64(row))
    try record.withUnsafeBytes { bytes in
      // Nothing is copied: the row is written before the bytes go.
      sqlite3_bind_blob64(put, 2, bytes.baseAddress, UInt64(bytes.count), nil)
      let code = sqlite3_step(put)
      sqlite3_reset(put)
      try check(code == SQLITE_DONE ? SQLITE_OK : code)
    }
  }

  private func execute(_ sql: String) throws {
    try check(sqlite3_exec(database, sql, nil, nil, nil))
  }

  private func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw BenchmarkError("plain SQLite: \(String(cString: sqlite3_errmsg(database)))")
  }
}
