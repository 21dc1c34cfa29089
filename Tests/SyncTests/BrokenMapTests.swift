import HyperbasisCore
import HyperbasisSync
import Testing

/// Links that break, peers that lie, disks that fail, while a map is on its way.
@Suite struct BrokenMapTests {
  private let map = ToyMap(64 * 5 + 9)

  /// Peers 0 and 1 with the map at 0, linked, and what 0 says to 1 until the map is whole.
  private func stream(_ map: ToyMap) -> [UInt8] {
    let lab = Lab(2, tuning: Lab.toyTuning)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.pump()
    return lab.pipes[pipe].sent[0].flatMap { $0.encoded() }
  }

  @Test func `cut at every byte, it goes on where it was`() {
    let map = ToyMap(64 + 9)
    for cut in stream(map).indices {
      let lab = Lab(2, tuning: Lab.toyTuning)
      lab.setMap(0, map)
      let pipe = lab.connect(0, 1)
      lab.move(pipe, from: 1)
      var left = cut
      while left > 0,
        let bytes = lab.engines[0].nextFrame(for: lab.pipes[pipe].link, at: lab.now)
      {
        lab.work(0)
        lab.engines[1].receive(Array(bytes.prefix(left)), on: lab.pipes[pipe].link, at: lab.now)
        lab.settle(1)
        left -= min(left, bytes.count)
        lab.move(pipe, from: 1)
      }
      let here = lab.mapDisks[1].stored.count
      lab.cut(pipe)
      let next = lab.connect(0, 1)
      lab.pump()
      #expect(lab.has(map, 1), "cut at \(cut)")
      #expect(lab.blobs(next, from: 0).count == map.manifest.chunks.count + 1 - here)
      #expect(lab.farewells(1).allSatisfy { $0.reason == .leaving })
    }
  }

  /// The simulator found it: nobody had the map of a space any more, somebody stored it anew, and since
  /// the space had that map already, nothing was written and nobody looked.
  @Test func `a map that nobody has any more is back when somebody stores it`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    lab.edit(0, [.worldMap(map.reference)])
    lab.connect(0, 1)
    lab.pump()
    #expect(!lab.has(map, 0) && !lab.has(map, 1))
    lab.keep(map, at: 0)
    #expect(lab.edit(0, [.worldMap(map.reference)]) == nil)
    lab.engines[0].piecesWereStored()
    lab.settle(0)
    lab.pump()
    #expect(lab.has(map, 0) && lab.has(map, 1))
  }

  /// The simulator found it: a chunk was to be asked for on behalf of one space, which came to have another
  /// map before it was; the other space that misses the chunk did not ask.
  @Test func `what two spaces miss is asked for when one of them wants it no more`() {
    let map = ToyMap(40)
    let other = SpaceID(space.bits + 1)
    let lab = Lab(2, tuning: Lab.toyTuning)
    for number in 0...1 {
      lab.engines[number].join(other, at: lab.now)
      lab.settle(number)
    }
    lab.mapDisks[1].blobs[map.reference.manifest] = map.manifest.encoded()
    let pipe = lab.connect(0, 1)
    lab.pump()
    lab.setMap(0, map)
    _ = lab.engines[0].edit(other, [.worldMap(map.reference)], at: lab.now)
    lab.settle(0)
    lab.move(pipe, from: 0)
    #expect(lab.verified(1) == 0 && lab.wants(pipe, from: 1).isEmpty)
    lab.edit(1, [.worldMap(nil)])
    lab.move(pipe, from: 1)
    #expect(lab.wants(pipe, from: 1) == map.manifest.chunks)
    lab.pump()
    #expect(lab.engines[1].mapProgress(of: other)?.isWhole == true)
  }

  /// The simulator found it: a peer that had the map whole, and was told nothing therefore, lost all of it
  /// while another map was in force. That it lacks a chunk was noted, and still it was told nothing.
  @Test func `a peer that turns out to have lost its map is told what is here of it`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let manifest = map.reference.manifest
    lab.mapDisks[1].blobs[manifest] = map.manifest.encoded()
    lab.mapDisks[1].isFull = true
    lab.setMap(0, map)
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.has(map, 0) && lab.verified(1) == 0)
    lab.mapDisks[0].blobs = [:]
    lab.engines[0].lookUpMap(of: space)
    lab.settle(0)
    lab.mapDisks[1].isFull = false
    lab.pass(Limits.mapRetryMilliseconds + 1_000)
    #expect(lab.mapDisks[0].blobs[manifest] != nil)
    lab.keep(map, at: 1)
    lab.engines[1].piecesWereStored()
    lab.pump()
    #expect(lab.has(map, 0) && lab.has(map, 1))
  }

  @Test func `blobs come in parts, and parts that do not follow each other end the link`() {
    var tuning = Lab.toyTuning
    tuning.blobPartBytes = 10
    let lab = Lab(2, tuning: tuning)
    lab.setMap(0, map)
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.has(map, 1))

    let hash = map.manifest.chunks[0]
    let parts = [0, 10, 20].map { offset in
      Frame.blob(hash, BlobPart(codec: 0, total: 64, offset: offset, bytes: map.bytes(offset, 10)))
    }
    let wrong: [Frame] = [
      parts[2], .blob(hash, BlobPart(codec: 1, total: 64, offset: 10, bytes: map.bytes(10, 10))),
      .blob(hash, BlobPart(codec: 0, total: 63, offset: 10, bytes: map.bytes(10, 10))),
      .blob(hash, BlobPart(codec: 0, total: 64, offset: 9, bytes: map.bytes(9, 10))),
    ]
    for (last, isFine) in [(parts[1], true), (parts[0], true)] + wrong.map({ ($0, false) }) {
      let lab = Lab(2, tuning: Lab.toyTuning)
      lab.setMap(0, map)
      let pipe = lab.connect(0, 1)
      while !lab.wants(pipe, from: 1).contains(hash) {
        lab.move(pipe, from: 0, most: 1)
        lab.move(pipe, from: 1, most: 1)
      }
      lab.receive([parts[0], last], pipe, at: 1)
      #expect(lab.farewells(1).map(\.reason) == (isFine ? [] : [.malformed]))
    }
  }

  @Test(arguments: 0...7)
  func `a peer that is killed goes on where it was`(stored: Int) {
    let lab = Lab(2, tuning: Lab.toyTuning)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    while lab.mapDisks[1].stored.count < stored {
      lab.move(pipe, from: 1)
      lab.move(pipe, from: 0, most: 1)
    }
    lab.restart(1, incarnation: 2)
    #expect(lab.wholeMap(1) == (stored == 7 ? map.bytes : nil))
    let next = lab.connect(0, 1)
    lab.pump()
    #expect(lab.has(map, 1))
    #expect(lab.blobs(next, from: 0).count == 7 - stored)
  }

  @Test func `a chunk sent twice, or unasked, is ignored`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.move(pipe, from: 1)
    while lab.mapDisks[1].stored.count < 3 {
      lab.move(pipe, from: 0, most: 1)
      lab.move(pipe, from: 1)
    }
    let again = lab.pipes[pipe].sent[0].last!
    #expect(lab.blobs(pipe, from: 0).count == 3)
    let other = ToyMap(64, seed: 5)
    lab.receive(
      [
        again, again,
        .blob(other.manifest.chunks[0], BlobPart(BlobBody(codec: 0, bytes: other.bytes))),
      ],
      pipe, at: 1)
    #expect(lab.mapDisks[1].stored.count == 3)
    #expect(lab.farewells(1).isEmpty)
    lab.pump()
    #expect(lab.has(map, 1))
    #expect(lab.mapDisks[1].blobs[other.manifest.chunks[0]] == nil)
  }

  /// What a source can do wrong with a chunk.
  enum Wrong: CaseIterable {
    case flipped, short, long, other, codec

    func change(_ bytes: [UInt8], other: [UInt8]) -> BlobBody {
      var bytes = bytes
      switch self {
      case .flipped: bytes[3] ^= 1
      case .short: bytes.removeLast()
      case .long: bytes.append(0)
      case .other: bytes = other
      case .codec: return BlobBody(codec: 9, bytes: bytes)
      }
      return BlobBody(codec: 0, bytes: bytes)
    }
  }

  @Test(arguments: Wrong.allCases)
  func `a wrong chunk ends the link, is not stored, and comes from another source`(wrong: Wrong) {
    let lab = Lab(3, tuning: Lab.toyTuning)
    lab.setMap(0, map)
    lab.connect(0, 1)
    lab.pump()
    let hash = map.manifest.chunks[2]
    lab.mapDisks[0].damage[hash] = wrong.change(map.chunk(2), other: map.chunk(1))
    let bad = lab.connect(0, 2)
    lab.pump()
    #expect(lab.wholeMap(2) == nil)
    #expect(lab.mapDisks[2].blobs[hash] == nil)
    #expect(lab.farewells(2).contains { $0.reason == .malformed })
    #expect(lab.verified(2) < map.reference.byteCount)
    // The same peer again: what it has right is taken, the chunk is not asked of it again.
    let again = lab.connect(0, 2)
    lab.pump()
    #expect(!lab.wants(again, from: 1).contains(hash))
    #expect(lab.verified(2) == map.reference.byteCount - 64)
    #expect(lab.wants(bad, from: 1).filter { $0 == hash }.count == 1)
    lab.connect(1, 2)
    lab.pump()
    #expect(lab.has(map, 2))
    #expect(lab.engines[2].peers.count == 2)
  }

  /// A blob that was damaged on its way once barred an honest peer until a restart.
  @Test func `a wrong chunk is asked of the same peer again after a while, later each time`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    lab.setMap(0, map)
    let hash = map.manifest.chunks[2]
    lab.mapDisks[0].damage[hash] = BlobBody(codec: 0, bytes: map.chunk(1))
    lab.connect(0, 1)
    lab.pump()
    var milliseconds = Limits.blobRefusalMilliseconds
    for _ in 0..<4 {
      #expect(lab.farewells(1).last?.reason == .malformed)
      let pipe = lab.connect(0, 1)
      lab.pass(milliseconds - 3_000, step: 500)
      #expect(!lab.wants(pipe, from: 1).contains(hash))
      lab.pass(3_500, step: 500)
      #expect(lab.wants(pipe, from: 1).filter { $0 == hash }.count == 1)
      milliseconds = min(2 * milliseconds, Limits.blobRefusalMostMilliseconds)
    }
    lab.mapDisks[0].damage = [:]
    lab.connect(0, 1)
    lab.pass(milliseconds + 1_000, step: 500)
    #expect(lab.has(map, 1))
  }

  @Test func `a peer that has nothing of what it told of is asked once for each, then it is quiet`()
  {
    let lab = Lab(3, tuning: Lab.toyTuning)
    lab.setMap(0, map)
    let first = lab.connect(0, 1)
    for hash in map.manifest.chunks { lab.mapDisks[0].blobs[hash] = nil }
    lab.pass(40_000, step: 500)
    #expect(lab.wants(first, from: 1).count <= map.manifest.chunks.count + 1)
    #expect(lab.wholeMap(1) == nil && lab.verified(1) == 0)
    let before = lab.pipes[first].sent.map(\.count)
    lab.pass(60_000, step: 500)
    for side in 0...1 {
      #expect(lab.pipes[first].sent[side][before[side]...].allSatisfy { $0 == .ping })
    }
    // Somebody who has it brings it to both.
    lab.keep(map, at: 2)
    lab.connect(2, 1)
    lab.pass(3_000)
    for number in 0...2 { #expect(lab.has(map, number)) }
  }

  @Test func `a source that stalls is left, and its late answers are harmless`() {
    let lab = Lab(3, tuning: Lab.toyTuning)
    let map = ToyMap(64 * 40)
    lab.setMap(0, map)
    lab.connect(0, 1)
    lab.pump()
    let slow = lab.connect(0, 2)
    while lab.mapDisks[2].stored.count < 5 {
      for side in [1, 0] { lab.move(slow, from: side, most: 1) }
    }
    lab.move(slow, from: 1)
    lab.pipes[slow].isFrozen[0] = true
    lab.connect(1, 2)
    lab.pump()
    #expect(lab.wholeMap(2) == nil)
    // The slow link is kept alive by pings alone.
    for _ in 0..<30 {
      lab.pass(500)
      lab.receive([.ping], slow, at: 2)
    }
    #expect(lab.has(map, 2))
    lab.pipes[slow].isFrozen[0] = false
    lab.pump()
    #expect(lab.has(map, 2) && lab.engines[2].peers.count == 2)
    #expect(lab.mapDisks[2].stored.count == 41)
  }

  @Test func `who reads nothing costs one blob of memory, and who asks for too much is ended`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let map = ToyMap(64 * 100)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.move(pipe, from: 1, most: 2)
    lab.move(pipe, from: 0, most: 2)
    let wants = map.manifest.chunks.map { Frame.wantBlob(BlobName(space: space, hash: $0)) }
    lab.receive(Array(wants[..<Limits.blobQueue]), pipe, at: 0)
    #expect(lab.mapDisks[0].loads == 1)
    #expect(lab.farewells(0).isEmpty)
    lab.receive(Array(wants[Limits.blobQueue...]), pipe, at: 0)
    #expect(lab.farewells(0).map(\.reason) == [.malformed])
  }

  @Test func `only hashes of the space's own map are answered`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let secret = ToyMap(200, seed: 9)
    lab.keep(secret, at: 0)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.pump()
    let before = lab.mapDisks[0].loads
    let unknown = SpaceID(0xBAD)
    lab.receive(
      [
        .wantBlob(BlobName(space: space, hash: secret.manifest.chunks[0])),
        .wantBlob(BlobName(space: space, hash: secret.reference.manifest)),
        .wantBlob(BlobName(space: unknown, hash: map.manifest.chunks[0])),
      ], pipe, at: 0)
    lab.pump()
    #expect(lab.mapDisks[0].loads == before)
    #expect(lab.count(pipe, from: 0) { if case .noBlob = $0 { true } else { false } } == 3)
  }
}
