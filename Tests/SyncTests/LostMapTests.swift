import HyperbasisCore
import HyperbasisSync
import Testing

/// Pieces of maps that disks lose, and links that stall: whoever has a piece is asked for it in the end.
@Suite struct LostMapTests {
  private let map = ToyMap(64 * 5 + 9)

  @Test func `a link that stalled over what is wanted no more is asked again`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let pipe = lab.connect(0, 1)
    lab.pump()
    lab.setMap(0, map)
    lab.move(pipe, from: 0)
    // What peer 1 asks does not go out for so long that the link counts as stalled.
    lab.pipes[pipe].isFrozen[1] = true
    for _ in 0..<24 {
      lab.pass(500)
      lab.receive([.ping], pipe, at: 0)
    }
    let other = ToyMap(64 * 3, seed: 7)
    lab.setMap(0, other)
    lab.pump()
    lab.pipes[pipe].isFrozen[1] = false
    lab.pass(20_000)
    #expect(lab.has(other, 1))
    #expect(lab.farewells(1).isEmpty)
  }

  @Test func `a chunk that one space turns out to lack is missing in all that have the map`() {
    let lab = Lab(3, tuning: Lab.toyTuning)
    let other = SpaceID(space.bits + 1)
    for number in 0...1 {
      lab.engines[number].join(other, at: lab.now)
      lab.settle(number)
    }
    lab.setMap(0, map)
    _ = lab.engines[0].edit(other, [.worldMap(map.reference)], at: lab.now)
    lab.settle(0)
    lab.engines[1].piecesWereStored()
    lab.keep(map, at: 1)
    let first = lab.connect(0, 1)
    lab.pump()
    #expect(lab.engines[1].mapProgress(of: other)?.isWhole == true)
    lab.cut(first)
    let chunk = map.manifest.chunks[0]
    lab.mapDisks[0].blobs[chunk] = nil
    lab.connect(0, 2)
    lab.pump()
    lab.edit(0, [.worldMap(nil)])
    lab.connect(0, 1)
    lab.pass(20_000)
    #expect(lab.mapDisks[0].blobs[chunk] != nil)
  }

  @Test func `a peer that lost its map has what one without room has of it`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let (manifest, chunk) = (map.reference.manifest, map.manifest.chunks[0])
    lab.mapDisks[1].blobs = [manifest: map.manifest.encoded(), chunk: map.chunk(0)]
    lab.mapDisks[1].tellsFull = true
    lab.setMap(0, map)
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.has(map, 0) && !lab.has(map, 1))
    lab.mapDisks[0].blobs = [:]
    lab.engines[0].lookUpMap(of: space)
    lab.settle(0)
    lab.pass(60_000)
    #expect(lab.mapDisks[0].blobs[manifest] != nil && lab.mapDisks[0].blobs[chunk] != nil)
  }

  @Test func `a manifest that is lost while chunks are on their way is fetched again`() {
    let lab = Lab(3, tuning: Lab.toyTuning)
    let manifest = map.reference.manifest
    lab.setMap(0, map)
    let first = lab.connect(0, 1)
    while lab.mapDisks[1].stored.count < 3 {
      guard lab.move(first, from: 0, most: 1) + lab.move(first, from: 1, most: 1) > 0 else { break }
    }
    #expect(lab.verified(1) > 0 && !lab.has(map, 1))
    lab.cut(first)
    lab.mapDisks[1].blobs[manifest] = nil
    let second = lab.connect(1, 2)
    lab.pass(2_000)
    let asked = lab.wants(second, from: 1).count { $0 == manifest }
    #expect(asked <= 2, "\(asked) times")
    lab.connect(0, 1)
    lab.pass(20_000)
    #expect(lab.mapDisks[1].blobs[manifest] != nil && lab.has(map, 2))
  }
}
