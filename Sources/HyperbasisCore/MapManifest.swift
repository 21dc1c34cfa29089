/// How a world map is cut into chunks, and the hash of each.
///
/// ```swift
/// let manifest = try MapManifest(decoding: bytes)
/// manifest.chunks[0]     // the hash of the first chunk
/// manifest.range(of: 0)  // 0..<262144
/// ```
///
/// It is made by hashing, in another module; here it is read, written and divided.
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
  /// Bytes of each chunk but the last; no part of the encoding. Simulations make it small.
  package let chunkBytes: Int

  private static let version: UInt8 = 1

  /// Precondition: `chunks` are as many as `byteCount` needs, and it is within the limits.
  package init(
    byteCount: UInt64, chunks: [ContentHash], chunkBytes: Int = Limits.mapChunkBytes
  ) {
    precondition(byteCount > 0 && byteCount <= Limits.mapBytes, "a map within the limits")
    precondition(
      chunks.count == MapManifest.chunkCount(byteCount, chunkBytes), "a hash for each chunk")
    self.byteCount = byteCount
    self.chunks = chunks
    self.chunkBytes = chunkBytes
  }

  /// Reads an encoding, whole.
  ///
  /// - Throws: `CodecError`; nothing is allocated before the sizes are checked.
  package init(
    decoding bytes: [UInt8], chunkBytes: Int = Limits.mapChunkBytes
  ) throws(CodecError) {
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
    let count = MapManifest.chunkCount(byteCount, chunkBytes)
    guard reader.remaining >= count * ContentHash.byteCount else {
      throw .truncated(offset: bytes.count)
    }
    var chunks: [ContentHash] = []
    chunks.reserveCapacity(count)
    for _ in 0..<count { chunks.append(try reader.hash()) }
    try reader.finish()
    self.byteCount = byteCount
    self.chunks = chunks
    self.chunkBytes = chunkBytes
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(MapManifest.version)
    writer.varint(byteCount)
    for chunk in chunks { writer.hash(chunk) }
    return writer.bytes
  }

  /// The bytes of the map that are in a chunk.
  ///
  /// Precondition: the chunk is one of this map.
  package func range(of chunk: Int) -> Range<Int> {
    precondition(chunks.indices.contains(chunk), "chunk \(chunk) of \(chunks.count)")
    let start = chunk * chunkBytes
    return start..<min(start + chunkBytes, Int(byteCount))
  }

  /// Bytes of the encoding of a map's manifest, which follow from those of the map.
  ///
  /// Precondition: the map is within the limits.
  package static func encodedBytes(
    _ byteCount: UInt64, chunkBytes: Int = Limits.mapChunkBytes
  ) -> Int {
    var writer = ByteWriter()
    writer.varint(byteCount)
    return 1 + writer.bytes.count + chunkCount(byteCount, chunkBytes) * ContentHash.byteCount
  }

  package static func chunkCount(
    _ byteCount: UInt64, _ chunkBytes: Int = Limits.mapChunkBytes
  ) -> Int {
    (Int(byteCount) + chunkBytes - 1) / chunkBytes
  }
}
