import HyperbasisCore

/// What a peer has of the world map of a space.
package struct MapNews: Equatable, Sendable {
  /// The map's name, the hash of its manifest; who tells of a map has the manifest.
  package var manifest: ContentHash
  /// The chunks that can be asked for; nil when that is all of them.
  package var chunks: ChunkSet?

  package init(manifest: ContentHash, chunks: ChunkSet?) {
    self.manifest = manifest
    self.chunks = chunks
  }

  package var isWhole: Bool { chunks == nil }
}

/// A piece of a world map, or its manifest, as somebody asks for it.
///
/// The space is named, since who may ask is a matter of spaces.
package struct BlobName: Hashable, Sendable {
  package var space: SpaceID
  package var hash: ContentHash

  package init(space: SpaceID, hash: ContentHash) {
    self.space = space
    self.hash = hash
  }
}

/// The bytes of a manifest or chunk as they are stored and sent: nothing is verified yet.
package struct BlobBody: Equatable, Sendable {
  /// How the bytes are written; what the numbers mean is no matter here.
  package var codec: UInt8
  package var bytes: [UInt8]

  package init(codec: UInt8, bytes: [UInt8]) {
    self.codec = codec
    self.bytes = bytes
  }
}

/// Some bytes of a blob: it is sent in parts, so that an edit waits for one of them at most.
package struct BlobPart: Equatable, Sendable {
  package var codec: UInt8
  /// Bytes of the whole blob.
  package var total: Int
  /// Bytes of it that came before.
  package var offset: Int
  package var bytes: [UInt8]

  package init(codec: UInt8, total: Int, offset: Int, bytes: [UInt8]) {
    self.codec = codec
    self.total = total
    self.offset = offset
    self.bytes = bytes
  }

  /// A blob in one part.
  package init(_ body: BlobBody) {
    self.init(codec: body.codec, total: body.bytes.count, offset: 0, bytes: body.bytes)
  }
}

extension MapNews {
  private static let whole: UInt8 = 1

  func encode(into writer: inout ByteWriter) {
    writer.hash(manifest)
    writer.byte(isWhole ? MapNews.whole : 0)
    chunks?.encode(into: &writer)
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    manifest = try reader.hash()
    let start = reader.offset
    let flags = try reader.byte()
    guard flags <= MapNews.whole else { throw .invalid("map flags", offset: start) }
    chunks = flags == MapNews.whole ? nil : try ChunkSet(from: &reader)
  }
}

extension BlobName {
  func encode(into writer: inout ByteWriter) {
    writer.identifier(space)
    writer.hash(hash)
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    space = try reader.identifier()
    hash = try reader.hash()
  }
}

extension BlobPart {
  func encode(into writer: inout ByteWriter) {
    writer.byte(codec)
    writer.varint(total)
    writer.varint(offset)
    writer.varint(bytes.count)
    writer.raw(bytes)
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    codec = try reader.byte()
    let start = reader.offset
    let (total, offset) = (try reader.varint(), try reader.varint())
    guard total <= Limits.mapChunkBytes else {
      throw .limit("blob bytes", value: total, most: Limits.mapChunkBytes, offset: start)
    }
    guard offset < total else { throw .invalid("part of a blob", offset: start) }
    (self.total, self.offset) = (Int(total), Int(offset))
    let count = try reader.count(of: "bytes of a blob's part", most: Int(total - offset))
    guard count > 0 else { throw .invalid("part of a blob: it is empty", offset: start) }
    bytes = Array(try reader.raw(count))
  }
}
