/// The anchors or replicas that a message names, each written once and then by its index.
package struct IdentifierTable<Kind: Sendable>: Sendable {
  package private(set) var identifiers: [Identifier<Kind>] = []
  /// Empty as long as there are so few that looking through them is faster.
  private var indices: [Identifier<Kind>: Int] = [:]
  private static var few: Int { 32 }

  package init() {}

  /// The index of `identifier`, added at the end when new.
  package mutating func index(of identifier: Identifier<Kind>) -> Int {
    if let index = known(identifier) { return index }
    if identifiers.isEmpty { identifiers.reserveCapacity(8) }
    identifiers.append(identifier)
    if identifiers.count > Self.few {
      if indices.isEmpty {
        for (index, identifier) in identifiers.enumerated() { indices[identifier] = index }
      } else {
        indices[identifier] = identifiers.count - 1
      }
    }
    return identifiers.count - 1
  }

  private func known(_ identifier: Identifier<Kind>) -> Int? {
    identifiers.count <= Self.few ? identifiers.firstIndex(of: identifier) : indices[identifier]
  }

  package func encode(into writer: inout ByteWriter) {
    writer.varint(identifiers.count)
    for identifier in identifiers { writer.identifier(identifier) }
  }

  /// - Throws: `CodecError` when an identifier occurs twice or there are more than `most`.
  package init(
    from reader: inout ByteReader, of what: CodecError.StaticText, most: Int
  ) throws(CodecError) {
    let start = reader.offset
    let count = try reader.count(of: what, most: most, itemBytes: 16)
    for _ in 0..<count { _ = index(of: try reader.identifier()) }
    guard identifiers.count == count else { throw .invalid(what, offset: start) }
  }

  package func read(
    from reader: inout ByteReader, of what: CodecError.StaticText
  ) throws(CodecError) -> Identifier<Kind> {
    let start = reader.offset
    let index = try reader.varint()
    guard index < identifiers.count else { throw .invalid(what, offset: start) }
    return identifiers[Int(index)]
  }
}

extension Operation {
  /// The first byte of an encoded operation. `Docs/PROTOCOL.md` lists them.
  package enum Kind: UInt8, Sendable {
    case name = 1
    case live, deleted, transform, set, unset
    case unnamed, spaceLive, spaceDeleted, map, noMap, restored, spaceRestored
    case keepEverything, keepSeconds, keepLatest, founder, joined, stillJoined, retired

    /// Whether it writes to the space itself.
    package var isOfSpace: Bool {
      switch self {
      case .name, .unnamed, .spaceLive, .spaceDeleted, .spaceRestored, .map, .noMap: true
      case .keepEverything, .keepSeconds, .keepLatest: true
      case .founder, .joined, .stillJoined, .retired: true
      case .live, .deleted, .restored, .transform, .set, .unset: false
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .name(let name): name == nil ? .unnamed : .name
    case .spaceExistence(let existence):
      existence.kind(live: .spaceLive, deleted: .spaceDeleted, restored: .spaceRestored)
    case .worldMap(let map): map == nil ? .noMap : .map
    case .existence(_, let existence):
      existence.kind(live: .live, deleted: .deleted, restored: .restored)
    case .transform: .transform
    case .metadata(_, _, let value): value == nil ? .unset : .set
    case .retention(let retention): retention.kind
    case .member(_, let membership): membership.kind
    }
  }

  package func encode(into writer: inout ByteWriter, anchors: inout IdentifierTable<AnchorKind>) {
    encode(into: &writer, anchorIndex: anchor.map { anchors.index(of: $0) } ?? 0)
  }

  /// `anchorIndex` is the anchor's index in the table; it is not written where there is no anchor.
  package func encode(into writer: inout ByteWriter, anchorIndex: Int) {
    writer.byte(kind.rawValue)
    switch self {
    case .name(let name): if let name { writer.text(name.text) }
    case .spaceExistence(let existence): existence.encode(into: &writer)
    case .worldMap(let map): map?.encode(into: &writer)
    case .existence(_, let existence):
      writer.varint(anchorIndex)
      existence.encode(into: &writer)
    case .transform(_, let transform):
      writer.varint(anchorIndex)
      writer.fixed(transform.elements)
    case .metadata(_, let key, let value):
      writer.varint(anchorIndex)
      writer.text(key.text)
      value?.encode(into: &writer)
    case .retention(let retention):
      if case .seconds(let seconds) = retention { writer.varint(seconds) }
    case .member(let replica, let membership):
      writer.identifier(replica)
      if case .kept(let dot) = membership {
        writer.identifier(dot.replica)
        writer.varint(dot.sequence)
      }
    }
  }

  package init(
    from reader: inout ByteReader, anchors: IdentifierTable<AnchorKind>
  ) throws(CodecError) {
    let start = reader.offset
    let kind = try Kind(try reader.byte(), at: start)
    if kind.isOfSpace {
      try self.init(ofSpace: kind, from: &reader)
      return
    }
    let anchor = try anchors.read(from: &reader, of: "anchor index")
    switch kind {
    case .live: self = .existence(anchor, Existence(created: try reader.signed()))
    case .deleted: self = .existence(anchor, try Existence(deletedFrom: &reader))
    case .restored: self = .existence(anchor, try Existence(restoredFrom: &reader))
    case .transform: self = .transform(anchor, try Transform(from: &reader))
    case .set:
      let key = Key(try reader.text("key", most: Limits.keyBytes))
      self = .metadata(anchor, key, try Value(from: &reader))
    case .unset: self = .metadata(anchor, Key(try reader.text("key", most: Limits.keyBytes)), nil)
    default: preconditionFailure("handled above")
    }
  }

  /// Reads an operation that writes to the space itself.
  init(ofSpaceFrom reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    let byte = try reader.byte()
    guard let kind = Kind(rawValue: byte), kind.isOfSpace else {
      throw .unknownKind(of: "operation", kind: byte, offset: start)
    }
    try self.init(ofSpace: kind, from: &reader)
  }

  /// Reads what follows the kind of an operation on the space itself.
  ///
  /// Precondition: the kind is one of them.
  package init(ofSpace kind: Kind, from reader: inout ByteReader) throws(CodecError) {
    switch kind {
    case .name: self = .name(Key(try reader.text("name", most: Limits.nameBytes)))
    case .unnamed: self = .name(nil)
    case .spaceLive: self = .spaceExistence(Existence(created: try reader.signed()))
    case .spaceDeleted: self = .spaceExistence(try Existence(deletedFrom: &reader))
    case .spaceRestored: self = .spaceExistence(try Existence(restoredFrom: &reader))
    case .map: self = .worldMap(try MapReference(from: &reader))
    case .noMap: self = .worldMap(nil)
    case .keepEverything: self = .retention(.everything)
    case .keepSeconds: self = .retention(.seconds(try reader.varint()))
    case .keepLatest: self = .retention(.latest)
    case .founder: self = .member(try reader.identifier(), .founder)
    case .joined: self = .member(try reader.identifier(), .joined)
    case .stillJoined:
      let replica: ReplicaID = try reader.identifier()
      let author: ReplicaID = try reader.identifier()
      self = .member(replica, .kept(Dot(replica: author, sequence: try reader.sequence())))
    case .retired: self = .member(try reader.identifier(), .retired)
    default: preconditionFailure("it writes to an anchor")
    }
  }
}

extension Operation.Kind {
  /// - Throws: `CodecError` for a byte that names none.
  package init(_ byte: UInt8, at offset: Int) throws(CodecError) {
    guard let kind = Self(rawValue: byte) else {
      throw .unknownKind(of: "operation", kind: byte, offset: offset)
    }
    self = kind
  }
}

extension Retention {
  fileprivate var kind: Operation.Kind {
    switch self {
    case .everything: .keepEverything
    case .seconds: .keepSeconds
    case .latest: .keepLatest
    }
  }
}

extension Membership {
  fileprivate var kind: Operation.Kind {
    switch self {
    case .founder: .founder
    case .joined: .joined
    case .kept: .stillJoined
    case .retired: .retired
    }
  }
}

extension Existence {
  fileprivate func encode(into writer: inout ByteWriter) {
    writer.signed(created)
    if let date = deleted ?? restored { writer.signed(date) }
  }

  fileprivate func kind(
    live: Operation.Kind, deleted: Operation.Kind, restored: Operation.Kind
  ) -> Operation.Kind {
    self.deleted != nil ? deleted : self.restored != nil ? restored : live
  }

  fileprivate init(deletedFrom reader: inout ByteReader) throws(CodecError) {
    let created = try reader.signed()
    self.init(created: created, deleted: try reader.signed())
  }

  fileprivate init(restoredFrom reader: inout ByteReader) throws(CodecError) {
    let created = try reader.signed()
    self.init(created: created, restored: try reader.signed())
  }
}

extension MapReference {
  fileprivate func encode(into writer: inout ByteWriter) {
    writer.hash(manifest)
    writer.varint(byteCount)
  }

  fileprivate init(from reader: inout ByteReader) throws(CodecError) {
    manifest = try reader.hash()
    let start = reader.offset
    byteCount = try reader.varint()
    guard byteCount > 0 else { throw .invalid("world map: it has no bytes", offset: start) }
    guard byteCount <= UInt64(Limits.mapBytes) else {
      throw .limit("world map bytes", value: byteCount, most: Limits.mapBytes, offset: start)
    }
  }
}

extension Transform {
  fileprivate init(from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    var numbers = SIMD16<Float>()
    for index in 0..<16 { numbers[index] = Float(bitPattern: try reader.fixed(UInt32.self)) }
    do { try self.init(elements: numbers) } catch { throw .invalid("transform", offset: start) }
  }
}
