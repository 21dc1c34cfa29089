import CSQLite
import Foundation
import HyperbasisStore

/// The file of a store in memory, which is written over behind the back of its connection.
///
/// SQLite tells by the change counter in the file's header that it was, as of another process, and reads all
/// pages anew. Its statements stay prepared, since the first page, with the schema, stays.
final class StoreFile {
  /// What the file is once a store has opened it.
  private(set) var bytes: [UInt8] = []
  /// Has the connection.
  let store: Store
  private var check: OpaquePointer?
  private let file: UnsafeMutablePointer<sqlite3_file>

  init(_ bytes: [UInt8]) throws {
    store = try Store(inMemory: "pages", file: bytes)
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(
      store.connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    try expect(code == SQLITE_OK && file != nil, "a store in memory has a file of SQLite's")
    self.file = file!
    let count = try store.byteCount()
    sqlite3_prepare_v2(store.connection, "PRAGMA integrity_check(1)", -1, &check, nil)
    self.bytes = try read(Int(count), at: 0)
  }

  deinit {
    sqlite3_finalize(check)
  }

  /// Opens a store on other bytes; afresh where their first page is another.
  ///
  /// - Throws: `StoreError` where the store refuses them, `Finding` where the last one left a transaction open.
  func open(_ other: [UInt8]) throws -> Store {
    try replace(by: other) ? Store(reopening: store) : Store(inMemory: "pages", file: other)
  }

  /// Puts other bytes in the place of the file.
  ///
  /// - Returns: false where their first page is another; the file is then as it was.
  /// - Throws: `Finding` where the last store left a transaction open.
  func replace(by other: [UInt8]) throws -> Bool {
    let page = Int(bytes[16]) << 8
    guard other.count >= page, memcmp(other, bytes, page) == 0 else { return false }
    try expect(sqlite3_get_autocommit(store.connection) != 0, "no transaction is left open")
    var other = other
    let counter = try read(4, at: 24).reduce(0) { $0 << 8 | UInt32($1) } &+ 1
    // The second place says that the count of pages in the header is of the same time.
    for place in [24, 92] {
      for index in 0..<4 {
        other[place + index] = UInt8(truncatingIfNeeded: counter >> (24 - 8 * index))
      }
    }
    let methods = file.pointee.pMethods.pointee
    let isWritten =
      methods.xWrite(file, other, Int32(other.count), 0) == SQLITE_OK
      && methods.xTruncate(file, Int64(other.count)) == SQLITE_OK
    try expect(isWritten, "the file in memory can be written")
    return true
  }

  /// Whether all rows of all tables and indices are where they are looked for.
  func hasSoundTrees() throws -> Bool {
    sqlite3_reset(check)
    guard sqlite3_step(check) == SQLITE_ROW, let text = sqlite3_column_text(check, 0) else {
      return false
    }
    defer { sqlite3_reset(check) }
    return String(cString: text) == "ok"
  }

  private func read(_ count: Int, at offset: Int64) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let code = file.pointee.pMethods.pointee.xRead(file, &bytes, Int32(count), offset)
    try expect(code == SQLITE_OK, "the file in memory can be read")
    return bytes
  }
}
