/// Stores that are on no disk, and end with their object.
extension Store {
  /// A new store in memory; errors call it `name`.
  package convenience init(inMemory name: String) throws(StoreError) {
    try self.init(inMemory: Database(file: ":memory:", directory: name), name)
  }

  /// A store in memory that begins with the bytes of a database file, which need not be sound.
  ///
  /// - Throws: `StoreError`, as for a directory with that file.
  package convenience init(inMemory name: String, file: [UInt8]) throws(StoreError) {
    guard !file.isEmpty else { throw .damaged(path: name, what: "its file is empty") }
    try self.init(inMemory: Database(inMemory: file, directory: name), name)
  }

  private convenience init(inMemory database: Database, _ name: String) throws(StoreError) {
    try Store.prepare(database, directory: name)
    try self.init(prepared: database, directory: name, lock: nil, boot: nil)
  }

  /// Opens anew what a store in memory holds, as the next start of an app does on a disk: all is read
  /// again but what kind of database it is.
  ///
  /// The other store is then used no more.
  ///
  /// - Precondition: it is in memory; on a disk there are the lock and the proof of continuation as well.
  /// - Throws: `StoreError`, as for a directory with that database.
  package convenience init(reopening store: Store) throws(StoreError) {
    precondition(store.lock == nil, "a store on a disk is opened by its directory")
    try self.init(prepared: store.database, directory: store.directory, lock: nil, boot: nil)
  }

  /// SQLite's handle of the store's connection, for tests and the fuzzer: they write what no store does.
  package var connection: OpaquePointer { database.handle }
}
