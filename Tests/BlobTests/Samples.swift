import HyperbasisBlob

/// A seeded source of chance, so that a failing case is found again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0) }
    }
    return Array(bytes.prefix(count))
  }
}

/// Bytes as they come in maps: nothing, one, noise, repetition, and runs of both.
func sample(seed: UInt64) -> [UInt8] {
  var random = SplitMix(seed: seed)
  var bytes: [UInt8] = []
  for _ in 0..<Int.random(in: 0...6, using: &random) {
    let count = Int.random(in: 0...Int.random(in: 1...40_000, using: &random), using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: bytes += random.bytes(count)
    case 1: bytes += [UInt8](repeating: .random(in: 0...255, using: &random), count: count)
    default:
      let pattern = random.bytes(Int.random(in: 1...300, using: &random))
      for index in 0..<count { bytes.append(pattern[index % pattern.count]) }
    }
  }
  return bytes
}

/// The bytes with one bit turned over.
func flipped(_ bytes: [UInt8], bit: Int) -> [UInt8] {
  var damaged = bytes
  damaged[bit / 8] ^= 1 << (bit % 8)
  return damaged
}
