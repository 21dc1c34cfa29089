import HyperbasisCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Which map of a space was the last one that was here whole: it can be opened while a newer one is
/// on its way.
extension Store {
  /// Added to the tables of a new store.
  static let wholeMapsSchema = """
    CREATE TABLE whole_maps (
      space BLOB PRIMARY KEY, map BLOB NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID;
    """

  /// Notes the last whole map of a space; nil when there is none any more. Durable when it returns.
  package func setWholeMap(_ map: MapReference?, of space: SpaceID) throws(StoreError) {
    var id = ByteWriter()
    id.identifier(space)
    guard let map else {
      return try Statement("DELETE FROM whole_maps WHERE space = ?1", in: database)
        .bind(1, id.bytes).run()
    }
    try Statement(
      "INSERT OR REPLACE INTO whole_maps (space, map, size) VALUES (?1, ?2, ?3)", in: database
    )
    .bind(1, id.bytes).bind(2, map.manifest.bytes).bind(3, Int64(map.byteCount)).run()
  }

  /// The last whole map of each space that has one; rows that are damaged are left out.
  package func wholeMaps() throws(StoreError) -> [(space: SpaceID, map: MapReference)] {
    let statement = try Statement(
      "SELECT space, map, size FROM whole_maps ORDER BY space", in: database)
    var maps: [(SpaceID, MapReference)] = []
    while try statement.step() {
      var reader = ByteReader(statement.bytes(0))
      let space: SpaceID? = try? reader.identifier()
      let size = statement.integer(2)
      guard let space, let manifest = ContentHash(bytes: statement.bytes(1)),
        (1...Int64(Limits.mapBytes)).contains(size)
      else { continue }
      maps.append((space, MapReference(manifest: manifest, byteCount: UInt64(size))))
    }
    return maps
  }

  /// Stores chunks of a map that is not whole yet, all or none: they survive an end of the process, and
  /// a power cut once anything else was committed after them.
  ///
  /// What a power cut takes is missing then, and is fetched again. So a chunk costs no sync of its own.
  package func putPartChunks(
    _ chunks: [(hash: ContentHash, chunk: StoredChunk)]
  ) throws(StoreError) {
    try database.execute("PRAGMA synchronous = NORMAL")
    let result = Result { () throws(StoreError) in try putChunks(chunks) }
    try database.execute("PRAGMA synchronous = FULL")
    try result.get()
  }

  /// Bytes that the store can grow by: those that the file system has left for this user, and those
  /// that the database does not use any more. Nil when the system does not tell.
  package func freeBytes() -> Int64? {
    var information = statvfs()
    guard statvfs(directory, &information) == 0,
      let unused = try? database.integer("PRAGMA freelist_count"),
      let page = try? database.integer("PRAGMA page_size")
    else { return nil }
    let blocks = Int64(clamping: information.f_bavail)
    let (bytes, isMore) = blocks.multipliedReportingOverflow(
      by: Int64(clamping: information.f_frsize))
    return isMore ? .max : bytes.addingReportingOverflow(unused * page).partialValue
  }
}
