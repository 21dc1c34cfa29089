import HyperbasisCore
import HyperbasisSync

/// A hash as good as the tests need: the layer under test only compares.
func toyHash(_ bytes: [UInt8]) -> ContentHash {
  ContentHash(high: Digest(of: bytes).bits, low: Digest(of: bytes + [1]).bits)
}

/// A map of the tests, cut into small chunks.
struct ToyMap: CustomStringConvertible {
  static let chunkBytes = 64

  let bytes: [UInt8]
  let manifest: MapManifest

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let chunks = stride(from: 0, to: bytes.count, by: ToyMap.chunkBytes).map { start in
      toyHash(Array(bytes[start..<min(start + ToyMap.chunkBytes, bytes.count)]))
    }
    manifest = MapManifest(
      byteCount: UInt64(bytes.count), chunks: chunks, chunkBytes: ToyMap.chunkBytes)
  }

  /// `count` bytes that differ from chunk to chunk, and from one seed to another.
  init(_ count: Int, seed: Int = 1) {
    self.init((0..<count).map { UInt8(truncatingIfNeeded: ($0 / 64 &* 31 &+ $0) &* seed) })
  }

  var description: String { "a map of \(bytes.count) bytes" }

  var reference: MapReference {
    MapReference(manifest: toyHash(manifest.encoded()), byteCount: manifest.byteCount)
  }

  func bytes(_ start: Int, _ count: Int) -> [UInt8] { Array(bytes[start..<start + count]) }

  func chunk(_ index: Int) -> [UInt8] { Array(bytes[manifest.range(of: index)]) }
}

/// The maps on a peer's disk.
struct MapDisk {
  /// By hash: chunks and manifests; what was stored survives an end of the peer.
  var blobs: [ContentHash: [UInt8]] = [:]
  /// Nothing more can be stored.
  var isFull = false
  /// It is known before the first byte that there is no room.
  var tellsFull = false
  /// What is read instead of what was stored.
  var damage: [ContentHash: BlobBody] = [:]
  /// Chunks that were stored, in order.
  var stored: [ContentHash] = []
  /// Blobs read for peers.
  var loads = 0
}

extension Lab {
  static var toyTuning: Tuning {
    var tuning = Tuning()
    tuning.mapChunkBytes = ToyMap.chunkBytes
    tuning.blobPartBytes = 64
    return tuning
  }

  /// Puts a map on a peer's disk and in force.
  func setMap(_ number: Int, _ map: ToyMap) {
    keep(map, at: number)
    edit(number, [.worldMap(map.reference)])
  }

  func keep(_ map: ToyMap, at number: Int) {
    mapDisks[number].blobs[map.reference.manifest] = map.manifest.encoded()
    for index in map.manifest.chunks.indices {
      mapDisks[number].blobs[map.manifest.chunks[index]] = map.chunk(index)
    }
  }

  /// Does what the engine wants for maps, as a driver does.
  func work(_ number: Int) {
    while let task = engines[number].nextBlobTask(canSend: { self.canSend(number, $0) }) {
      switch task {
      case .inspect(let space, let reference): inspect(number, space, reference)
      case .load(let name, let link):
        mapDisks[number].loads += 1
        let stored = mapDisks[number].blobs[name.hash].map { BlobBody(codec: 0, bytes: $0) }
        engines[number].supply(
          mapDisks[number].damage[name.hash] ?? stored, for: name, on: link, at: time(number))
      case .check(let blob): check(number, blob)
      }
      while let event = engines[number].nextEvent() { events[number].append(event) }
    }
  }

  private func canSend(_ number: Int, _ link: LinkID) -> Bool {
    guard let pipe = pipes.first(where: { $0.link == link }) else { return false }
    return !pipe.isFrozen[pipe.ends.firstIndex(of: number)!]
  }

  private func inspect(_ number: Int, _ space: SpaceID, _ reference: MapReference) {
    let disk = mapDisks[number]
    let manifest = disk.blobs[reference.manifest].flatMap {
      try? MapManifest(decoding: $0, chunkBytes: ToyMap.chunkBytes)
    }
    let missing = manifest.map { manifest in
      manifest.chunks.indices.filter { disk.blobs[manifest.chunks[$0]] == nil }
    }
    engines[number].inspected(
      space, reference, manifest: manifest, missing: ChunkSet(missing ?? []),
      hasRoom: !disk.tellsFull, at: time(number))
  }

  private func check(_ number: Int, _ blob: ReceivedBlob) {
    let (hash, bytes) = (blob.name.hash, blob.body.bytes)
    guard blob.body.codec == 0, bytes.count == blob.form.bytes, toyHash(bytes) == hash else {
      return engines[number].blobRefused(blob, at: time(number))
    }
    guard !mapDisks[number].isFull else {
      return engines[number].blobNotStored(hash, at: time(number))
    }
    if case .manifest(let reference, _) = blob.form {
      let manifest = try? MapManifest(decoding: bytes, chunkBytes: ToyMap.chunkBytes)
      guard manifest?.byteCount == reference.byteCount else {
        return engines[number].mapIsBroken(hash, at: now)
      }
    }
    mapDisks[number].blobs[hash] = bytes
    mapDisks[number].stored.append(hash)
    engines[number].blobStored(hash, at: time(number))
  }

  /// The bytes of the map in force, where all of it is on the peer's disk and right.
  func wholeMap(_ number: Int) -> [UInt8]? {
    guard let progress = engines[number].mapProgress(of: space), progress.isWhole,
      let manifest = engines[number].mapManifest(of: space)
    else { return nil }
    let chunks = manifest.chunks.map { hash in
      mapDisks[number].blobs[hash].flatMap { toyHash($0) == hash ? $0 : nil }
    }
    return chunks.contains(nil) ? nil : chunks.flatMap { $0! }
  }

  /// Whether this is the map in force, and all of it is here.
  func has(_ map: ToyMap, _ number: Int) -> Bool { wholeMap(number) == map.bytes }

  func verified(_ number: Int) -> UInt64 {
    engines[number].mapProgress(of: space)?.verifiedBytes ?? 0
  }

  /// Starts a peer anew on its disk; its links are cut.
  func restart(_ number: Int, incarnation: UInt64) {
    for pipe in pipes.indices
    where pipes[pipe].ends.contains(number)
      && engines[number].linkIDs.contains(pipes[pipe].link)
    {
      cut(pipe)
    }
    engines[number] = Engine(
      local: hello(number, incarnation: incarnation), spaces: disks[number],
      tuning: engines[number].tuning)
    settle(number)
  }

  /// The blobs that went over a link, in order.
  func blobs(_ pipe: Int, from side: Int) -> [ContentHash] {
    pipes[pipe].sent[side].compactMap {
      if case .blob(let hash, let part) = $0, part.offset == 0 { hash } else { nil }
    }
  }

  func wants(_ pipe: Int, from side: Int) -> [ContentHash] {
    pipes[pipe].sent[side].compactMap {
      if case .wantBlob(let name) = $0 { name.hash } else { nil }
    }
  }

  /// What observers of a peer were told of maps.
  func mapEvents(_ number: Int) -> [MapProgress] {
    events[number].compactMap {
      if case .mapProgress(_, let progress) = $0 { progress } else { nil }
    }
  }
}
