import HyperbasisBlob
import HyperbasisCore
import Testing

struct MapTests {
  private let chunk = BlobLimits.chunkBytes

  @Test func theLimitsFitTogether() {
    #expect(BlobLimits.chunks * BlobLimits.chunkBytes == Limits.mapBytes)
  }

  @Test(arguments: [1, 2, 262_143, 262_144, 262_145, 524_288, 1_000_000])
  func aMapIsCutAndPutTogether(count: Int) throws {
    var random = SplitMix(seed: UInt64(count))
    let map = random.bytes(count / 2) + [UInt8](repeating: 0, count: count - count / 2)
    let manifest = try MapManifest(cutting: map)
    #expect(manifest.byteCount == UInt64(count))
    #expect(manifest.chunks.count == (count + chunk - 1) / chunk)
    #expect(try MapManifest(decoding: manifest.encoded()) == manifest)
    #expect(manifest.hash == SHA256.hash(manifest.encoded()))
    var whole: [UInt8] = []
    for (index, hash) in manifest.chunks.enumerated() {
      let range = manifest.range(of: index)
      let sent = MapChunk(raw: Array(map[range]), compress: true)
      let received = try MapChunk(codec: sent.codec.rawValue, bytes: sent.bytes)
      whole += try received.verified(against: hash, count: range.count)
    }
    #expect(whole == map)
  }

  @Test func oneByteMakesAnotherMap() throws {
    var map = [UInt8](repeating: 0, count: 600_000)
    let before = try MapManifest(cutting: map)
    map[300_000] = 1
    let after = try MapManifest(cutting: map)
    #expect(before.hash != after.hash)
    #expect(zip(before.chunks, after.chunks).map { $0 == $1 } == [true, false, true])
    // A length alone makes another one too: the hashes of the whole chunks are the same.
    #expect(try MapManifest(cutting: Array(map.dropLast())).hash != after.hash)
  }

  /// Pins the format: the name of a map must never change.
  @Test func theEncodingIsPinned() throws {
    let manifest = try MapManifest(cutting: Array("abc".utf8))
    #expect(
      manifest.encoded() == [1, 3] + SHA256.hash(Array("abc".utf8)).bytes)
    #expect(
      manifest.hash.description
        == "4bd50bb4106c837918518332d21dab5989aa0f5c7492f28a5dbe28263f31acc6")
  }

  @Test func noBytesAndTooManyAreRefused() throws {
    #expect(throws: BlobError.empty) { try MapManifest(cutting: []) }
    #expect(throws: CodecError.invalid("world map bytes", offset: 1)) {
      try MapManifest(decoding: [1, 0])
    }
    var writer = ByteWriter()
    writer.byte(1)
    writer.varint(UInt64(Limits.mapBytes) + 1)
    #expect {
      try MapManifest(decoding: writer.bytes)
    } throws: { error in
      if case .limit? = error as? CodecError { true } else { false }
    }
    writer = ByteWriter()
    writer.byte(1)
    writer.varint(UInt64.max)
    #expect(throws: CodecError.self) { try MapManifest(decoding: writer.bytes) }
    #expect(throws: CodecError.unknownKind(of: "world map manifest", kind: 2, offset: 0)) {
      try MapManifest(decoding: [2, 1])
    }
  }

  @Test func theLargestMapHasAManifest() throws {
    let hashes = [ContentHash](repeating: SHA256.hash([]), count: BlobLimits.chunks)
    let manifest = MapManifest(byteCount: UInt64(Limits.mapBytes), chunks: hashes)
    let bytes = manifest.encoded()
    #expect(try MapManifest(decoding: bytes) == manifest)
    #expect(manifest.range(of: 4_095) == Limits.mapBytes - chunk..<Limits.mapBytes)
    #expect(throws: CodecError.truncated(offset: bytes.count - 1)) {
      try MapManifest(decoding: Array(bytes.dropLast()))
    }
  }

  @Test func damagedManifestsAreRefusedOrOthers() throws {
    let manifest = try MapManifest(cutting: sample(seed: 11) + [1])
    let bytes = manifest.encoded()
    for length in 0..<bytes.count {
      #expect(throws: CodecError.self) { try MapManifest(decoding: Array(bytes.prefix(length))) }
    }
    #expect(throws: CodecError.self) { try MapManifest(decoding: bytes + [0]) }
    for bit in 0..<bytes.count * 8 {
      let damaged = flipped(bytes, bit: bit)
      guard let read = try? MapManifest(decoding: damaged) else { continue }
      #expect(read != manifest)
      #expect(read.encoded() == damaged)
    }
  }

  @Test func aChunkIsCompressedWhereItHelps() throws {
    var random = SplitMix(seed: 8)
    let noise = random.bytes(chunk)
    let zeros = [UInt8](repeating: 0, count: chunk)
    #expect(MapChunk(raw: noise, compress: true).codec == .raw)
    #expect(MapChunk(raw: zeros, compress: true).codec == .lz4)
    #expect(MapChunk(raw: zeros, compress: false).codec == .raw)
    #expect(MapChunk(raw: [1], compress: true).codec == .raw)
  }

  @Test func aDamagedChunkIsRefused() throws {
    let map = [UInt8](repeating: 3, count: 5_000) + sample(seed: 12)
    for compress in [false, true] {
      let raw = Array(map.prefix(chunk))
      let hash = SHA256.hash(raw)
      let chunk = MapChunk(raw: raw, compress: compress)
      var random = SplitMix(seed: 13)
      for _ in 0..<300 {
        let bit = Int.random(in: 0..<chunk.bytes.count * 8, using: &random)
        let damaged = try MapChunk(
          codec: chunk.codec.rawValue, bytes: flipped(chunk.bytes, bit: bit))
        // LZ4 can write some bytes in two ways: then they are still the right ones.
        let read = try? damaged.verified(against: hash, count: raw.count)
        #expect(read == nil || read == raw)
      }
      #expect(throws: BlobError.self) { try chunk.verified(against: hash, count: raw.count - 1) }
      #expect(throws: BlobError.wrongHash(expected: SHA256.hash([]))) {
        try chunk.verified(against: SHA256.hash([]), count: raw.count)
      }
    }
  }

  @Test func hostileSizesAreRefused() throws {
    #expect(throws: BlobError.unknownCodec(2)) { try MapChunk(codec: 2, bytes: [1]) }
    #expect(throws: BlobError.tooLarge(most: chunk)) {
      try MapChunk(codec: 1, bytes: [UInt8](repeating: 0, count: chunk + 1))
    }
    let zeros = MapChunk(raw: [UInt8](repeating: 0, count: 100), compress: true)
    for count in [Int.min, -1, 0, 99, 101, chunk + 1, Int.max] {
      #expect(throws: BlobError.self, "\(count)") { try zeros.raw(count: count) }
    }
  }
}
