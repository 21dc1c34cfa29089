#if canImport(Compression)
  import Compression  // Not compiled here.
#else
  import CLZ4
#endif

/// LZ4's block format: the compressed bytes alone, with no header and no size.
///
/// ```swift
/// let zeros = [UInt8](repeating: 0, count: 262_144)
/// let block = LZ4Block.compress(zeros)!               // 1,038 bytes
/// try LZ4Block.decompress(block, count: 262_144) == zeros
/// ```
package enum LZ4Block {
  /// The compressed bytes; nil when that does not save at least a sixteenth.
  ///
  /// Precondition: there are fewer than 2 GB.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let most = bytes.count - (bytes.count + 15) / 16
    guard most > 0 else { return nil }
    let block = [UInt8](unsafeUninitializedCapacity: most) { block, count in
      count = encode(bytes, into: block)
    }
    return block.isEmpty ? nil : block
  }

  /// The bytes that were compressed. A hostile block is never read or written beyond its ends.
  ///
  /// Precondition: `count` is not negative, and below 2 GB.
  ///
  /// - Throws: `BlobError` when the block does not give exactly `count` bytes.
  package static func decompress(_ block: [UInt8], count: Int) throws(BlobError) -> [UInt8] {
    var found = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      found = decode(block, into: bytes)
      initialized = max(0, found)
    }
    guard found >= 0 else { throw .damaged }
    guard found == count else { throw .wrongSize(found, expected: count) }
    return bytes
  }

  #if canImport(Compression)
    // Not compiled here. The framework does not tell damaged bytes from too small a space.

    /// The bytes written; 0 when they do not fit.
    private static func encode(_ bytes: [UInt8], into block: UnsafeMutableBufferPointer<UInt8>)
      -> Int
    {
      compression_encode_buffer(
        block.baseAddress!, block.count, bytes, bytes.count, nil, COMPRESSION_LZ4_RAW)
    }

    /// The bytes written; negative when the block is damaged or has more of them.
    private static func decode(_ block: [UInt8], into bytes: UnsafeMutableBufferPointer<UInt8>)
      -> Int
    {
      guard let start = bytes.baseAddress else { return block == [0] ? 0 : -1 }
      return compression_decode_buffer(
        start, bytes.count, block, block.count, nil, COMPRESSION_LZ4_RAW)
    }
  #else
    /// The bytes written; 0 when they do not fit.
    private static func encode(
      _ bytes: [UInt8], into block: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
      bytes.withUnsafeBytes { bytes in
        block.withMemoryRebound(to: CChar.self) { block in
          Int(
            LZ4_compress_default(
              bytes.baseAddress!.assumingMemoryBound(to: CChar.self), block.baseAddress!,
              Int32(bytes.count), Int32(block.count)))
        }
      }
    }

    /// The bytes written; negative when the block is damaged or has more of them.
    private static func decode(
      _ block: [UInt8], into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
      block.withUnsafeBytes { block in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          guard let source = block.baseAddress else { return -1 }
          return Int(
            LZ4_decompress_safe(
              source.assumingMemoryBound(to: CChar.self), bytes.baseAddress, Int32(block.count),
              Int32(bytes.count)))
        }
      }
    }
  #endif
}
