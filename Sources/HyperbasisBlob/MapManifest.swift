import HyperbasisCore

/// What needs hashing.
///
/// ```swift
/// let manifest = try MapManifest(cutting: map)
/// manifest.hash  // the name of the map
/// ```
extension MapManifest {
  /// Cuts a map. O(n), nearly all of it hashing.
  ///
  /// - Throws: `BlobError` when the map is empty or too large.
  package init(cutting map: [UInt8]) throws(BlobError) {
    guard !map.isEmpty else { throw .empty }
    guard map.count <= Limits.mapBytes else { throw .tooLarge(most: Limits.mapBytes) }
    let chunks = map.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: BlobLimits.chunkBytes).map { start in
        let end = min(start + BlobLimits.chunkBytes, bytes.count)
        return SHA256.hash(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      }
    }
    self.init(byteCount: UInt64(map.count), chunks: chunks)
  }

  /// The name of the map: the SHA-256 of the encoding. O(chunks), so keep it.
  package var hash: ContentHash {
    SHA256.hash(encoded())
  }

  package var reference: MapReference {
    MapReference(manifest: hash, byteCount: byteCount)
  }
}
