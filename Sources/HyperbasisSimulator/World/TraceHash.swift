/// A running hash of all that happened: two runs with the same hash took the same course.
///
/// Each word is mixed in by an exclusive or, a multiplication and a shift, as FNV-1a does with bytes.
struct TraceHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
    value ^= value >> 29
  }

  /// Little-endian words of eight bytes, the last filled with zeros, after the count.
  mutating func add(_ bytes: [UInt8]) {
    add(UInt64(bytes.count))
    bytes.withUnsafeBytes { buffer in
      var offset = 0
      while offset + 8 <= buffer.count {
        add(UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        offset += 8
      }
      var rest: UInt64 = 0
      for index in (offset..<buffer.count).reversed() { rest = rest << 8 | UInt64(buffer[index]) }
      add(rest)
    }
  }

  /// 16 lower-case hex digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
