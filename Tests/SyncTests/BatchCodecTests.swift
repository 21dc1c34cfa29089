import HyperbasisCore
import HyperbasisSync
import Testing

/// Batches of catch-ups that go on together on one link.
struct BatchCodecTests {
  private func vector(_ sequence: UInt64) -> VersionVector {
    var vector = VersionVector()
    vector[replica(1)] = sequence
    return vector
  }

  /// The batch of one change of a catch-up up to `end`.
  private func batch(
    _ space: SpaceID, _ sequence: UInt64, of end: UInt64, keys: Range<Int> = 0..<3, longest: Int = 3
  ) -> Frame {
    let stamp = Stamp(
      timestamp: Timestamp(milliseconds: sequence),
      dot: Dot(replica: replica(1), sequence: sequence))
    let cells = keys.map { number in
      let text = "\(number)"
      let key = Key(text + String(repeating: "k", count: max(0, longest - text.utf8.count)))
      return Cell(
        operation: .metadata(anchor(Int(sequence) % 5), key, .int(Int64(number))), stamp: stamp)
    }
    return .batch(
      Batch(
        space: space, base: sequence == 1 ? VersionVector() : nil, covers: vector(sequence),
        horizon: vector(end), cells: CellTable(cells)))
  }

  @Test func `catch-ups of several spaces keep their names apart, and begin anew`() throws {
    var (encoder, decoder) = (FrameEncoder(), FrameDecoder(limit: Limits.frameBytes))
    let spaces = [SpaceID(1), SpaceID(2)]
    for _ in 0..<2 {
      for sequence in 1...6 as ClosedRange<UInt64> {
        for space in spaces {
          let frame = batch(space, sequence, of: 6)
          decoder.append(encoder.encode(frame))
          #expect(try decoder.next() == frame)
        }
      }
    }
  }

  @Test func `a batch of a fresh sender is read at any time`() throws {
    var (encoder, decoder) = (FrameEncoder(), FrameDecoder(limit: Limits.frameBytes))
    decoder.append(encoder.encode(batch(SpaceID(1), 1, of: 9)))
    _ = try decoder.next()
    let second = batch(SpaceID(1), 2, of: 9)
    decoder.append(second.encoded())
    #expect(try decoder.next() == second)
  }

  @Test func `a batch that goes on with names that are not there ends the link`() throws {
    var encoder = FrameEncoder()
    _ = encoder.encode(batch(SpaceID(1), 1, of: 9))
    var decoder = FrameDecoder(limit: Limits.frameBytes)
    decoder.append(encoder.encode(batch(SpaceID(1), 2, of: 9)))
    #expect(throws: CodecError.self) { try decoder.next() }
  }

  @Test func `a sender with many names forgets them, and is understood`() throws {
    var (encoder, decoder) = (FrameEncoder(), FrameDecoder(limit: Limits.frameBytes))
    var lengths: [Int] = []
    for sequence in 1...7 as ClosedRange<UInt64> {
      // Twice the same keys, then others.
      let first = Int(sequence - 1) / 2 * 3_000
      let frame = batch(
        SpaceID(1), sequence, of: 9, keys: first..<first + 3_000, longest: Limits.keyBytes)
      let bytes = encoder.encode(frame)
      lengths.append(bytes.count)
      decoder.append(bytes)
      #expect(try decoder.next() == frame)
    }
    // The keys of each second one are known, but for the sixth: after the fifth all were forgotten.
    #expect(lengths.map { $0 > 1_000_000 } == [true, false, true, false, true, true, true])
  }
}
