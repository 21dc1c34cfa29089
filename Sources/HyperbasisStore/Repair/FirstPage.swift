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
      var bytes = try Data(contentsOf: URL(fileURLWithPath: files.copy), options: .alwaysMapped)
      let template = try Data(contentsOf: URL(fileURLWithPath: files.template))
      let pageBytes = Int(template[16]) << 8 | Int(template[17])
      var page = template.prefix(pageBytes)
      let count = UInt32(max(1, bytes.count / pageBytes))
      // The number of pages, and no list of free ones.
      for (index, byte) in withUnsafeBytes(of: count.bigEndian, Array.init).enumerated() {
        page[28 + index] = byte
      }
      for index in 32..<40 { page[index] = 0 }
      bytes = bytes.count > pageBytes ? page + bytes.dropFirst(pageBytes) : page
      try bytes.write(to: URL(fileURLWithPath: files.copy))
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
