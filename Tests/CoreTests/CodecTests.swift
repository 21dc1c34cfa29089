import HyperbasisCore
import Testing

/// What is written is read, and nothing else is.
@Suite struct CodecTests {
  @Test(arguments: values.indices)
  func `values keep type and bits, and damage is refused or harmless`(index: Int) {
    valueCodec.verify(values[index])
  }

  @Test func `nested values and long texts`() {
    valueCodec.verify(.array(Array(values.prefix(10))))
    valueCodec.verify(.string(String(repeating: "\u{1F9ED}", count: 40)))
  }

  @Test func vectors() {
    var vector = VersionVector()
    vectorCodec.verify(vector)
    vector[replica(1)] = 1
    vector[replica(3)] = 1 << 48
    vector[ReplicaID(.max)] = 128
    vectorCodec.verify(vector)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func changes(seed: UInt64) {
    for change in Scenario(seed: seed, authors: 2, count: 2).changes { changeCodec.verify(change) }
  }

  @Test func `the length of a change is counted as it is written`() {
    let many = (1...300).map { Operation.metadata(anchor($0), "k", values[$0 % values.count]) }
    let changes =
      Scenario(seed: 1, authors: 2, count: 300, anchors: 3).changes
      + [change(1, 1 << 48, at: .max, many), change(1, 127, at: 0, [.retention(.seconds(.max))])]
    for change in changes {
      #expect(changeCodec.encoded(change).count == change.encodedLength)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func cells(seed: UInt64) throws {
    let state = try state(Scenario(seed: seed, authors: 3, count: 5).changes)
    cellsCodec.verify(state.delta(since: VersionVector()).cells)
    cellsCodec.verify([])
  }

  @Test func `random bytes are never a trap`() {
    var random = SplitMix(seed: 1)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random) & (Bool.random(using: &random) ? 0xFF : 0x07)
      }
      valueCodec.expectSound(bytes)
      vectorCodec.expectSound(bytes)
      changeCodec.expectSound(bytes)
      cellsCodec.expectSound(bytes)
    }
  }

  @Test func `varints at their edges`() throws {
    let edges: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, 1 << 48, 1 << 63, .max]
    for number in edges {
      var writer = ByteWriter()
      writer.varint(number)
      #expect(writer.bytes.count == max(1, (64 - number.leadingZeroBitCount + 6) / 7))
      var reader = ByteReader(writer.bytes)
      #expect(try reader.varint() == number)
    }
    let refused: [[UInt8]] = [
      [], [0x80], [0x80, 0x00], [0xFF, 0x80, 0x00],
      Array(repeating: 0xFF, count: 9) + [0x02], Array(repeating: 0xFF, count: 10),
      Array(repeating: 0x80, count: 10) + [0x01],
    ]
    for bytes in refused {
      #expect(throws: CodecError.self, "\(bytes)") {
        var reader = ByteReader(bytes)
        return try reader.varint()
      }
    }
    for number in [0, 1, -1, 63, -64, 64, .min, .max] as [Int64] {
      var writer = ByteWriter()
      writer.signed(number)
      var reader = ByteReader(writer.bytes)
      #expect(try reader.signed() == number)
    }
  }

  @Test func `numbers that are not finite are refused`() {
    for number in [Double.nan, .signalingNaN, .infinity, -.infinity] {
      #expect(throws: CodecError.self) {
        try valueCodec.decoded(valueCodec.encoded(.double(number)))
      }
    }
    for count in [0, 15, 17] {
      let numbers = [Float](repeating: 1, count: count)
      #expect(throws: TransformError.wrongCount(count)) { try Transform(numbers) }
    }
    for number in [Float.nan, .infinity, -.infinity] {
      #expect(throws: TransformError.notFinite(index: 13)) {
        try Transform.identity.moved(to: (0, number, 0))
      }
    }
  }

  @Test func `nesting and lengths have limits`() {
    func nested(_ depth: Int) -> Value {
      (0..<depth).reduce(.null) { value, _ in .array([value]) }
    }
    valueCodec.verify(nested(Limits.valueDepth))
    // Found by fuzzing: levels count, whatever is in the last one.
    for inmost in [Value.array([]), .object(Value.Object())] {
      let value = (0..<Limits.valueDepth).reduce(inmost) { value, _ in .array([value]) }
      #expect(throws: CodecError.self) { try valueCodec.decoded(valueCodec.encoded(value)) }
    }
    #expect(throws: CodecError.self) {
      try valueCodec.decoded(valueCodec.encoded(nested(Limits.valueDepth + 1)))
    }
    // An array that says it has ten thousand levels.
    let deep = (0..<20_000).map { $0 % 2 == 0 ? 6 : 1 as UInt8 } + [0]
    #expect(throws: CodecError.self) { try valueCodec.decoded(deep) }
    let long = Value.string(String(repeating: "x", count: Limits.valueBytes))
    #expect(throws: CodecError.self) { try valueCodec.decoded(valueCodec.encoded(long)) }
  }

  @Test func `a change beyond its limit of bytes is refused`() {
    let value = Value.string(String(repeating: "x", count: Limits.valueBytes - 100))
    let keys: [Key] = ["a", "b", "c", "d", "e"]
    let large = change(1, 1, at: 1, keys.map { .metadata(anchor(1), $0, value) })
    #expect(throws: CodecError.self) { try changeCodec.decoded(changeCodec.encoded(large)) }
  }

  @Test func `writes of one change beyond their limit of bytes are refused`() {
    let value = Value.string(String(repeating: "x", count: Limits.valueBytes - 100))
    let keys: [Key] = ["a", "b", "c", "d", "e", "f"]
    let stamp = change(1, 1, at: 1, [.name("x")]).stamp
    let cells = keys.map { Cell(operation: .metadata(anchor(1), $0, value), stamp: stamp) }
    #expect(throws: CodecError.self) { try cellsCodec.decoded(cellsCodec.encoded(cells)) }
  }
}
