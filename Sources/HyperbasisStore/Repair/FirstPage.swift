import Foundation

/// The first page of a database says where the tables are, which in each store is the same.
enum FirstPage {
  /// Puts the first page of a new store in the place of a damaged one. What the tables then hold is
  /// checked when it is read.
  ///
  /// - Throws: `StoreError` when no new store can be made.
  static func transplant(_ files: RepairFiles) throws(StoreError) {
    try makeTemplate(files)
    do {
      let template = try Data(contentsOf: URL(fileURLWithPath: files.template))
      let pageBytes = Int(template[16]) << 8 | Int(template[17])
      let copy = try FileHandle(forUpdating: URL(fileURLWithPath: files.copy))
      defer { try? copy.close() }
      let count = UInt32(clamping: max(1, Int(try copy.seekToEnd()) / pageBytes))
      var page = Data(template.prefix(pageBytes))
      // The number of pages, and no list of free ones.
      for (index, byte) in withUnsafeBytes(of: count.bigEndian, Array.init).enumerated() {
        page[28 + index] = byte
      }
      for index in 32..<40 { page[index] = 0 }
      try copy.seek(toOffset: 0)
      try copy.write(contentsOf: page)
    } catch {
      throw .failed(path: files.directory, reason: "\(error)")
    }
  }

  private static func makeTemplate(_ files: RepairFiles) throws(StoreError) {
    let database = try Database(file: files.template, directory: files.directory)
    try Store.prepare(database, directory: files.directory)
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
