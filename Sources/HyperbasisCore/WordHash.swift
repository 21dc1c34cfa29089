/// A hash of words, two at a time: the same on every machine, and one multiplication for 16 bytes.
///
/// ```swift
/// var hash = WordHash(seed: 7)
/// hash.combine(1, 2)
/// hash.value
/// ```
///
/// It finds faults, not attacks, where its seed is known. Source: wyhash (Wang Yi, public domain).
struct WordHash {
  private(set) var value: UInt64

  init(seed: UInt64) {
    value = seed ^ 0x2d35_8dcc_aa6c_78a5
  }

  mutating func combine(_ first: UInt64, _ second: UInt64 = 0) {
    value = WordHash.mixed(first ^ 0x8bb8_4b93_962e_acc9, second ^ value)
  }

  mutating func combine(_ bits: UInt128) {
    combine(UInt64(truncatingIfNeeded: bits >> 64), UInt64(truncatingIfNeeded: bits))
  }

  /// Its length and its bytes.
  mutating func combine(_ text: String) {
    text.withBytes { bytes in
      combine(UInt64(bytes.count))
      let words = UnsafeRawBufferPointer(bytes)
      var offset = 0
      while offset + 16 <= bytes.count {
        combine(words.word(at: offset), words.word(at: offset + 8))
        offset += 16
      }
      guard offset < bytes.count else { return }
      let middle = min(offset + 8, bytes.count)
      combine(words.word(from: offset, to: middle), words.word(from: middle, to: bytes.count))
    }
  }

  /// The two halves of a product of 128 bits, one upon the other.
  @inline(__always)
  static func mixed(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let (high, low) = first.multipliedFullWidth(by: second)
    return high ^ low
  }
}

extension UnsafeRawBufferPointer {
  /// The eight bytes from `offset` on.
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Fewer than eight bytes, or eight.
  fileprivate func word(from start: Int, to end: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in start..<end { word |= UInt64(self[index]) << (8 * UInt64(index - start)) }
    return word
  }
}
