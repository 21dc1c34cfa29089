import HyperbasisCore

/// How a world map is cut into chunks, and the hash of each.
///
/// ```swift
/// let manifest = try MapManifest(cutting: map)
/// manifest.hash          // the name of the map
/// manifest.range(of: 0)  // 0..<262144
/// ```
///
/// The encoding, whose SHA-256 names the map:
///
/// | bytes | what |
/// |---|---|
/// | 1 | 1: chunks of 262,144 bytes, the last one shorter or equal, hashed by SHA-256 |
/// | varint | bytes of the map, from 1 to 2^30 |
/// | 32 each | the hashes in the order of the chunks; how many follows from the bytes |
package struct MapManifest: Equatable, Sendable {
  /// Bytes of the map.
  package let byteCount: UInt64
  /// The hashes of the chunks, uncompressed.
  package let chunks: [ContentHash]

  private static let version: UInt8 = 1

  /// Precondition: `chunks` are as many as `byteCount` needs, and it is within the limits.
  package init(byteCount: UInt64, chunks: [ContentHash]) {
    precondition(byteCount > 0 && byteCount <= Limits.mapBytes, "a map within the limits")
    precondition(chunks.count == MapManifest.chunkCount(byteCount), "a hash for each chunk")
    self.byteCount = byteCount
    self.chunks = chunks
  }

  /// Cuts a map. O(n), nearly all of it hashing.
  ///
  /// - Throws: `BlobError` when the map is empty or too large.
  package init(cutting map: [UInt8]) throws(BlobError) {
    guard !map.isEmpty else { throw .empty }
    guard map.count <= Limits.mapBytes else { throw .tooLarge(most: Limits.mapBytes) }
    byteCount = UInt64(map.count)
    chunks = map.withUnsafeBytes { bytes in
      (0..<MapManifest.chunkCount(UInt64(bytes.count))).map { index in
        let range = MapManifest.range(of: index, byteCount: bytes.count)
        return SHA256.hash(UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
    }
  }

  /// Reads an encoding, whole.
  ///
  /// - Throws: `CodecError`; nothing is allocated before the sizes are checked.
  package init(decoding bytes: [UInt8]) throws(CodecError) {
    var reader = ByteReader(bytes)
    let version = try reader.byte()
    guard version == MapManifest.version else {
      throw .unknownKind(of: "world map manifest", kind: version, offset: 0)
    }
    let start = reader.offset
    let byteCount = try reader.varint()
    guard byteCount > 0 else { throw .invalid("world map bytes", offset: start) }
    guard byteCount <= Limits.mapBytes else {
      throw .limit(
        "world map bytes", value: byteCount, most: Limits.mapBytes, offset: start)
    }
    let count = MapManifest.chunkCount(byteCount)
    guard reader.remaining >= count * ContentHash.byteCount else {
      throw .truncated(offset: bytes.count)
    }
    var chunks: [ContentHash] = []
    chunks.reserveCapacity(count)
    for _ in 0..<count { chunks.append(try reader.hash()) }
    try reader.finish()
    self.byteCount = byteCount
    self.chunks = chunks
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(MapManifest.version)
    writer.varint(byteCount)
    for chunk in chunks { writer.hash(chunk) }
    return writer.bytes
  }

  /// The name of the map: the SHA-256 of the encoding. O(chunks), so keep it.
  package var hash: ContentHash {
    SHA256.hash(encoded())
  }

  /// The bytes of the map that are in a chunk.
  ///
  /// Precondition: the chunk is one of this map.
  package func range(of chunk: Int) -> Range<Int> {
    precondition(chunks.indices.contains(chunk), "chunk \(chunk) of \(chunks.count)")
    return MapManifest.range(of: chunk, byteCount: Int(byteCount))
  }

  private static func range(of chunk: Int, byteCount: Int) -> Range<Int> {
    let start = chunk * BlobLimits.chunkBytes
    return start..<min(start + BlobLimits.chunkBytes, byteCount)
  }

  private static func chunkCount(_ byteCount: UInt64) -> Int {
    (Int(byteCount) + BlobLimits.chunkBytes - 1) / BlobLimits.chunkBytes
  }
}
