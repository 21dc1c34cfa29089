import HyperbasisBlob
import Testing

struct RawDeflateTests {
  @Test(arguments: 0..<100)
  func whatIsCompressedComesBack(seed: Int) throws {
    let bytes = sample(seed: UInt64(seed))
    let data = RawDeflate.deflate(bytes)
    #expect(try RawDeflate.inflate(data, limit: bytes.count) == bytes)
    guard !bytes.isEmpty else { return }
    #expect(throws: BlobError.wrongSize(nil, expected: bytes.count - 1)) {
      try RawDeflate.inflate(data, limit: bytes.count - 1)
    }
  }

  /// Made by Python's zlib.compressobj(6, zlib.DEFLATED, -15), which is what Apple's
  /// COMPRESSION_ZLIB gives as well: no header, no checksum.
  @Test func dataOfAnotherWriter() throws {
    let data: [UInt8] = [0x2b, 0xca, 0xcf, 0xcf, 0x55, 0x28, 0x82, 0x11, 0x00]
    #expect(try RawDeflate.inflate(data) == Array("room room room".utf8))
    #expect(try RawDeflate.inflate([0x03, 0x00]) == [])
  }

  @Test(arguments: [262_143, 262_144, 262_145, 524_288])
  func sizesAroundAStep(count: Int) throws {
    var random = SplitMix(seed: UInt64(count))
    for bytes in [random.bytes(count), [UInt8](repeating: 0, count: count)] {
      #expect(try RawDeflate.inflate(RawDeflate.deflate(bytes)) == bytes)
    }
  }

  @Test func anyRatio() throws {
    let zeros = [UInt8](repeating: 0, count: 8_000_000)
    let data = RawDeflate.deflate(zeros)
    #expect(data.count < 10_000)
    #expect(try RawDeflate.inflate(data) == zeros)
  }

  /// A bomb is stopped at the limit: what it would give is never there.
  @Test func moreThanTheLimitIsRefused() {
    let data = RawDeflate.deflate([UInt8](repeating: 0, count: 64_000_000))
    #expect(throws: BlobError.wrongSize(nil, expected: 1_000_000)) {
      try RawDeflate.inflate(data, limit: 1_000_000)
    }
  }

  @Test func everyPrefixIsTruncated() {
    for bytes in [sample(seed: 5), [UInt8](repeating: 0, count: 1_000_000)] {
      let data = RawDeflate.deflate(bytes)
      for length in stride(from: 0, to: data.count, by: max(1, data.count / 300)) {
        #expect(throws: BlobError.truncated, "prefix of \(length)") {
          try RawDeflate.inflate(Array(data.prefix(length)))
        }
      }
      #expect(throws: BlobError.truncated) { try RawDeflate.inflate(Array(data.dropLast())) }
    }
  }

  @Test func bytesBehindTheEndAreRefused() {
    #expect(throws: BlobError.damaged) {
      try RawDeflate.inflate(RawDeflate.deflate([1, 2, 3]) + [0])
    }
  }

  /// The SDK writes no header: data with one is of somebody else.
  @Test func aZlibHeaderIsRefused() {
    let data: [UInt8] = [0x78, 0x9c, 0x2b, 0xca, 0xcf, 0xcf, 0x05, 0x00, 0x04, 0x64, 0x01, 0xbe]
    #expect(throws: BlobError.self) { try RawDeflate.inflate(data) }
  }

  @Test func aFlippedBitNeverTraps() {
    let data = RawDeflate.deflate(sample(seed: 9) + [1, 2, 3])
    var random = SplitMix(seed: 4)
    for _ in 0..<1_000 {
      let bit = Int.random(in: 0..<data.count * 8, using: &random)
      _ = try? RawDeflate.inflate(flipped(data, bit: bit), limit: 1_000_000)
    }
    for _ in 0..<1_000 {
      let noise = random.bytes(Int.random(in: 0...300, using: &random))
      _ = try? RawDeflate.inflate(noise, limit: 1_000_000)
    }
  }
}
