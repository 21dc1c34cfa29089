import HyperbasisBlob
import HyperbasisCore

/// World maps as they lie in a store and come from peers: chunks, LZ4 blocks, manifests and raw deflate.
///
/// What comes out is as many bytes as were allowed, and goes in again.
enum BlobTarget: FuzzTarget {
  static let name = "blob"
  private static let inflateLimit = 1 << 20

  static func seeds() throws -> [[UInt8]] {
    let text = Array("bplist00 room room room room room room room room room 1234567890".utf8)
    let zeros = [UInt8](repeating: 0, count: 4_096)
    let manifest = try MapManifest(cutting: text)
    var seeds: [[UInt8]] = []
    for bytes in [text, zeros] {
      let chunk = MapChunk(raw: bytes, compress: true)
      seeds.append(packed(chunk.codec.rawValue, count: bytes.count, chunk.bytes))
      seeds.append(packed(0, count: bytes.count, bytes))
      seeds.append(packed(3, count: 0, RawDeflate.deflate(bytes)))
    }
    return seeds + [packed(2, count: 0, manifest.encoded())]
  }

  private static func packed(_ kind: UInt8, count: Int, _ bytes: [UInt8]) -> [UInt8] {
    var writer = FeedWriter()
    writer.byte(kind)
    writer.short(count)
    return writer.bytes + bytes
  }

  static func run(_ bytes: [UInt8]) throws {
    var feed = Feed(bytes)
    let kind = feed.byte()
    let count = feed.short()
    let body = Array(feed.rest)
    switch kind % 4 {
    case 2: try runManifest(body)
    case 3: try runDeflate(body)
    default: try runChunk(kind % 4, count, body)
    }
  }

  private static func runChunk(_ codec: UInt8, _ count: Int, _ body: [UInt8]) throws {
    guard let chunk = try? MapChunk(codec: codec, bytes: body),
      let raw = try? chunk.raw(count: count)
    else { return }
    try expect(raw.count == count, "a chunk has as many bytes as were asked for")
    let again = MapChunk(raw: raw, compress: true)
    try expect(try again.raw(count: count) == raw, "a chunk is read as it was written")
    try expect(
      try again.verified(against: SHA256.hash(raw), count: count) == raw, "a chunk has its hash")
  }

  private static func runManifest(_ body: [UInt8]) throws {
    guard let manifest = try? MapManifest(decoding: body) else { return }
    try expect(manifest.encoded() == body, "a manifest has one encoding")
    try expect(
      MapManifest.encodedBytes(manifest.byteCount) == body.count, "its length is known before")
    var end = 0
    for chunk in manifest.chunks.indices {
      let range = manifest.range(of: chunk)
      try expect(range.lowerBound == end && !range.isEmpty, "chunks follow each other")
      end = range.upperBound
    }
    try expect(end == Int(manifest.byteCount), "chunks cover the map")
  }

  private static func runDeflate(_ body: [UInt8]) throws {
    guard let raw = try? RawDeflate.inflate(body, limit: inflateLimit) else { return }
    try expect(raw.count <= inflateLimit, "no more comes out than is allowed")
    try expect(
      try RawDeflate.inflate(RawDeflate.deflate(raw)) == raw, "deflate gives the bytes back")
  }
}
