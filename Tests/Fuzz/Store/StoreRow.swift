import CSQLite

/// A row of a table of a store, with values of any kind.
struct StoreRow {
  /// The index in ``StoreTables/tables``.
  let table: Int
  private let values: [Value]

  private enum Value {
    case blob([UInt8])
    case integer(Int64)
    case text([UInt8])
    case real(Double)
    case null
  }

  /// Takes the next row of an input: the table, then a kind for each value, with its bytes.
  init(_ feed: inout Feed) {
    table = Int(feed.byte()) % StoreTables.tables.count
    values = (0..<StoreTables.tables[table].columns).map { _ in
      switch feed.byte() % 6 {
      case 0: .blob(feed.piece())
      case 1: .integer(Int64(feed.byte()))
      case 2: .integer(Int64(bitPattern: feed.number()))
      case 3: .text(feed.piece())
      case 4: .real(Double(bitPattern: feed.number()))
      default: .null
      }
    }
  }

  /// Reads the row that a statement is at.
  init(table: Int, reading row: OpaquePointer?) {
    self.table = table
    values = (0..<StoreTables.tables[table].columns).map { column in
      let column = Int32(column)
      switch sqlite3_column_type(row, column) {
      case SQLITE_INTEGER: return .integer(sqlite3_column_int64(row, column))
      case SQLITE_FLOAT: return .real(sqlite3_column_double(row, column))
      case SQLITE_NULL: return .null
      case let type:
        let count = Int(sqlite3_column_bytes(row, column))
        let bytes = Array(
          UnsafeRawBufferPointer(start: sqlite3_column_blob(row, column), count: count))
        return type == SQLITE_TEXT ? .text(bytes) : .blob(bytes)
      }
    }
  }

  /// Writes the row as ``init(_:)`` takes it.
  func write(to writer: inout FeedWriter) {
    writer.byte(UInt8(table))
    for value in values {
      switch value {
      case .blob(let bytes):
        writer.byte(0)
        writer.piece(bytes)
      case .integer(let integer):
        if let byte = UInt8(exactly: integer) {
          writer.byte(1)
          writer.byte(byte)
        } else {
          writer.byte(2)
          writer.number(UInt64(bitPattern: integer))
        }
      case .text(let bytes):
        writer.byte(3)
        writer.piece(bytes)
      case .real(let real):
        writer.byte(4)
        writer.number(real.bitPattern)
      case .null: writer.byte(5)
      }
    }
  }

  func insert(by statement: OpaquePointer?) {
    for (index, value) in values.enumerated() {
      let index = Int32(index + 1)
      switch value {
      case .blob(let bytes):
        sqlite3_bind_blob64(
          statement, index, bytes, UInt64(bytes.count), hb_sqlite_transient())
      case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
      case .text(let bytes):
        bytes.withUnsafeBytes { bytes in
          let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
          sqlite3_bind_text(statement, index, start, Int32(bytes.count), hb_sqlite_transient())
        }
      case .real(let real): sqlite3_bind_double(statement, index, real)
      case .null: sqlite3_bind_null(statement, index)
      }
    }
    sqlite3_step(statement)
    sqlite3_reset(statement)
  }
}
