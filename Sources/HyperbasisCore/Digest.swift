/// A 128-bit hash of a space's state: equal for equal visible state and equal merge metadata.
///
/// It finds faults, not attacks: MurmurHash3 is not cryptographic.
package struct Digest: Hashable, Sendable, CustomStringConvertible {
  package let bits: UInt128

  package init(bits: UInt128) {
    self.bits = bits
  }

  /// The hash of `bytes`. O(n).
  package init(of bytes: [UInt8]) {
    bits = murmur3(bytes)
  }

  /// 32 lower-case hex digits.
  package var description: String { Identifier<DigestKind>(bits).hex }

  private enum DigestKind {}
}

/// MurmurHash3, the 128-bit form for 64-bit machines, seed 0 (Austin Appleby, public domain).
private func murmur3(_ bytes: [UInt8]) -> UInt128 {
  let c1: UInt64 = 0x87c3_7b91_1142_53d5
  let c2: UInt64 = 0x4cf5_ad43_2745_937f
  var h1: UInt64 = 0
  var h2: UInt64 = 0
  func word(_ start: Int, _ end: Int) -> UInt64 {
    if end <= bytes.count {
      return bytes.withUnsafeBytes {
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      }
    }
    return bytes[start...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
  func mixed1(_ word: UInt64) -> UInt64 { rotate(word &* c1, 31) &* c2 }
  func mixed2(_ word: UInt64) -> UInt64 { rotate(word &* c2, 33) &* c1 }

  let whole = bytes.count / 16 * 16
  for start in stride(from: 0, to: whole, by: 16) {
    h1 ^= mixed1(word(start, start + 8))
    h1 = (rotate(h1, 27) &+ h2) &* 5 &+ 0x52dc_e729
    h2 ^= mixed2(word(start + 8, start + 16))
    h2 = (rotate(h2, 31) &+ h1) &* 5 &+ 0x3849_5ab5
  }
  if bytes.count > whole + 8 { h2 ^= mixed2(word(whole + 8, whole + 16)) }
  if bytes.count > whole { h1 ^= mixed1(word(whole, whole + 8)) }

  h1 ^= UInt64(bytes.count)
  h2 ^= UInt64(bytes.count)
  h1 = h1 &+ h2
  h2 = h2 &+ h1
  h1 = finished(h1)
  h2 = finished(h2)
  h1 = h1 &+ h2
  h2 = h2 &+ h1
  return UInt128(h1) << 64 | UInt128(h2)
}

private func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
  word << count | word >> (64 - count)
}

private func finished(_ hash: UInt64) -> UInt64 {
  var hash = hash
  hash ^= hash >> 33
  hash = hash &* 0xff51_afd7_ed55_8ccd
  hash ^= hash >> 33
  hash = hash &* 0xc4ce_b9fe_1a85_ec53
  return hash ^ hash >> 33
}
