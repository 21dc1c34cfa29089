import HyperbasisCore

/// A chunk of a world map as it is stored; whether it has its hash is not known here.
package struct StoredChunk: Equatable, Sendable {
  package let codec: UInt8
  package let bytes: [UInt8]

  package init(codec: UInt8, bytes: [UInt8]) {
    self.codec = codec
    self.bytes = bytes
  }
}

/// World maps: chunks and manifests by their hashes.
///
/// What is in them is not looked at: whoever reads compares with the hash, and drops what is damaged,
/// so that it is missing and can be had from a peer again. Each call is durable when it returns.
extension Store {
  /// Added to the tables of a new store.
  static let mapsSchema = """
    CREATE TABLE maps (hash BLOB PRIMARY KEY, manifest BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE chunks (
      hash BLOB PRIMARY KEY NOT NULL, codec INTEGER NOT NULL, bytes BLOB NOT NULL);
    """

  /// Rows that one call of ``keepOnly(maps:chunks:)`` drops at most.
  static let dropLimit = 16

  // MARK: Chunks

  /// Stores a chunk, also in place of one that is damaged.
  package func putChunk(_ hash: ContentHash, _ chunk: StoredChunk) throws(StoreError) {
    try putChunks([(hash, chunk)])
  }

  /// Stores chunks, all or none.
  package func putChunks(
    _ chunks: [(hash: ContentHash, chunk: StoredChunk)]
  ) throws(StoreError) {
    let put = try Statement(
      "INSERT OR REPLACE INTO chunks (hash, codec, bytes) VALUES (?1, ?2, ?3)", in: database)
    try transaction { () throws(StoreError) in
      for (hash, chunk) in chunks {
        try put.bind(1, hash.bytes).bind(2, Int64(chunk.codec)).bind(3, chunk.bytes).run()
      }
    }
  }

  /// A chunk as it was stored; nil when it is missing.
  ///
  /// - Throws: `StoreError.damaged` where the damage shows; else the hash of the bytes tells.
  package func chunk(_ hash: ContentHash) throws(StoreError) -> StoredChunk? {
    let statement = try Statement(
      "SELECT codec, bytes FROM chunks WHERE hash = ?1", in: database)
    guard try statement.bind(1, hash.bytes).step() else { return nil }
    guard let codec = UInt8(exactly: statement.integer(0)) else {
      throw .damaged(path: directory, what: "chunk \(hash): its codec is \(statement.integer(0))")
    }
    return StoredChunk(codec: codec, bytes: statement.bytes(1))
  }

  package func hasChunk(_ hash: ContentHash) throws(StoreError) -> Bool {
    try missingChunks(of: [hash]).isEmpty
  }

  /// The chunks that are not here, each once, in the order given. O(n log n) in both numbers.
  package func missingChunks(of hashes: [ContentHash]) throws(StoreError) -> [ContentHash] {
    let statement = try Statement("SELECT 1 FROM chunks WHERE hash = ?1", in: database)
    var missing: [ContentHash] = []
    var seen: Set<ContentHash> = []
    for hash in hashes where seen.insert(hash).inserted {
      if try statement.bind(1, hash.bytes).step() {
        statement.reset()
      } else {
        missing.append(hash)
      }
    }
    return missing
  }

  /// Drops a chunk that turned out to be damaged: it is then missing.
  package func dropChunk(_ hash: ContentHash) throws(StoreError) {
    try Statement("DELETE FROM chunks WHERE hash = ?1", in: database).bind(1, hash.bytes).run()
  }

  // MARK: Manifests

  package func putManifest(_ hash: ContentHash, _ bytes: [UInt8]) throws(StoreError) {
    let put = try Statement(
      "INSERT OR REPLACE INTO maps (hash, manifest) VALUES (?1, ?2)", in: database)
    try put.bind(1, hash.bytes).bind(2, bytes).run()
  }

  /// The encoded manifest of a map; nil when it is missing.
  package func manifest(_ hash: ContentHash) throws(StoreError) -> [UInt8]? {
    let statement = try Statement("SELECT manifest FROM maps WHERE hash = ?1", in: database)
    guard try statement.bind(1, hash.bytes).step() else { return nil }
    return statement.bytes(0)
  }

  // MARK: All of them

  /// Bytes that maps take in the store: chunks as they are stored, and manifests.
  package func bytesOfMaps() throws(StoreError) -> Int64 {
    try database.integer(
      """
      SELECT (SELECT total(length(bytes)) FROM chunks) + (SELECT total(length(manifest)) FROM maps)
      """)
  }

  /// Drops manifests and chunks that are in neither set, `dropLimit` rows at most, so that a call is
  /// short; it looks at every hash in the store.
  ///
  /// - Returns: whether all the rest is gone; if not, call it again.
  /// - Throws: `StoreError`, also `damaged` where rows are read and none of them can be dropped.
  package func keepOnly(
    maps: Set<ContentHash>, chunks: Set<ContentHash>
  ) throws(StoreError) -> Bool {
    // What is no blob can be no hash, and comes before all blobs.
    for table in ["maps", "chunks"] {
      try Statement("DELETE FROM \(table) WHERE hash < x''", in: database).run()
    }
    let oldMaps = try hashes(in: "maps", besides: maps, limit: Store.dropLimit)
    let oldChunks = try hashes(
      in: "chunks", besides: chunks, limit: Store.dropLimit - oldMaps.count)
    let dropMap = try Statement("DELETE FROM maps WHERE hash = ?1", in: database)
    let dropChunk = try Statement("DELETE FROM chunks WHERE hash = ?1", in: database)
    if !oldMaps.isEmpty || !oldChunks.isEmpty {
      try transaction { () throws(StoreError) in
        var dropped = 0
        let drops = oldMaps.map { (dropMap, $0) } + oldChunks.map { (dropChunk, $0) }
        for (drop, hash) in drops {
          try drop.bind(1, hash).run()
          dropped += database.changedRows
        }
        // In a damaged tree a row may be read and not be found: there would be no end of it.
        guard dropped > 0 else { throw database.damaged("rows of maps cannot be dropped") }
      }
    }
    return oldMaps.count + oldChunks.count < Store.dropLimit
  }

  /// The hashes of a table that are not to be kept, also those that are no hashes.
  private func hashes(
    in table: String, besides kept: Set<ContentHash>, limit: Int
  ) throws(StoreError) -> [[UInt8]] {
    let statement = try Statement("SELECT hash FROM \(table) ORDER BY hash", in: database)
    var found: [[UInt8]] = []
    while found.count < limit, try statement.step() {
      let bytes = statement.bytes(0)
      if let hash = ContentHash(bytes: bytes), kept.contains(hash) { continue }
      found.append(bytes)
    }
    return found
  }
}
