import HyperbasisBlob
import HyperbasisCore
import HyperbasisStore

/// Cuts a map into chunks, and names and packs them: the work that is not the loop's.
struct MapCutter {
  /// Bytes of a map that are given to the store in one turn, so that edits are not held up.
  static let turnBytes = 4 * BlobLimits.chunkBytes

  private let compresses: Bool
  private var rest: [UInt8] = []
  private var chunks: [ContentHash] = []
  private var byteCount = 0
  private var packed: [(hash: ContentHash, chunk: StoredChunk)] = []

  init(compresses: Bool) {
    self.compresses = compresses
  }

  /// The manifest of a map that is in memory; nothing is packed.
  ///
  /// Precondition: it has at least one byte.
  static func manifest(of bytes: [UInt8]) -> MapManifest {
    let chunks = bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: BlobLimits.chunkBytes).map { start in
        let end = min(start + BlobLimits.chunkBytes, bytes.count)
        return SHA256.hash(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      }
    }
    return MapManifest(byteCount: UInt64(bytes.count), chunks: chunks)
  }

  /// Adds the next bytes of the map.
  mutating func add(_ bytes: some Collection<UInt8>) {
    rest.append(contentsOf: bytes)
    byteCount += bytes.count
    var start = 0
    while rest.count - start >= BlobLimits.chunkBytes {
      pack(Array(rest[start..<start + BlobLimits.chunkBytes]))
      start += BlobLimits.chunkBytes
    }
    rest.removeFirst(start)
  }

  /// The chunks that are ready, each given once.
  mutating func take() -> [(hash: ContentHash, chunk: StoredChunk)] {
    defer { packed = [] }
    return packed
  }

  /// Packs what is left. The manifest; nil for a map without bytes.
  mutating func finish() -> MapManifest? {
    if !rest.isEmpty { pack(rest) }
    rest = []
    return byteCount == 0 ? nil : MapManifest(byteCount: UInt64(byteCount), chunks: chunks)
  }

  private mutating func pack(_ raw: [UInt8]) {
    let hash = SHA256.hash(raw)
    let chunk = MapChunk(raw: raw, compress: compresses)
    chunks.append(hash)
    packed.append((hash, StoredChunk(codec: chunk.codec.rawValue, bytes: chunk.bytes)))
  }
}
