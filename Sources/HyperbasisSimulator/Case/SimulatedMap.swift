import HyperbasisCore

/// A world map of a simulation: a number, and what follows from it.
package enum SimulatedMap {
  static let chunkBytes = 32

  /// Bytes of the maps by number; two of them share most of their chunks.
  private static let sizes = [1, 700, 32 * 9, 401, 701, 33]

  package static var numbers: Range<Int> { sizes.indices }

  package static func bytes(_ number: Int) -> [UInt8] {
    let seed = number == 4 ? 1 : number
    return (0..<sizes[number]).map {
      UInt8(truncatingIfNeeded: ($0 / chunkBytes + $0) * (seed + 3))
    }
  }

  private static let manifests = numbers.map(makeManifest)
  private static let references = numbers.map(makeReference)

  static func manifest(_ number: Int) -> MapManifest { manifests[number] }
  static func reference(_ number: Int) -> MapReference { references[number] }

  /// The number of a map; nil for what is none of these.
  static func number(of reference: MapReference) -> Int? { references.firstIndex(of: reference) }

  private static func makeManifest(_ number: Int) -> MapManifest {
    let bytes = bytes(number)
    let chunks = stride(from: 0, to: bytes.count, by: chunkBytes).map { start in
      hash(Array(bytes[start..<min(start + chunkBytes, bytes.count)]))
    }
    return MapManifest(byteCount: UInt64(bytes.count), chunks: chunks, chunkBytes: chunkBytes)
  }

  private static func makeReference(_ number: Int) -> MapReference {
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
  mutating func put(_ reference: MapReference) {
    guard let number = SimulatedMap.number(of: reference) else { return }
    let (manifest, bytes) = (SimulatedMap.manifest(number), SimulatedMap.bytes(number))
    for (index, hash) in manifest.chunks.enumerated() {
      blobs[hash] = Array(bytes[manifest.range(of: index)])
    }
    blobs[reference.manifest] = manifest.encoded()
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
