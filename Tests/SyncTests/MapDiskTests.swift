import HyperbasisCore
import HyperbasisSync
import Testing

/// Disks that are full, fail or lose something, and maps that are none.
@Suite struct MapDiskTests {
  private let map = ToyMap(64 * 5 + 9)

  @Test func `a full disk stops the map, not the edits, and it goes on later`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.mapDisks[1].isFull = true
    lab.pump()
    #expect(lab.wholeMap(1) == nil && lab.farewells(1).isEmpty)
    lab.set(0, "k", 1)
    lab.pump()
    #expect(lab.isConverged)
    let asked = lab.wants(pipe, from: 1).count
    lab.pass(Limits.mapRetryMilliseconds - 1_000, step: 500)
    #expect(lab.wants(pipe, from: 1).count == asked)
    lab.mapDisks[1].isFull = false
    lab.pass(3_000, step: 500)
    #expect(lab.has(map, 1))
  }

  @Test func `what cannot fit is refused before the first byte`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    lab.mapDisks[1].tellsFull = true
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    lab.pass(Limits.mapRetryMilliseconds + 5_000, step: 500)
    #expect(lab.wants(pipe, from: 1).isEmpty)
    lab.mapDisks[1].tellsFull = false
    lab.pass(Limits.mapRetryMilliseconds, step: 500)
    #expect(lab.has(map, 1))
  }

  @Test func `what has the right hash and is no manifest is asked for once`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let count = MapManifest.encodedBytes(100, chunkBytes: 64)
    let bytes = [UInt8](repeating: 9, count: count)
    let reference = MapReference(manifest: toyHash(bytes), byteCount: 100)
    lab.edit(0, [.worldMap(reference)])
    let pipe = lab.connect(0, 1)
    lab.pump()
    lab.receive([.map(space, MapNews(manifest: reference.manifest, chunks: nil))], pipe, at: 1)
    lab.move(pipe, from: 1)
    #expect(lab.wants(pipe, from: 1) == [reference.manifest])
    lab.receive(
      [.blob(reference.manifest, BlobPart(BlobBody(codec: 0, bytes: bytes)))], pipe, at: 1)
    lab.pass(60_000, step: 500)
    #expect(lab.wants(pipe, from: 1).count == 1)
    #expect(lab.farewells(1).isEmpty && lab.wholeMap(1) == nil)
  }

  @Test func `a failed commit loses nothing of the map`() {
    let lab = Lab(2, tuning: Lab.toyTuning)
    let map = ToyMap(64 * 30)
    lab.setMap(0, map)
    let pipe = lab.connect(0, 1)
    while lab.mapDisks[1].stored.count < 10 {
      for side in [1, 0] { lab.move(pipe, from: side, most: 1) }
    }
    lab.failsCommits = [1]
    lab.set(1, "k", 1)
    lab.failsCommits = []
    lab.pump()
    let next = lab.connect(0, 1)
    lab.pump()
    #expect(lab.has(map, 1))
    #expect(lab.blobs(next, from: 0).count <= 31 - 10)
  }

  @Test func `a chunk lost from a disk is had again`() {
    let lab = Lab(3, tuning: Lab.toyTuning)
    lab.setMap(0, map)
    lab.connect(0, 1)
    lab.pump()
    let hash = map.manifest.chunks[1]
    lab.mapDisks[0].blobs[hash] = nil
    let third = lab.connect(0, 2)
    lab.pass(2_000)
    #expect(lab.mapDisks[0].blobs[hash] != nil)
    #expect(lab.wants(third, from: 1).filter { $0 == hash }.count <= 2)
    for number in 0...2 { #expect(lab.has(map, number)) }
  }
}
