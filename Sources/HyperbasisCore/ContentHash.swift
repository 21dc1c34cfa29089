/// The SHA-256 of some bytes: the name under which they are stored and asked for.
///
/// Computed where a library for it is at hand; here it is only compared and carried.
package struct ContentHash: Hashable, Comparable, Sendable, CustomStringConvertible {
  fileprivate let high: UInt128
  fileprivate let low: UInt128

  package static let byteCount = 32

  package init(high: UInt128, low: UInt128) {
    self.high = high
    self.low = low
  }

  /// Nil when there are not 32 bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == ContentHash.byteCount else { return nil }
    high = bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
    low = bytes.dropFirst(16).reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// The 32 bytes, the most significant first.
  package var bytes: [UInt8] {
    [high, low].flatMap { half in
      stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt128($0)) }
    }
  }

  /// By words, as those of an ``Identifier``.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(UInt64(truncatingIfNeeded: high))
    hasher.combine(UInt64(truncatingIfNeeded: high >> 64))
    hasher.combine(UInt64(truncatingIfNeeded: low))
    hasher.combine(UInt64(truncatingIfNeeded: low >> 64))
  }

  /// 64 lower-case hex digits.
  package var description: String {
    Identifier<ContentHash>(high).hex + Identifier<ContentHash>(low).hex
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

/// Which world map a space has: the hash of its manifest, which lists the hashes of its chunks.
package struct MapReference: Hashable, Sendable {
  package let manifest: ContentHash
  /// Bytes of the map.
  package let byteCount: UInt64

  package init(manifest: ContentHash, byteCount: UInt64) {
    self.manifest = manifest
    self.byteCount = byteCount
  }
}

extension ByteWriter {
  package mutating func hash(_ hash: ContentHash) {
    fixed(hash.high.byteSwapped)
    fixed(hash.low.byteSwapped)
  }
}

extension ByteReader {
  package mutating func hash() throws(CodecError) -> ContentHash {
    guard remaining >= ContentHash.byteCount else { throw .truncated(offset: offset + remaining) }
    let high = try fixed(UInt128.self).byteSwapped
    return ContentHash(high: high, low: try fixed(UInt128.self).byteSwapped)
  }
}
