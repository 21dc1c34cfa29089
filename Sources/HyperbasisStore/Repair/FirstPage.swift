/// The first page of a database says where the tables are, which in each store is the same.
enum FirstPage {
  /// The first page of a new store, to stand in the place of a damaged one. What the tables then hold is
  /// checked when it is read.
  ///
  /// It says that the database has no write-ahead log.
  ///
  /// - Throws: `StoreError` when no new store can be made.
  static func new(forFileOf byteCount: Int, directory: String) throws(StoreError) -> [UInt8] {
    let template = try Database(file: ":memory:", directory: directory)
    try Store.prepare(template, directory: directory)
    let file = try template.serialized()
    let pageBytes = Int(file[16]) << 8 | Int(file[17])
    var page = Array(file.prefix(pageBytes))
    // The number of pages, and no list of free ones.
    let count = UInt32(clamping: max(1, byteCount / pageBytes))
    for (index, byte) in withUnsafeBytes(of: count.bigEndian, Array.init).enumerated() {
      page[28 + index] = byte
    }
    for index in 32..<40 { page[index] = 0 }
    return page
  }
}
