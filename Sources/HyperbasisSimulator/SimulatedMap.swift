import HyperbasisCore

/// A world map of a simulation: a number, and what follows from it.
enum SimulatedMap {
  static let chunkBytes = 32

  /// Bytes of the maps by number; two of them share most of their chunks.
  private static let sizes = [1, 700, 32 * 9, 401, 701, 33]

  static var numbers: Range<Int> { sizes.indices }

  static func bytes(_ number: Int) -> [UInt8] {
    let seed = number == 4 ? 1 : number
    return (0..<sizes[number]).map {
      UInt8(truncatingIfNeeded: ($0 / chunkBytes + $0) * (seed + 3))
    }
  }

  static func manifest(_ number: Int) -> MapManifest {
    let bytes = bytes(number)
    let chunks = stride(from: 0, to: bytes.count, by: chunkBytes).map { start in
      hash(Array(bytes[start..<min(start + chunkBytes, bytes.count)]))
    }
    return MapManifest(byteCount: UInt64(bytes.count), chunks: chunks, chunkBytes: chunkBytes)
  }

  static func reference(_ number: Int) -> MapReference {
    let manifest = manifest(number)
    return MapReference(manifest: hash(manifest.encoded()), byteCount: manifest.byteCount)
  }

  /// Not cryptographic: nobody here looks for two texts of one hash.
  static func hash(_ bytes: [UInt8]) -> ContentHash {
    ContentHash(high: Digest(of: bytes).bits, low: Digest(of: bytes + [1]).bits)
  }
}

/// The world maps on a peer's disk.
struct MapDisk {
  /// Manifests and chunks; looked up, and never listed.
  private var blobs: [ContentHash: [UInt8]] = [:]
  /// The last map of each space that was whole.
  private(set) var wholes = SortedMap<SpaceID, MapReference>()

  func blob(_ hash: ContentHash) -> [UInt8]? { blobs[hash] }

  mutating func put(_ hash: ContentHash, _ bytes: [UInt8]) {
    blobs[hash] = bytes
  }

  /// What the author of a map stores before it is put in force.
  mutating func put(map number: Int) {
    let (manifest, bytes) = (SimulatedMap.manifest(number), SimulatedMap.bytes(number))
    for (index, hash) in manifest.chunks.enumerated() {
      blobs[hash] = Array(bytes[manifest.range(of: index)])
    }
    blobs[SimulatedMap.reference(number).manifest] = manifest.encoded()
  }

  mutating func noteWhole(_ map: MapReference?, of space: SpaceID) {
    wholes[space] = map
  }

  func manifest(_ reference: MapReference) -> MapManifest? {
    blobs[reference.manifest].flatMap {
      try? MapManifest(decoding: $0, chunkBytes: SimulatedMap.chunkBytes)
    }
  }

  /// The bytes of a map; nil where a part is missing.
  func bytes(of reference: MapReference) -> [UInt8]? {
    guard let manifest = manifest(reference) else { return nil }
    var bytes: [UInt8] = []
    for hash in manifest.chunks {
      guard let chunk = blobs[hash] else { return nil }
      bytes += chunk
    }
    return bytes
  }

  /// Drops what is of none of these maps and of no last whole one.
  mutating func keepOnly(_ references: [MapReference]) {
    var kept: [ContentHash: [UInt8]] = [:]
    for reference in references + wholes.values {
      for hash in [reference.manifest] + (manifest(reference)?.chunks ?? []) {
        kept[hash] = blobs[hash]
      }
    }
    blobs = kept
  }
}

/// World maps: the winner is whole everywhere in the end, and what is said to be whole always is.
enum MapChecker {
  /// What is wrong at any moment.
  static func fault(in disk: MapDisk) -> String? {
    for (space, map) in zip(disk.wholes.keys, disk.wholes.values) where disk.bytes(of: map) == nil {
      return "the last whole map of \(space) cannot be opened"
    }
    return nil
  }

  /// What is wrong in the end.
  static func fault(in nodes: [Node], _ model: Model) -> String? {
    for state in nodes[0].states {
      let progress = nodes.map { $0.engine?.mapProgress(of: state.id) }
      guard let target = progress[0]?.reference else { continue }
      let whole = progress.count { $0?.isWhole == true }
      if whole == 0 && wasDeleted(state.id, model) { continue }
      guard whole == nodes.count else {
        return "\(whole) of \(nodes.count) peers have the map of \(state.id) whole"
      }
      let right = SimulatedMap.numbers.first { SimulatedMap.reference($0) == target }
        .map(SimulatedMap.bytes)
      for node in nodes where node.maps.bytes(of: target) != right {
        return "peer \(node.number) has another map of \(state.id)"
      }
    }
    return nil
  }

  /// The chunks of a deleted space are dropped everywhere, so its map may be lost for ever.
  private static func wasDeleted(_ space: SpaceID, _ model: Model) -> Bool {
    model.entries.contains { entry in
      entry.space == space
        && entry.change.operations.contains {
          if case .spaceExistence(let existence) = $0 { existence.deleted != nil } else { false }
        }
    }
  }
}
