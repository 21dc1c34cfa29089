import HyperbasisCore

extension Frame {
  private enum Kind: UInt8 {
    case hello = 1
    case have, want, batch, change, ping, bye
    case wantHistory, history
    case wantBlob, blob, noBlob, map
    case members, join, admitted, wantSnapshot, confirmed, snapshot
    case direct
  }

  private static let magic: [UInt8] = Array("HYPB".utf8)

  /// The whole frame, as the first one of a link would be; see ``FrameEncoder``. Such a frame names all in full,
  /// and can be read at any time.
  package func encoded() -> [UInt8] {
    var encoder = FrameEncoder()
    return encoder.encode(self)
  }

  /// Reads one payload, without its length, as the first one of a link; see ``FrameDecoder``.
  package init(payload: [UInt8]) throws(CodecError) {
    var reader = ByteReader(payload)
    var codecs = FrameDecoder.Codecs()
    try self.init(from: &reader, &codecs)
  }

  fileprivate func encodePayload(into writer: inout ByteWriter, _ codecs: inout FrameEncoder.Codecs)
  {
    writer.byte(kind.rawValue)
    switch self {
    case .hello(let hello):
      hello.encode(magic: Frame.magic, into: &writer)
    case .have(let space, let vector, let digest, let history):
      writer.identifier(space)
      vector.encode(into: &writer)
      writer.fixed(digest.bits)
      history.encodeHistory(behind: vector, into: &writer)
    case .want(let space, let since, let byIDs):
      writer.identifier(space)
      since.encode(into: &writer)
      writer.byte(byIDs ? 1 : 0)
    case .batch(let batch):
      codecs.batches.encode(batch, into: &writer)
    case .change(let space, let change):
      codecs.live.encode(change, of: space, into: &writer)
    case .ping: break
    case .bye(let farewell):
      writer.byte(farewell.reason.rawValue)
      writer.text(farewell.text)
    case .wantHistory(let space, let since):
      writer.identifier(space)
      since.encode(into: &writer)
    case .history(let part):
      part.encode(into: &writer)
    case .wantBlob(let name):
      name.encode(into: &writer)
    case .blob(let hash, let part):
      writer.hash(hash)
      part.encode(into: &writer)
    case .noBlob(let hash):
      writer.hash(hash)
    case .map(let space, let news):
      writer.identifier(space)
      news.encode(into: &writer)
    case .members(let space, let cells):
      writer.identifier(space)
      Cell.encode(cells, into: &writer)
    case .join(let space, let rank):
      writer.identifier(space)
      rank.encode(into: &writer)
    case .admitted(let space), .wantSnapshot(let space): writer.identifier(space)
    case .confirmed(let space, let confirmations):
      writer.identifier(space)
      confirmations.encode(into: &writer)
    case .snapshot(let space, let givenUp):
      writer.identifier(space)
      givenUp.encode(into: &writer)
    case .direct(let space, let replicas):
      writer.identifier(space)
      writer.varint(replicas.count)
      for replica in replicas { writer.identifier(replica) }
    }
  }

  private var kind: Kind {
    switch self {
    case .hello: .hello
    case .have: .have
    case .want: .want
    case .batch: .batch
    case .change: .change
    case .ping: .ping
    case .bye: .bye
    case .wantHistory: .wantHistory
    case .history: .history
    case .wantBlob: .wantBlob
    case .blob: .blob
    case .noBlob: .noBlob
    case .map: .map
    case .members: .members
    case .join: .join
    case .admitted: .admitted
    case .wantSnapshot: .wantSnapshot
    case .confirmed: .confirmed
    case .snapshot: .snapshot
    case .direct: .direct
    }
  }

  /// Reads one payload, without its length.
  ///
  /// - Throws: `CodecError` for an unknown kind, malformed or trailing bytes. Only a hello may
  ///   carry more than this version knows, so that versions can be compared.
  init(from reader: inout ByteReader, _ codecs: inout FrameDecoder.Codecs) throws(CodecError) {
    let byte = try reader.byte()
    guard let kind = Kind(rawValue: byte) else {
      throw .unknownKind(of: "frame", kind: byte, offset: 0)
    }
    switch kind {
    case .hello:
      self = .hello(try Hello(from: &reader, magic: Frame.magic))
      return
    case .have:
      let space: SpaceID = try reader.identifier()
      let vector = try VersionVector(from: &reader)
      let digest = Digest(bits: try reader.fixed(UInt128.self))
      let history = try VersionVector(historyBehind: vector, from: &reader)
      self = .have(space, vector, digest, history: history)
    case .want:
      let space: SpaceID = try reader.identifier()
      let since = try VersionVector(from: &reader)
      let start = reader.offset
      let names = try reader.byte()
      guard names < 2 else { throw .invalid("names of a want", offset: start) }
      self = .want(space, since: since, byIDs: names == 1)
    case .batch: self = .batch(try codecs.batches.decode(from: &reader))
    case .change:
      let (space, change) = try codecs.live.decode(from: &reader)
      self = .change(space, change)
    case .ping: self = .ping
    case .bye:
      let reason = Farewell.Reason(rawValue: try reader.byte()) ?? .leaving
      self = .bye(Farewell(reason, try reader.text("farewell", most: Limits.farewellBytes)))
    case .wantHistory:
      let space: SpaceID = try reader.identifier()
      self = .wantHistory(space, since: try VersionVector(from: &reader))
    case .history: self = .history(try HistoryPart(from: &reader))
    case .wantBlob: self = .wantBlob(try BlobName(from: &reader))
    case .blob:
      let hash = try reader.hash()
      self = .blob(hash, try BlobPart(from: &reader))
    case .noBlob: self = .noBlob(try reader.hash())
    case .map:
      let space: SpaceID = try reader.identifier()
      self = .map(space, try MapNews(from: &reader))
    case .members:
      let space: SpaceID = try reader.identifier()
      self = .members(space, try Cell.decodeMembers(from: &reader))
    case .join:
      let space: SpaceID = try reader.identifier()
      self = .join(space, try MemberRank(from: &reader))
    case .admitted: self = .admitted(try reader.identifier())
    case .wantSnapshot: self = .wantSnapshot(try reader.identifier())
    case .confirmed:
      let space: SpaceID = try reader.identifier()
      self = .confirmed(space, try Confirmations(from: &reader))
    case .snapshot:
      let space: SpaceID = try reader.identifier()
      self = .snapshot(space, try GivenUp(from: &reader))
    case .direct: self = try .direct(from: &reader)
    }
    try reader.finish()
  }
}

/// Writes the frames of one direction of a link, in the order in which they are sent.
///
/// ```swift
/// var encoder = FrameEncoder()
/// send(encoder.encode(.ping))  // 01 00 00 00 06
/// ```
package struct FrameEncoder: Sendable {
  private var codecs = Codecs()

  /// Those that go on from frame to frame.
  struct Codecs {
    var live = LiveEncoder()
    var batches = BatchEncoder()
  }

  package init() {}

  /// The whole frame: four bytes of length, the kind, the payload.
  package mutating func encode(_ frame: Frame) -> [UInt8] {
    var writer = ByteWriter(capacity: 160)
    writer.fixed(0 as UInt32)
    frame.encodePayload(into: &writer, &codecs)
    writer.replace(at: 0, with: UInt32(writer.bytes.count - 4))
    return writer.bytes
  }
}

extension Hello {
  fileprivate func encode(magic: [UInt8], into writer: inout ByteWriter) {
    writer.raw(magic)
    writer.fixed(versions.lowerBound)
    writer.fixed(versions.upperBound)
    writer.identifier(device)
    writer.identifier(replica)
    writer.fixed(incarnation)
    writer.text(name)
  }

  fileprivate init(from reader: inout ByteReader, magic: [UInt8]) throws(CodecError) {
    let start = reader.offset
    guard try reader.raw(magic.count).elementsEqual(magic) else {
      throw .invalid("greeting: this is not Hyperbasis", offset: start)
    }
    let least = try reader.fixed(UInt16.self)
    let most = try reader.fixed(UInt16.self)
    guard least <= most else { throw .invalid("protocol versions", offset: start) }
    versions = least...most
    device = try reader.identifier()
    replica = try reader.identifier()
    incarnation = try reader.fixed(UInt64.self)
    name = try reader.text("peer name", most: Limits.peerNameBytes)
  }
}
