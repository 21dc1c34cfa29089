import HyperbasisCore
import HyperbasisSync
import Testing

/// World maps go to every peer of a space, piece by piece.
@Suite struct MapTests {
  @Test(arguments: [1, 63, 64, 65, 640, 1_000, 64 * 200])
  func `a map arrives whole and equal, and then it is quiet`(count: Int) {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let map = ToyMap(count)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.pump()
    #expect(lab.has(map, 1))
    #expect(lab.blobs(pipe, from: 0).count == map.manifest.chunks.count + 1)
    let events = lab.mapEvents(1)
    #expect(events.map(\.verifiedBytes) == events.map(\.verifiedBytes).sorted())
    #expect(events.filter(\.isWhole).count == 1 && events.last!.isWhole)
    #expect(events.last!.verifiedBytes == UInt64(count))
    lab.pass(1_000)
    let sent = lab.pipes[pipe].sent.map(\.count)
    lab.pass(60_000)
    for side in 0...1 {
      #expect(lab.pipes[pipe].sent[side][sent[side]...].allSatisfy { $0 == .ping })
    }
  }

  @Test func `a map that is set while peers are linked follows`() {
    let lab = Lab(3, tuning: Lab.toyTuning)
    lab.connect(0, 1)
    lab.connect(1, 2)
    lab.pump()
    let map = ToyMap(1_000)
    lab.setMap(0, map)
    lab.pass(3_000)
    #expect(lab.has(map, 1) && lab.has(map, 2))
  }

  @Test func `chunks with the same bytes are sent once`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let map = ToyMap([UInt8](repeating: 7, count: 64 * 9 + 3))
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.pump()
    #expect(lab.has(map, 1))
    #expect(lab.blobs(pipe, from: 0).count == 3)
  }

  @Test func `a space joined later brings its map`() {
    let lab = Lab(2, joined: false, tuning: Lab.toyTuning)
    let map = ToyMap(500)
    lab.engines[0].join(space, at: lab.now)
    lab.settle(0)
    lab.setMap(0, map)
    lab.connect(0, 1)
    lab.pump()
    lab.engines[1].join(space, at: lab.now)
    lab.settle(1)
    lab.pump()
    #expect(lab.has(map, 1))
  }

  @Test func `two spaces with one map ask for it once`() {
    let other = SpaceID(0x0743)
    let lab = Lab(2, tuning: Lab.toyTuning)
    for number in 0...1 {
      lab.engines[number].join(other, at: lab.now)
      lab.settle(number)
    }
    let map = ToyMap(1_000)
    lab.setMap(0, map)
    _ = lab.engines[0].edit(other, [.worldMap(map.reference)], at: lab.now)
    lab.settle(0)
    let pipe = lab.connect(0, 1)
    lab.pump()
    for space in [space, other] { #expect(lab.engines[1].mapProgress(of: space)!.isWhole) }
    #expect(lab.blobs(pipe, from: 0).count == map.manifest.chunks.count + 1)
  }

  /// A pipeline: who is itself downloading serves what it has.
  @Test func `the last of a chain begins before the middle is whole`() {
    let lab = Lab(3, tuning: Lab.toyTuning)
    let map = ToyMap(64 * 100)
    lab.setMap(0, map)
    let first = lab.connect(0, 1)
    lab.connect(1, 2)
    var least: UInt64 = .max
    while lab.wholeMap(1) == nil {
      lab.elapsed += 100
      for number in 0...2 {
        lab.engines[number].tick(at: lab.now)
        lab.settle(number)
      }
      lab.move(first, from: 0, most: 8)
      for (pipe, side) in [(first, 1), (1, 0), (1, 1)] { lab.move(pipe, from: side) }
      if lab.verified(1) > 64 * 50 { least = min(least, lab.verified(2)) }
    }
    #expect(least > 64 * 20)
    lab.pass(2_000)
    #expect(lab.has(map, 2))
  }

  @Test func `two sources share the work, and no chunk is asked of both`() {
    let lab = Lab(3, tuning: Lab.toyTuning)
    let map = ToyMap(64 * 60)
    for number in 0...1 { lab.keep(map, at: number) }
    lab.setMap(0, map)
    lab.connect(0, 1)
    lab.pump()
    let pipes = [lab.connect(0, 2), lab.connect(1, 2)]
    var rounds = 0
    while lab.wholeMap(2) == nil && rounds < 1_000 {
      rounds += 1
      for pipe in pipes {
        lab.move(pipe, from: 0, most: 1)
        lab.move(pipe, from: 1)
      }
    }
    #expect(lab.has(map, 2))
    let asked = pipes.map { lab.wants($0, from: 1) }
    #expect(Set(asked[0]).isDisjoint(with: asked[1]))
    #expect(Set(asked.joined()).count == asked.joined().count)
    #expect(asked.allSatisfy { $0.count > 20 })
  }

  /// Two that download at once begin at different places and serve each other.
  @Test func `a source sends less than twice the map to two that are linked`() {
    let lab = Lab(3, tuning: Lab.toyTuning)
    let map = ToyMap(64 * 150)
    lab.setMap(0, map)
    let pipes = [lab.connect(0, 1), lab.connect(0, 2), lab.connect(1, 2)]
    while lab.wholeMap(1) == nil || lab.wholeMap(2) == nil {
      lab.elapsed += 20
      for number in 0...2 {
        lab.engines[number].tick(at: lab.now)
        lab.settle(number)
      }
      for pipe in pipes { for side in 0...1 { lab.move(pipe, from: side, most: 4) } }
    }
    let sent = pipes[..<2].map { lab.blobs($0, from: 0).count }.reduce(0, +)
    #expect(sent < 250, "\(sent) of 150 chunks")
  }

  @Test func `an edit overtakes the blobs`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    lab.setMap(0, ToyMap(64 * 50))
    let pipe = lab.connect(0, 1)
    while lab.verified(1) < 64 * 10 {
      lab.move(pipe, from: 0, most: 1)
      lab.move(pipe, from: 1)
    }
    lab.set(0, "k", 7)
    lab.move(pipe, from: 0, most: 1)
    #expect(isChange(lab.pipes[pipe].sent[0].last!))
    lab.pump()
    #expect(lab.isConverged && lab.wholeMap(1) != nil)
  }

  @Test func `another map in force stops the useless download, and keeps shared chunks`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let old = ToyMap(64 * 100)
    let new = ToyMap(Array(old.bytes[..<(64 * 60)]) + ToyMap(64 * 40, seed: 77).bytes)
    lab.setMap(0, old)
    let pipe = lab.connect(0, 1)
    while lab.verified(1) < 64 * 30 {
      lab.move(pipe, from: 0, most: 1)
      lab.move(pipe, from: 1)
    }
    let before = lab.blobs(pipe, from: 0).count
    lab.setMap(0, new)
    lab.pump()
    #expect(lab.has(new, 1))
    let sent = lab.blobs(pipe, from: 0)
    // What was on its way when the other map came in force may come again.
    #expect(sent.count - Set(sent).count <= Limits.blobRequests)
    let useless = Set(old.manifest.chunks).subtracting(new.manifest.chunks)
    #expect(sent[before...].filter(useless.contains).count <= 1)
    let kept = Set(sent[..<before]).intersection(new.manifest.chunks)
    #expect(sent.count - before <= 101 - kept.count + Limits.blobRequests)
  }

  /// H31: one map wins the same way everywhere, and nobody shows a mix.
  @Test(arguments: 0..<4)
  func `two maps at once`(turn: Int) {
    let lab = Lab(3, tuning: Lab.toyTuning)
    let maps = (1...4).map { ToyMap(64 * 40, seed: $0 * 3) }
    lab.setMap(0, maps[0])
    lab.connect(0, 1)
    lab.pump()
    lab.cut(0)
    lab.setMap(0, maps[1])
    lab.setMap(1, maps[2])
    lab.elapsed += 10
    let pipe = lab.connect(turn % 2, 2)
    for _ in 0..<20 { for side in 0...1 { lab.move(pipe, from: side, most: 2) } }
    lab.connect(1 - turn % 2, 2)
    lab.connect(0, 1)
    for _ in 0..<10 { for pipe in 1...3 { lab.move(pipe, from: turn / 2, most: 2) } }
    lab.setMap(0, maps[3])
    lab.pass(2_000)
    let winner = lab.state(0).record.map
    for number in 0...2 {
      #expect(lab.state(number).record.map == winner)
      #expect(lab.has(maps[3], number))
    }
  }

  @Test func `a deleted space has no map, one without a map neither`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let map = ToyMap(500)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.pump()
    lab.edit(0, [.spaceExistence(Existence(created: 1, deleted: 2))])
    lab.pump()
    for number in 0...1 { #expect(lab.engines[number].mapProgress(of: space) == nil) }
    lab.receive([.wantBlob(BlobName(space: space, hash: map.manifest.chunks[0]))], pipe, at: 0)
    lab.pump()
    #expect(lab.count(pipe, from: 0) { $0 == .noBlob(map.manifest.chunks[0]) } == 1)
    lab.edit(0, [.spaceExistence(Existence(created: 1)), .worldMap(nil)])
    lab.pump()
    for number in 0...1 { #expect(lab.engines[number].mapProgress(of: space) == nil) }
  }
}
