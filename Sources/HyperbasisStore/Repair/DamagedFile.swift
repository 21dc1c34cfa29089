/// A file with a damaged database, of which is read what can be read.
///
/// It is a copy: SQLite may write to it, and its first page may be replaced.
protocol DamagedFile {
  /// The store's directory, for errors.
  var directory: String { get }

  /// - Throws: `StoreError` when it cannot be opened; what is in it shows when it is read.
  func database() throws(StoreError) -> Database

  /// Puts the first page of a new store in the place of the damaged one.
  ///
  /// - Throws: `StoreError` when no new store can be made, or the file not be written.
  mutating func replaceFirstPage() throws(StoreError)
}

/// A damaged database whose bytes are in memory.
struct DamagedBytes: DamagedFile {
  private(set) var bytes: [UInt8]
  /// What errors call it.
  let directory: String

  func database() throws(StoreError) -> Database {
    guard !bytes.isEmpty else { throw .damaged(path: directory, what: "its file is empty") }
    return try Database(inMemory: bytes, directory: directory)
  }

  mutating func replaceFirstPage() throws(StoreError) {
    let page = try FirstPage.new(forFileOf: bytes.count, directory: directory)
    bytes.replaceSubrange(..<min(bytes.count, page.count), with: page)
  }
}
