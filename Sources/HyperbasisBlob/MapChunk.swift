import HyperbasisCore

/// A piece of a map in the form in which it is stored and sent: a codec and bytes.
///
/// ```swift
/// let chunk = MapChunk(raw: bytes, compress: true)
/// try chunk.verified(against: SHA256.hash(bytes), count: bytes.count) == bytes
/// ```
///
/// The bytes are unverified until ``verified(against:count:)`` gives them out.
package struct MapChunk: Equatable, Sendable {
  /// How the bytes are written; a number, since it is stored and sent.
  package enum Codec: UInt8, Sendable {
    case raw = 0
    /// An LZ4 block.
    case lz4 = 1
  }

  package let codec: Codec
  package let bytes: [UInt8]

  /// Compresses only where it saves at least a sixteenth.
  package init(raw: [UInt8], compress: Bool) {
    if compress, let block = LZ4Block.compress(raw) {
      codec = .lz4
      bytes = block
    } else {
      codec = .raw
      bytes = raw
    }
  }

  /// A chunk as it was stored or received.
  ///
  /// - Throws: `BlobError` for an unknown codec, or more bytes than a chunk has.
  package init(codec: UInt8, bytes: [UInt8]) throws(BlobError) {
    guard let known = Codec(rawValue: codec) else { throw .unknownCodec(codec) }
    guard bytes.count <= BlobLimits.chunkBytes else {
      throw .tooLarge(most: BlobLimits.chunkBytes)
    }
    self.codec = known
    self.bytes = bytes
  }

  /// The bytes of the map.
  ///
  /// - Parameter count: how many there must be, at most `BlobLimits.chunkBytes`.
  /// - Throws: `BlobError` when there are not as many.
  package func raw(count: Int) throws(BlobError) -> [UInt8] {
    guard count > 0 else { throw .empty }
    guard count <= BlobLimits.chunkBytes else { throw .tooLarge(most: BlobLimits.chunkBytes) }
    switch codec {
    case .lz4: return try LZ4Block.decompress(bytes, count: count)
    case .raw:
      guard bytes.count == count else { throw .wrongSize(bytes.count, expected: count) }
      return bytes
    }
  }

  /// The bytes of the map, which have this hash.
  ///
  /// - Throws: `BlobError` when they have another hash, or are not as many.
  package func verified(
    against hash: ContentHash, count: Int
  ) throws(BlobError) -> [UInt8] {
    let raw = try raw(count: count)
    guard SHA256.hash(raw) == hash else { throw .wrongHash(expected: hash) }
    return raw
  }
}
