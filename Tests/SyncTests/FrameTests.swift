import HyperbasisCore
import HyperbasisSync
import Testing

/// Frames are cut out of any stream of bytes, and bad ones are refused.
@Suite struct FrameTests {
  private static let vector: VersionVector = {
    var vector = VersionVector()
    vector[replica(1)] = 3
    vector[replica(2)] = 200
    return vector
  }()

  private static let stamp = Stamp(
    timestamp: Timestamp(milliseconds: 9), dot: Dot(replica: replica(1), sequence: 3))

  private static let later = Stamp(
    timestamp: Timestamp(milliseconds: 10), dot: Dot(replica: replica(1), sequence: 4))

  private static let hash = ContentHash(high: 1 << 100, low: 5)

  private static let confirmations: Confirmations = {
    var confirmations = Confirmations()
    confirmations.cut = vector
    confirmations.members[replica(1)] = MemberProgress(
      since: stamp.timestamp, vector: vector, floor: VersionVector())
    return confirmations
  }()

  /// Of the protocol that is spoken.
  static let frames: [Frame] = [
    .hello(hello(1, name: "caf\u{E9}")),
    have(space, vector, digest: 7), have(space, vector, history: VersionVector()),
    .want(space, since: vector),
    .batch(
      Batch(
        space: space, base: VersionVector(), covers: vector, horizon: vector,
        cells: [
          Cell(operation: .name("n"), stamp: stamp),
          Cell(operation: .metadata(anchor(1), "k", .double(-0.0)), stamp: stamp),
        ])),
    .batch(Batch(space: space, base: nil, covers: vector, horizon: vector, cells: [])),
    .change(space, Change(stamp: stamp, operations: [.transform(anchor(1), .identity)])),
    .wantHistory(space, since: vector),
    .history(
      HistoryPart(
        space: space,
        changes: [
          Change(stamp: stamp, operations: [.name("n"), .transform(anchor(1), .identity)]),
          Change(
            stamp: later,
            operations: [
              .metadata(anchor(1), "k", nil),
              .transform(anchor(1), try! Transform.identity.moved(to: (0.5, 0, 0))),
            ]),
        ], isLast: false)),
    .wantBlob(BlobName(space: space, hash: hash)),
    .blob(hash, BlobPart(codec: 1, total: 300, offset: 200, bytes: [1, 2, 3])), .noBlob(hash),
    .map(space, MapNews(manifest: hash, chunks: nil)),
    .map(space, MapNews(manifest: hash, chunks: ChunkSet([0, 9, 70]))),
    .map(space, MapNews(manifest: hash, chunks: ChunkSet())),
    .ping, .bye(Farewell(.clock, "too far ahead")),
    .members(
      space,
      [
        Cell(operation: .member(replica(1), .founder), stamp: stamp),
        Cell(
          operation: .member(replica(2), .kept(Dot(replica: replica(1), sequence: 2))),
          stamp: stamp),
      ]),
    .join(
      space,
      MemberRank(isAhead: true, timestamp: stamp.timestamp, author: replica(1), holder: replica(2))),
    .admitted(space), .wantSnapshot(space), .confirmed(space, confirmations),
    .snapshot(space, GivenUp(floor: vector, last: Timestamp(milliseconds: 7))),
    .direct(space, [replica(1), replica(2)]),
  ]

  private func decoded(_ chunks: [[UInt8]]) throws -> [Frame] {
    var decoder = FrameDecoder(limit: Limits.frameBytes)
    var frames: [Frame] = []
    for chunk in chunks {
      decoder.append(chunk)
      while let frame = try decoder.next() { frames.append(frame) }
    }
    return frames
  }

  @Test func `byte by byte, coalesced and cut anywhere`() throws {
    let bytes = Self.frames.flatMap { $0.encoded() }
    #expect(try decoded([bytes]) == Self.frames)
    #expect(try decoded(bytes.map { [$0] }) == Self.frames)
    for position in bytes.indices {
      let chunks = [Array(bytes[..<position]), [], Array(bytes[position...])]
      #expect(try decoded(chunks) == Self.frames)
      #expect(try decoded([chunks[0]]).count <= Self.frames.count)
    }
  }

  @Test(arguments: frames.indices)
  func `damage is refused or read as another frame`(index: Int) {
    let payload = Array(Self.frames[index].encoded().dropFirst(4))
    for length in 0..<payload.count {
      #expect(throws: CodecError.self) { try Frame(payload: Array(payload.prefix(length))) }
    }
    for position in payload.indices {
      for bit in 0..<8 {
        var damaged = payload
        damaged[position] ^= 1 << bit
        guard let frame = try? Frame(payload: damaged) else { continue }
        // Anchors that writes name have no ids to be written.
        if case .batch(let batch) = frame, batch.cells.hasUntold { continue }
        #expect((try? Frame(payload: Array(frame.encoded().dropFirst(4)))) == frame)
      }
      for inserted in [0, 1, 0x80, 0xFF] as [UInt8] {
        var damaged = payload
        damaged.insert(inserted, at: position)
        _ = try? Frame(payload: damaged)
      }
    }
    if index > 0 { #expect(throws: CodecError.self) { try Frame(payload: payload + [0]) } }
  }

  @Test func `lengths that lie are refused before anything is kept`() throws {
    for length in [0, 1_025, 1 << 31, .max] as [UInt32] {
      var writer = ByteWriter()
      writer.fixed(length)
      var decoder = FrameDecoder(limit: Limits.helloBytes)
      decoder.append(writer.bytes)
      #expect(throws: CodecError.self, "\(length)") { try decoder.next() }
    }
    var decoder = FrameDecoder(limit: Limits.helloBytes)
    decoder.append([0, 4, 0, 0])
    #expect(try decoder.next() == nil)
  }

  @Test func `a blob beyond its limit is refused`() {
    let most = Limits.mapChunkBytes
    let frames = [most, most + 1].map { count in
      Frame.blob(
        Self.hash, BlobPart(BlobBody(codec: 0, bytes: [UInt8](repeating: 0, count: count))))
    }
    let payloads = frames.map { Array($0.encoded().dropFirst(4)) }
    #expect((try? Frame(payload: payloads[0])) == frames[0])
    #expect(throws: CodecError.self) { try Frame(payload: payloads[1]) }
  }

  @Test func `a farewell's text is cut at a character's border`() throws {
    let long = Farewell(.version, String(repeating: "\u{1F9ED}", count: 100))
    #expect(long.text.utf8.count == 252)
    let bytes = Frame.bye(long).encoded()
    #expect(try Frame(payload: Array(bytes.dropFirst(4))) == .bye(long))
  }

  @Test func `a hello of a later version may carry more`() throws {
    let payload = Array(Frame.hello(hello(1)).encoded().dropFirst(4)) + [1, 2, 3]
    #expect(try Frame(payload: payload) == .hello(hello(1)))
  }
}
