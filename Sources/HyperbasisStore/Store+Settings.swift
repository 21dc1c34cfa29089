import HyperbasisCore

/// Small facts that the layer above keeps beside the spaces: bytes under a name.
extension Store {
  package enum Setting: String, CaseIterable {
    /// Nanoseconds since 1970 before which deleted anchors are no longer shown.
    case purgedBefore
    /// Spaces that were left and are not joined again by themselves.
    case leftSpaces
    /// Who this store was before it took other replica ids.
    case formerReplicas
  }

  /// - Throws: `StoreError` when the table cannot be read.
  package func setting(_ setting: Setting) throws(StoreError) -> [UInt8]? {
    let select = try Statement("SELECT value FROM meta WHERE key = ?1", in: database)
    select.bind(1, text: setting.rawValue)
    guard try select.step() else { return nil }
    defer { select.reset() }
    return select.bytes(0)
  }

  /// Durable when it returns.
  package func set(_ setting: Setting, to bytes: [UInt8]) throws(StoreError) {
    let put = try Statement(
      "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", in: database)
    try put.bind(1, text: setting.rawValue).bind(2, bytes).run()
  }

  /// Bytes of the database, free pages included; for a store in memory, which has no files.
  package func byteCount() throws(StoreError) -> Int64 {
    try database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size")
  }
}
