/// Takes an input apart, front to back; where it ends, zeros follow.
struct Feed {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 {
    rest.popFirst() ?? 0
  }

  /// Two bytes, the low one first.
  mutating func short() -> Int {
    let low = Int(byte())
    return low | Int(byte()) << 8
  }

  /// Eight bytes, the low ones first.
  mutating func number() -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(byte()) << (8 * UInt64($1)) }
  }

  /// So many bytes, or as many as there are.
  mutating func take(_ count: Int) -> [UInt8] {
    let taken = rest.prefix(count)
    rest = rest.dropFirst(count)
    return Array(taken)
  }

  /// Bytes behind their count in two bytes.
  mutating func piece() -> [UInt8] {
    take(short())
  }
}

/// Puts an input together as ``Feed`` takes it apart.
struct FeedWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ byte: UInt8) {
    bytes.append(byte)
  }

  mutating func short(_ number: Int) {
    bytes += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  mutating func number(_ number: UInt64) {
    for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
  }

  mutating func piece(_ piece: [UInt8]) {
    short(piece.count)
    bytes += piece
  }
}
