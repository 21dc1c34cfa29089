import CSQLite
import Foundation

/// A SQLite connection of the fuzzer's own, on a database in memory, to make files for a store.
final class StoreImage {
  private var handle: OpaquePointer?
  private var inserts: [OpaquePointer?] = []

  /// The tables of a store, in the order of the rows of an input, with the count of their columns.
  static let tables: [(name: String, columns: Int)] = [
    ("spaces", 9), ("anchors", 2), ("replicas", 2), ("history", 4), ("anchor_history", 4),
    ("meta", 2), ("peers", 5), ("maps", 2), ("chunks", 3), ("whole_maps", 3),
  ]

  /// - Throws: `Finding` where the bytes are no store.
  init(_ file: [UInt8]) throws {
    try expect(sqlite3_open(":memory:", &handle) == SQLITE_OK, "a database in memory opens")
    let copy = sqlite3_malloc64(UInt64(file.count)).assumingMemoryBound(to: UInt8.self)
    file.withUnsafeBufferPointer { copy.update(from: $0.baseAddress!, count: file.count) }
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
    let code = sqlite3_deserialize(
      handle, "main", copy, Int64(file.count), Int64(file.count), flags)
    try expect(code == SQLITE_OK, "the bytes of a store are a database")
    for table in StoreImage.tables {
      let marks = Array(repeating: "?", count: table.columns).joined(separator: ",")
      inserts.append(try prepare("INSERT OR REPLACE INTO \(table.name) VALUES (\(marks))"))
    }
  }

  deinit {
    for insert in inserts { sqlite3_finalize(insert) }
    sqlite3_close(handle)
  }

  /// The file of a database that has these rows alone; what SQLite refuses of them is left out.
  func file(of rows: [StoreRow]) throws -> [UInt8] {
    try execute("BEGIN;" + StoreImage.tables.map { "DELETE FROM \($0.name);" }.joined())
    for row in rows { row.insert(by: inserts[row.table]) }
    try execute("COMMIT")
    var size: Int64 = 0
    let bytes = sqlite3_serialize(handle, "main", &size, UInt32(SQLITE_SERIALIZE_NOCOPY))
    return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
  }

  /// All rows.
  func rows() throws -> [StoreRow] {
    var rows: [StoreRow] = []
    for (index, table) in StoreImage.tables.enumerated() {
      let select = try prepare("SELECT * FROM \(table.name)")
      defer { sqlite3_finalize(select) }
      while sqlite3_step(select) == SQLITE_ROW {
        rows.append(StoreRow(table: index, reading: select))
      }
    }
    return rows
  }

  private func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    try expect(code == SQLITE_OK, "the fuzzer's own database works: \(sql)")
  }

  private func prepare(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    try expect(code == SQLITE_OK, "the tables are those of a store: \(sql)")
    return statement
  }
}
