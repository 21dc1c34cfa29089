import CSQLite
import HyperbasisStore

/// The tables of a store in memory, to be filled with any rows by its own connection.
final class StoreTables {
  /// The tables, in the order of the rows of an input, with the count of their columns.
  static let tables: [(name: String, columns: Int)] = [
    ("spaces", 10), ("anchors", 2), ("replicas", 2), ("history", 4), ("anchor_history", 4),
    ("meta", 2), ("peers", 5), ("maps", 2), ("chunks", 3), ("whole_maps", 3),
  ]

  /// Has the connection.
  let store: Store
  private let begin: OpaquePointer?
  private let commit: OpaquePointer?
  private let deletes: [OpaquePointer?]
  private let inserts: [OpaquePointer?]

  init(of store: Store) throws {
    self.store = store
    begin = try StoreTables.prepare("BEGIN", store)
    commit = try StoreTables.prepare("COMMIT", store)
    deletes = try StoreTables.tables.map {
      try StoreTables.prepare("DELETE FROM \($0.name)", store)
    }
    inserts = try StoreTables.tables.map { table in
      let marks = Array(repeating: "?", count: table.columns).joined(separator: ",")
      return try StoreTables.prepare(
        "INSERT OR REPLACE INTO \(table.name) VALUES (\(marks))", store)
    }
  }

  deinit {
    for statement in [begin, commit] + deletes + inserts { sqlite3_finalize(statement) }
  }

  /// Puts these rows in the place of all; what SQLite refuses of them is left out.
  func replace(by rows: [StoreRow]) throws {
    for statement in [begin] + deletes { try run(statement) }
    for row in rows { row.insert(by: inserts[row.table]) }
    try run(commit)
  }

  /// The rows of a database file, as an input has them.
  static func input(_ file: [UInt8]) throws -> [UInt8] {
    var writer = FeedWriter()
    for row in try StoreTables(of: Store(inMemory: "seed", file: file)).rows() {
      row.write(to: &writer)
    }
    return writer.bytes
  }

  /// All rows.
  private func rows() throws -> [StoreRow] {
    var rows: [StoreRow] = []
    for (index, table) in StoreTables.tables.enumerated() {
      let select = try StoreTables.prepare("SELECT * FROM \(table.name)", store)
      defer { sqlite3_finalize(select) }
      while sqlite3_step(select) == SQLITE_ROW {
        rows.append(StoreRow(table: index, reading: select))
      }
    }
    return rows
  }

  private func run(_ statement: OpaquePointer?) throws {
    sqlite3_step(statement)
    let code = sqlite3_reset(statement)
    try expect(code == SQLITE_OK, "the store has left no transaction open: \(code)")
  }

  private static func prepare(_ sql: String, _ store: Store) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(store.connection, sql, -1, &statement, nil)
    try expect(code == SQLITE_OK, "the tables are those of a store: \(sql)")
    return statement
  }
}
