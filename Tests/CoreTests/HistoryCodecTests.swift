import Testing

@testable import HyperbasisCore

/// Whole changes as rows of a table, and the steps of a drag.
@Suite struct HistoryCodecTests {
  private let codec = CodecVerifier<[Change]>(
    encode: { changes, writer in
      var cells = CellTable()
      for change in changes { cells.append(change) }
      var names = CellNames()
      BatchCells(cells).encode(into: &writer, names: &names)
    },
    decode: { reader in
      var names = CellNames()
      guard let cells = try BatchCells(from: &reader, names: &names).whole else {
        throw CodecError.invalid("names by writes", offset: 0)
      }
      return try cells.changes(readAt: 0)
    })

  /// A drag of two anchors in turns of a few steps, with a key between.
  private func drag(_ random: inout SplitMix, count: UInt64) throws -> [Change] {
    var position: [Float] = [0.5, 1.25, -3]
    return try (1...count).map { sequence in
      let moved = anchor(Int(sequence / 4 % 2))
      if sequence.isMultiple(of: 7) {
        return change(1, sequence, at: sequence << 8, [.metadata(moved, "k", .int(1))])
      }
      for axis in 0..<3 { position[axis] += .random(in: -0.01...0.01, using: &random) }
      let transform = try Transform(
        [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] + position + [1])
      return change(1, sequence, at: sequence << 8, [.transform(moved, transform)])
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func changesOfSeveralAuthorsAreReadAsTheyWere(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let changes =
      Scenario(seed: seed, authors: 3, count: 60).changes
      .sorted { $0.stamp.dot.sequence < $1.stamp.dot.sequence } + [try largeChange(&random)]
    #expect(try codec.decoded(codec.encoded(changes)) == changes)
  }

  private func largeChange(_ random: inout SplitMix) throws -> Change {
    let operations = (0..<200).flatMap { number in
      [
        Operation.existence(anchor(number), Existence(created: .random(in: 0...9, using: &random))),
        .transform(anchor(number), .identity), .metadata(anchor(number), "k", nil),
      ]
    }
    return change(9, 1, at: 1, operations + [.name("Kitchen")])
  }

  @Test func damagedChangesAreRefusedOrReadAsOthers() throws {
    var random = SplitMix(seed: 1)
    codec.verify(try drag(&random, count: 9))
    codec.verify(Scenario(seed: 2, authors: 2, count: 6).changes)
  }

  @Test func aStepOfADragIsTold() throws {
    var random = SplitMix(seed: 3)
    let changes = try drag(&random, count: 1_000)
    let bytes = codec.encoded(changes)
    #expect(try codec.decoded(bytes) == changes)
    #expect(bytes.count < 21 * changes.count)
  }

  @Test func rowsOfOneDotThatAreNoChangeAreRefused() throws {
    let first = change(1, 1, at: 5, [.name("a")])
    let second = change(1, 1, at: 6, [.metadata(anchor(1), "k", .null)])
    #expect(throws: CodecError.self) { try codec.decoded(codec.encoded([first, second])) }
    let again = change(1, 1, at: 5, [.name("b")])
    #expect(throws: CodecError.self) { try codec.decoded(codec.encoded([first, again])) }
  }

  @Test func aChangeThatIsTooLongIsRefused() throws {
    let text = String(repeating: "x", count: Limits.valueBytes)
    let count = Limits.changeBytes / Limits.valueBytes
    let operations = (0..<count).map { Operation.metadata(anchor($0), "k", .string(text)) }
    let most = change(1, 1, at: 1, Array(operations.dropLast()))
    #expect(try codec.decoded(codec.encoded([most])) == [most])
    let tooLong = change(1, 1, at: 1, operations)
    #expect(throws: CodecError.self) { try codec.decoded(codec.encoded([tooLong])) }
  }

  @Test func stepsOfTransformsAreReadBitForBit() throws {
    var random = SplitMix(seed: 4)
    var last = Transform.identity
    for _ in 0..<2_000 {
      var numbers = last.elements
      for index in 0..<16 where Int.random(in: 0..<3, using: &random) == 0 {
        numbers[index] = Float(bitPattern: .random(in: 0..<0x7F80_0000, using: &random))
      }
      let transform = try Transform(elements: numbers)
      var writer = ByteWriter()
      transform.encodeStep(after: last, into: &writer)
      var reader = ByteReader(writer.bytes)
      #expect(try Transform(stepFrom: &reader, after: last) == transform)
      #expect(reader.remaining == 0)
      last = transform
    }
  }

  @Test(
    arguments: [
      // A bit beyond the numbers, a number that is the same, one that has no room, one that is not finite.
      [0x80, 0x80, 0x04], [0x01, 0x00], [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [0x01, 0x80, 0x80, 0x80, 0xF8, 0x0F],
    ] as [[UInt8]])
  func aStepThatIsNoneIsRefused(bytes: [UInt8]) {
    #expect(throws: CodecError.self) {
      var reader = ByteReader(bytes)
      _ = try Transform(stepFrom: &reader, after: .identity)
    }
  }
}
