import HyperbasisCore
import HyperbasisSync
import Testing

/// The bytes of each kind of frame as they were released: a later build reads and writes the same.
struct GoldenFrameTests {
  /// In the order of `FrameTests.frames`, to which new ones are added at the end.
  private static let golden = [
    """
    37000000014859504207000700000000000000000000000000000000010000000000000000000000000\
    0000002010000000000000005636166c3a9
    """,
    """
    460000000200000000000000000000000000005ace020000000000000000000000000000000203000000\
    00000000000000000000000003c8010700000000000000000000000000000000
    """,
    """
    470000000200000000000000000000000000005ace020000000000000000000000000000000203000000\
    00000000000000000000000003c801000000000000000000000000000000000100
    """,
    """
    360000000300000000000000000000000000005ace020000000000000000000000000000000203000000\
    00000000000000000000000003c80100
    """,
    """
    9b0000000400000000000000000000000000005ace0300020000000000000000000000000000000203\
    00000000000000000000000000000003c8010200000000000000000000000000000002030000000000\
    0000000000000000000003c80101000000000000000000000000000000020100000000000000000000\
    0000000000010001016b024013010201090100000000000c01016e040000000000000080
    """,
    """
    670000000400000000000000000000000000005ace0202000000000000000000000000000000020300\
    000000000000000000000000000003c801020000000000000000000000000000000203000000000000\
    00000000000000000003c80100000000000000000000000000
    """,
    """
    3a00000005030000000000000000000000000000005ace00000000000000000000000000000002048024\
    0400000000000000000000000000000000010000
    """,
    """
    350000000800000000000000000000000000005ace020000000000000000000000000000000203000000\
    00000000000000000000000003c801
    """,
    """
    610000000900000000000000000000000000005ace00010000000000000000000000000000000201000\
    000000000000000000000000000010001016b0440124502020201020901020000000010030000000000\
    0000000001808080f007030000000301016e
    """,
    """
    310000000a00000000000000000000000000005ace000000100000000000000000000000000000000000\
    0000000000000000000005
    """,
    """
    2a0000000b000000100000000000000000000000000000000000000000000000000000000501ac02c801\
    03010203
    """,
    "210000000c0000001000000000000000000000000000000000000000000000000000000005",
    """
    320000000d00000000000000000000000000005ace000000100000000000000000000000000000000000\
    000000000000000000000501
    """,
    """
    3c0000000d00000000000000000000000000005ace000000100000000000000000000000000000000000\
    00000000000000000000050009010200000000000040
    """,
    """
    330000000d00000000000000000000000000005ace000000100000000000000000000000000000000000\
    00000000000000000000050000
    """,
    "0100000006",
    "1000000007060d746f6f20666172206168656164",
    """
    6d0000000e00000000000000000000000000005ace010000000000000000000000000000000200020003\
    000009000000000000110000000000000000000000000000000200030000090000000000001300000000\
    0000000000000000000000030000000000000000000000000000000202
    """,
    """
    3a0000000f00000000000000000000000000005ace01000009000000000000000000000000000000000\
    00000000200000000000000000000000000000003
    """,
    "110000001000000000000000000000000000005ace",
    "110000001100000000000000000000000000005ace",
    """
    730000001200000000000000000000000000005ace020000000000000000000000000000000203000000\
    00000000000000000000000003c801010000000000000000000000000000000200000900000000000200\
    0000000000000000000000000000020300000000000000000000000000000003c80100
    """,
    """
    3d0000001300000000000000000000000000005ace020000000000000000000000000000000203000000\
    00000000000000000000000003c8010000070000000000
    """,
    """
    320000001400000000000000000000000000005ace02000000000000000000000000000000020000000\
    0000000000000000000000003
    """,
  ]

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    return stride(from: 0, to: digits.count, by: 2).map { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)!
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test("frames as they were released are read, and written byte for byte")
  func released() throws {
    for (index, hex) in Self.golden.enumerated() {
      var decoder = FrameDecoder(limit: Limits.frameBytes)
      decoder.append(Self.bytes(hex))
      let frame = try #require(try decoder.next())
      #expect(frame == FrameTests.frames[index])
      #expect(Self.hex(frame.encoded()) == hex)
    }
    #expect(
      Self.golden.count == FrameTests.frames.count,
      "add: \(FrameTests.frames.dropFirst(Self.golden.count).map { Self.hex($0.encoded()) })")
  }

  /// The example of `Docs/PROTOCOL.md`: an anchor is made, moved twice, and loses a key by another author.
  private static let live: [Frame] = {
    let (space, anchor) = (
      SpaceID(text: "55555555-5555-4555-8555-555555555555")!,
      AnchorID(text: "66666666-6666-4666-8666-666666666666")!
    )
    let authors = ["22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"]
      .map { ReplicaID(text: $0)! }
    func moved(_ x: Float) -> HyperbasisCore.Operation {
      .transform(anchor, try! Transform.identity.moved(to: (x, 0.5, -2)))
    }
    func frame(
      _ author: Int, _ sequence: UInt64, after milliseconds: UInt64, fraction: UInt16 = 0,
      _ operations: [HyperbasisCore.Operation]
    ) -> Frame {
      let timestamp = Timestamp(milliseconds: 1_700_000_000_000 + milliseconds, counter: fraction)
      let stamp = Stamp(
        timestamp: timestamp, dot: Dot(replica: authors[author], sequence: sequence),
        date: author == 0 ? nil : timestamp.nanoseconds + 5)
      return .change(space, Change(stamp: stamp, operations: operations))
    }
    let created = Timestamp(milliseconds: 1_700_000_000_000).nanoseconds
    return [
      frame(
        0, 300, after: 0,
        [
          .existence(anchor, Existence(created: created)), moved(1),
          .metadata(anchor, "kind", .string("note")),
        ]),
      frame(0, 301, after: 16, fraction: 0x8000, [moved(1.01)]),
      frame(0, 302, after: 33, [moved(1.02)]),
      frame(1, 8, after: 40, fraction: 1, [.metadata(anchor, "kind", nil)]),
    ]
  }()

  private static let goldenLive = [
    """
    5d0000000513005555555555554555855555555555555522222222222242228222222222222222d60480\
    80c0d6fcf3c50103020066666666666646668666666666666666002400700000803f0000003f000000c0\
    2500046b696e6405046e6f7465
    """,
    "0a00000005008042240010dc9e0a",
    "080000000500804264dc9e0a",
    """
    30000000050f0055555555555545558555555555555555333333333333433383333333333333330e8280\
    c082adf9e78b030a2601
    """,
  ]

  /// Of one catch-up: the second one names what the first one had by its places.
  private static let batches: [Frame] = {
    func stamp(_ sequence: UInt64, _ milliseconds: UInt64) -> Stamp {
      Stamp(
        timestamp: Timestamp(milliseconds: milliseconds),
        dot: Dot(replica: replica(1), sequence: sequence))
    }
    func vector(_ sequence: UInt64) -> VersionVector {
      var vector = VersionVector()
      vector[replica(1)] = sequence
      return vector
    }
    func cell(_ operation: HyperbasisCore.Operation, _ stamp: Stamp) -> Cell {
      Cell(operation: operation, stamp: stamp)
    }
    let note = Value.string("note")
    return [
      .batch(
        Batch(
          space: space, base: VersionVector(), covers: vector(1), horizon: vector(2),
          cells: [
            cell(.existence(anchor(1), Existence(created: 5_000_003)), stamp(1, 5)),
            cell(.transform(anchor(1), .identity), stamp(1, 5)),
            cell(.metadata(anchor(1), "kind", note), stamp(1, 5)),
          ])),
      .batch(
        Batch(
          space: space, base: nil, covers: vector(2), horizon: vector(2),
          cells: [
            cell(.metadata(anchor(2), "kind", note), stamp(2, 9)),
            cell(.metadata(anchor(1), "size", nil), stamp(2, 9)),
          ])),
    ]
  }()

  private static let goldenBatches = [
    """
    830000000400000000000000000000000000005ace0300010000000000000000000000000000000201\
    0100000000000000000000000000000002020100000000000000000000000000000002010000000000\
    00000000000000000000010001046b696e6403510207010001050100000200060a030000000000000000\
    000300000005046e6f7465
    """,
    """
    5f0000000400000000000000000000000000005ace0001000000000000000000000000000000020201\
    000000000000000000000000000000020200010000000000000000000000000000000200010473697a65\
    02592501010109010001000000000100
    """,
  ]

  @Test(
    "batches of a catch-up as they were released are read one after another, and written byte for byte"
  )
  func releasedBatches() throws {
    var (encoder, decoder) = (FrameEncoder(), FrameDecoder(limit: Limits.frameBytes))
    decoder.append(Self.goldenBatches.flatMap(Self.bytes))
    for (frame, hex) in zip(Self.batches, Self.goldenBatches) {
      #expect(try decoder.next() == frame)
      #expect(Self.hex(encoder.encode(frame)) == hex)
    }
  }

  /// The names by writes that `Docs/PROTOCOL.md` tells of: of what change 1 made there is one anchor, of change 2
  /// two; and one is new. The hashes were computed from that text.
  private static let goldenNames = """
    920000000400000000000000000000000000005ace03010000000000000000000000000000000202010000\
    00000000000000000000000000020301000000000000000000000000000000020301000000000000000000\
    00000000000002010000000000000000000000000000000402000102010104\
    3a8a48f4d1a4ff2577db52b8\
    01046b696e64037535150102010901000000000000
    """

  @Test(
    "a batch that names anchors by writes as it was released is read, and written byte for byte")
  func releasedNames() throws {
    func change(_ sequence: UInt64, _ milliseconds: UInt64, _ operations: [Operation]) -> Change {
      let stamp = Stamp(
        timestamp: Timestamp(milliseconds: milliseconds),
        dot: Dot(replica: replica(1), sequence: sequence))
      return Change(stamp: stamp, operations: operations)
    }
    func made(_ number: Int) -> Operation { .existence(anchor(number), Existence(created: 1)) }
    var receiver = SpaceState(id: space)
    _ = try receiver.apply(change(1, 5, [made(1)]))
    _ = try receiver.apply(change(2, 6, [made(2), made(3)]))
    var sender = receiver
    _ = try sender.apply(change(3, 9, [1, 2, 4].map { .metadata(anchor($0), "kind", nil) }))
    let base = receiver.vector
    let part = sender.part(after: base, budget: .max)
    let batch = Batch(
      space: space, base: base, covers: part.covers, horizon: sender.vector, cells: part.cells,
      names: WriteNamer(of: part, of: sender, within: base))
    #expect(Self.hex(Frame.batch(batch).encoded()) == Self.goldenNames)

    var decoder = FrameDecoder(limit: Limits.frameBytes)
    decoder.append(Self.bytes(Self.goldenNames))
    guard case .batch(let received) = try decoder.next() else {
      Issue.record("it is no batch")
      return
    }
    #expect(received.cells.hasUntold && received.cells.whole == nil)
    var known: [AnchorID] = []
    #expect(received.cells.told(by: receiver, after: &known) == part.cells)
    #expect(known == [anchor(1), anchor(2)])
  }

  @Test("live changes as they were released are read one after another, and written byte for byte")
  func releasedLive() throws {
    var (encoder, decoder) = (FrameEncoder(), FrameDecoder(limit: Limits.frameBytes))
    decoder.append(Self.goldenLive.flatMap(Self.bytes))
    for (frame, hex) in zip(Self.live, Self.goldenLive) {
      #expect(try decoder.next() == frame)
      #expect(Self.hex(encoder.encode(frame)) == hex)
    }
    var fresh = FrameEncoder()
    #expect(
      Self.goldenLive.count == Self.live.count, "\(Self.live.map { Self.hex(fresh.encode($0)) })")
  }
}
