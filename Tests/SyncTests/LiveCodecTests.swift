import HyperbasisCore
import HyperbasisSync
import Testing

/// Live changes are read as they were written, whatever the link remembers, and nothing else is taken.
@Suite struct LiveCodecTests {
  private func encoded(
    _ change: Change, of space: SpaceID = space, by encoder: inout LiveEncoder
  ) -> [UInt8] {
    var writer = ByteWriter()
    encoder.encode(change, of: space, into: &writer)
    return writer.bytes
  }

  private func decoded(
    _ bytes: [UInt8], by decoder: inout LiveDecoder
  ) throws -> (space: SpaceID, change: Change) {
    var reader = ByteReader(bytes)
    let read = try decoder.decode(from: &reader)
    try reader.finish()
    return read
  }

  /// Of replica 1 in ``space``.
  private func change(
    _ sequence: UInt64, _ operations: [HyperbasisCore.Operation], at timestamp: UInt64 = 9 << 16
  ) -> Change {
    let stamp = Stamp(
      timestamp: Timestamp(bits: timestamp), dot: Dot(replica: replica(1), sequence: sequence))
    return Change(stamp: stamp, operations: operations)
  }

  private func moved(_ x: Float, _ id: Int = 1) -> HyperbasisCore.Operation {
    .transform(anchor(id), try! Transform.identity.moved(to: (x, 0, 0)))
  }

  // MARK: Round trips

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `long streams are read as they were written, cut anywhere`(seed: UInt64) throws {
    var (stream, chance) = (LiveStream(seed: seed), Chance(state: seed))
    var (encoder, decoder) = (FrameEncoder(), FrameDecoder(limit: Limits.frameBytes))
    var (expected, read): ([Frame], [Frame]) = ([], [])
    var waiting: [UInt8] = []
    for _ in 0..<6_000 {
      let next = stream.next()
      expected.append(.change(next.space, next.change))
      waiting += encoder.encode(expected.last!)
      guard Int.random(in: 0..<3, using: &chance) == 0 else { continue }
      let cut = Int.random(in: 0...waiting.count, using: &chance)
      decoder.append(Array(waiting[..<cut]))
      waiting.removeFirst(cut)
      while let frame = try decoder.next() { read.append(frame) }
    }
    decoder.append(waiting)
    while let frame = try decoder.next() { read.append(frame) }
    #expect(read.count == expected.count)
    let wrong = zip(read, expected).first { $0 != $1 }
    #expect(wrong == nil, "\(String(describing: wrong))")
  }

  @Test func `a change that names all in full is read at any time`() throws {
    var (stream, encoder, decoder) = (LiveStream(seed: 7), LiveEncoder(), LiveDecoder())
    for number in 0..<2_000 {
      let next = stream.next()
      if number % 7 == 3 {
        var fresh = LiveEncoder()
        var copy = decoder
        let read = try decoded(encoded(next.change, of: next.space, by: &fresh), by: &copy)
        #expect(read == next)
      }
      #expect(try decoded(encoded(next.change, of: next.space, by: &encoder), by: &decoder) == next)
    }
  }

  @Test func `a move takes few bytes, and what stays the same none`() {
    var encoder = LiveEncoder()
    let first = encoded(change(1, [moved(1)]), by: &encoder)
    #expect(first.count == 1 + 1 + 32 + 2 + 1 + 1 + 16 + 2 + 4)
    let second = encoded(change(2, [moved(1.0001)], at: 26 << 16), by: &encoder)
    #expect(second.count == 1 + 2 + 1 + 2)
    let third = encoded(change(3, [moved(1.0001)], at: 26 << 16), by: &encoder)
    #expect(third.count == 1 + 1 + 1 + 2, "another mask, of nothing")
  }

  // MARK: What is bounded

  @Test func `what was named too long ago is named in full again`() throws {
    let tables: [(Int, Int, (Int) -> HyperbasisCore.Operation)] = [
      (Limits.liveAnchors, 16, { .metadata(anchor($0), "k", nil) }),
      (
        Limits.liveKeys, 6,
        { .metadata(anchor(1), Key("key \(10 + $0)".suffix(6).description), nil) }
      ),
    ]
    for (capacity, length, operation) in tables {
      for others in [capacity - 1, capacity] {
        var (encoder, decoder) = (LiveEncoder(), LiveDecoder())
        for number in 0...others {
          let next = change(UInt64(number + 1), [operation(number)])
          #expect(try decoded(encoded(next, by: &encoder), by: &decoder).change == next)
        }
        let again = change(UInt64(others + 2), [operation(0)])
        let bytes = encoded(again, by: &encoder)
        #expect((bytes.count > length) == (others == capacity))
        #expect(try decoded(bytes, by: &decoder).change == again)
      }
    }
  }

  @Test func `a transform is forgotten with its anchor`() throws {
    var (encoder, decoder) = (LiveEncoder(), LiveDecoder())
    for number in 0...Limits.liveAnchors + 1 {
      let next = change(UInt64(number + 1), [moved(Float(number) + 0.5, number)])
      #expect(try decoded(encoded(next, by: &encoder), by: &decoder).change == next)
    }
    for (sequence, number) in [0, Limits.liveAnchors, 3].enumerated() {
      let next = change(UInt64(Limits.liveAnchors + 3 + sequence), [moved(-7, number)])
      #expect(try decoded(encoded(next, by: &encoder), by: &decoder).change == next)
    }
  }

  /// Bytes of the longest key, once, then two bytes each.
  @Test func `a small frame cannot hold more than a change may`() throws {
    let key = Key(String(repeating: "k", count: Limits.keyBytes))
    func change(_ count: Int, _ rest: Int) -> Change {
      let unset = (1...count).map { HyperbasisCore.Operation.metadata(anchor($0), key, nil) }
      let text = Value.string(String(repeating: "r", count: rest))
      return self.change(1, unset + [.metadata(anchor(1), "rest", text)])
    }
    let count = Limits.changeBytes / (Limits.keyBytes + 40)
    let short = Limits.changeBytes - change(count, 100_000).encodedLength + 100_000
    for (rest, isAllowed) in [(short, true), (short + 1, false)] {
      let change = change(count, rest)
      #expect(change.encodedLength == Limits.changeBytes + rest - short)
      var (encoder, decoder) = (LiveEncoder(), LiveDecoder())
      let bytes = encoded(change, by: &encoder)
      #expect(bytes.count < Limits.changeBytes / 10)
      if isAllowed {
        #expect(try decoded(bytes, by: &decoder).change == change)
      } else {
        #expect(throws: CodecError.self) { try decoded(bytes, by: &decoder) }
      }
    }
  }

  // MARK: What is refused

  @Test func `damage is refused or read as another change`() throws {
    var (stream, encoder, decoder) = (LiveStream(seed: 11), LiveEncoder(), LiveDecoder())
    for _ in 0..<60 {
      let next = stream.next()
      let bytes = encoded(next.change, of: next.space, by: &encoder)
      for length in 0..<bytes.count {
        var copy = decoder
        #expect(throws: CodecError.self) { try decoded(Array(bytes.prefix(length)), by: &copy) }
      }
      for position in bytes.indices {
        for bit in 0..<8 {
          var damaged = bytes
          damaged[position] ^= 1 << bit
          expectSound(damaged, decoder)
        }
        for inserted in [0, 1, 0x80, 0xFF] as [UInt8] {
          var damaged = bytes
          damaged.insert(inserted, at: position)
          expectSound(damaged, decoder)
        }
      }
      #expect(try decoded(bytes, by: &decoder) == next)
    }
  }

  /// What is read from any bytes at all must be a change like every other, and so can be stored and sent on.
  private func expectSound(_ bytes: [UInt8], _ decoder: LiveDecoder) {
    var copy = decoder
    guard let read = try? decoded(bytes, by: &copy) else { return }
    var writer = ByteWriter()
    read.change.encode(into: &writer)
    #expect(writer.bytes.count == read.change.encodedLength)
    var reader = ByteReader(writer.bytes)
    #expect((try? Change(from: &reader)) == read.change)
    var (encoder, fresh) = (LiveEncoder(), LiveDecoder())
    let again = try? decoded(encoded(read.change, of: read.space, by: &encoder), by: &fresh)
    #expect(again.map { $0 == read } == true)
  }

  /// `S` is a new source, `A` an anchor's id, all else bytes in hex; see `Docs/PROTOCOL.md`.
  private func bytes(_ picture: String) -> [UInt8] {
    picture.split(separator: " ").flatMap { word -> [UInt8] in
      switch word {
      case "S":
        [0] + [UInt8](repeating: 1, count: 16) + [UInt8](repeating: 2, count: 16)
      case "A": [UInt8](repeating: 3, count: 16)
      default: [UInt8(word, radix: 16)!]
      }
    }
  }

  private static let refused: [(String, String)] = [
    ("the source before, and there is none", "00 00 07"),
    ("an unknown bit of the head", "21 S 00 07"),
    ("a source that was never named", "01 01 00 07"),
    ("a sequence of 0", "03 S 01 00 07"),
    ("a sequence that need not be there", "03 S 00 00 07"),
    ("a sequence beyond the last", "03 S 80 80 80 80 80 80 80 01 00 07"),
    ("a time that needs no parts", "05 S 80 04 07"),
    ("a time beyond all", "01 S FF FF FF FF FF FF FF FF FF 01 07"),
    ("a date that need not be there", "09 S 00 00 07"),
    ("one operation with its count", "11 S 00 01 07"),
    ("no operation", "11 S 00 00"),
    ("a register twice", "11 S 00 02 07 07"),
    ("an unknown kind", "01 S 00 1F"),
    ("a mark that the kind has not", "01 S 00 27"),
    ("an unknown mark", "01 S 00 82 00 A 00"),
    ("the anchor before, and there is none", "01 S 00 22 00"),
    ("an anchor that was never named", "01 S 00 02 01 00"),
    ("a key that was never named", "01 S 00 06 00 A 01"),
    ("the mask before, and there is none", "01 S 00 44 00 A"),
    ("a number that does not differ", "01 S 00 04 00 A 02 00 00 00 00 00"),
    ("a number that is not finite", "01 S 00 04 00 A 02 00 00 00 C0 7F"),
  ]

  @Test(arguments: refused.indices)
  func `what the form has not is refused`(index: Int) throws {
    let (name, picture) = Self.refused[index]
    var decoder = LiveDecoder()
    #expect(throws: CodecError.self, "\(name)") {
      try decoded(bytes(picture), by: &decoder)
    }
    let good = try decoded(bytes("01 S 00 07"), by: &decoder).change
    #expect(good.operations == [.name(nil)] && good.dot.sequence == 1)
  }

  // MARK: Links

  @Test func `both ends stay in step over what is ignored`() throws {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    var encoder = FrameEncoder()
    func hear(_ frames: [Frame]) {
      lab.engines[0].receive(
        frames.flatMap { encoder.encode($0) }, on: lab.pipes[pipe].link, at: lab.now)
      lab.settle(0)
    }
    // Of a space that is not held, behind a gap, known already: nothing of them is applied.
    hear([.hello(hello(1)), .change(SpaceID(99), change(1, [moved(1)]))])
    hear([.change(space, change(2, [moved(2)]))])
    hear([.change(space, change(1, [moved(3)])), .change(space, change(1, [moved(4)]))])
    hear([.change(space, change(2, [moved(5)]))])
    #expect(lab.farewells(0).isEmpty && lab.picture[0] == "B:2")
    #expect(lab.logs[0] == [change(1, [moved(3)]), change(2, [moved(5)])])
  }

  @Test func `a change that cannot be read ends the link, and the next one begins anew`() {
    let lab = Lab(2)
    lab.create(0, anchors: 1...2)
    let pipe = lab.connect(0, 1)
    lab.pump()
    for step in 1...3 { lab.edit(0, [moved(Float(step))]) }
    lab.move(pipe, from: 0, most: 2)
    var bytes = lab.nextFrame(0, on: lab.pipes[pipe].link)!
    bytes[5] |= 0x80
    lab.engines[1].receive(bytes, on: lab.pipes[pipe].link, at: lab.now)
    lab.settle(1)
    #expect(lab.farewells(1).map(\.reason) == [.malformed])
    lab.cut(pipe)
    lab.connect(0, 1)
    lab.pump()
    lab.edit(0, [moved(9)])
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories && lab.picture[1] == lab.picture[0])
  }
}
