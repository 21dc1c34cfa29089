import HyperbasisBlob
import Testing

struct LZ4Tests {
  @Test(arguments: 0..<200)
  func whatIsCompressedComesBack(seed: Int) throws {
    let bytes = sample(seed: UInt64(seed))
    guard let block = LZ4Block.compress(bytes) else { return }
    #expect(block.count <= bytes.count - bytes.count / 16)
    #expect(try LZ4Block.decompress(block, count: bytes.count) == bytes)
    for wrong in [0, bytes.count - 1, bytes.count + 1, bytes.count * 2] {
      #expect(throws: BlobError.self) { try LZ4Block.decompress(block, count: wrong) }
    }
  }

  @Test func whatDoesNotHelpIsNotDone() {
    var random = SplitMix(seed: 1)
    #expect(LZ4Block.compress([]) == nil)
    #expect(LZ4Block.compress([7]) == nil)
    #expect(LZ4Block.compress([7, 7]) == nil)
    #expect(LZ4Block.compress(random.bytes(262_144)) == nil)
    // An eighth of repetition saves enough, a thirty-second does not.
    #expect(LZ4Block.compress(random.bytes(7_000) + [UInt8](repeating: 0, count: 1_000)) != nil)
    #expect(LZ4Block.compress(random.bytes(7_750) + [UInt8](repeating: 0, count: 250)) == nil)
  }

  @Test func repetitionIsCompressedManyTimes() throws {
    let zeros = [UInt8](repeating: 0, count: 262_144)
    let block = try #require(LZ4Block.compress(zeros))
    #expect(block.count < zeros.count / 50)
    #expect(try LZ4Block.decompress(block, count: zeros.count) == zeros)
  }

  @Test func everyPrefixIsRefused() throws {
    let bytes = sample(seed: 3) + [UInt8](repeating: 1, count: 4_000)
    let block = try #require(LZ4Block.compress(bytes))
    for length in stride(from: 0, to: block.count, by: max(1, block.count / 500)) {
      #expect(throws: BlobError.self, "prefix of \(length)") {
        try LZ4Block.decompress(Array(block.prefix(length)), count: bytes.count)
      }
    }
    #expect(throws: BlobError.self) {
      try LZ4Block.decompress(block + [0], count: bytes.count)
    }
  }

  @Test func anyBytesAreReadOrRefused() {
    var random = SplitMix(seed: 2)
    var refused = 0
    for _ in 0..<3_000 {
      let block = random.bytes(Int.random(in: 0...64, using: &random))
      let count = Int.random(in: 0...1_024, using: &random)
      do {
        let bytes = try LZ4Block.decompress(block, count: count)
        #expect(bytes.count == count)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 2_900)
  }
}
