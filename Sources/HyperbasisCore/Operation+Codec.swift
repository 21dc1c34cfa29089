/// The anchors or replicas that a message names, each written once and then by its index.
package struct IdentifierTable<Kind: Sendable>: Sendable {
  package private(set) var identifiers: [Identifier<Kind>] = []
  private var indices: [Identifier<Kind>: Int] = [:]

  package init() {}

  /// The index of `identifier`, added at the end when new.
  package mutating func index(of identifier: Identifier<Kind>) -> Int {
    if let index = indices[identifier] { return index }
    indices[identifier] = identifiers.count
    identifiers.append(identifier)
    return identifiers.count - 1
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
  private enum Kind: UInt8 {
    case name = 1
    case live, deleted, transform, set, unset
  }

  package func encode(into writer: inout ByteWriter, anchors: inout IdentifierTable<AnchorKind>) {
    switch self {
    case .name(let name):
      writer.byte(Kind.name.rawValue)
      writer.text(name.text)
    case .existence(let anchor, let existence):
      writer.byte(existence.deleted == nil ? Kind.live.rawValue : Kind.deleted.rawValue)
      writer.varint(anchors.index(of: anchor))
      writer.signed(existence.created)
      if let deleted = existence.deleted { writer.signed(deleted) }
    case .transform(let anchor, let transform):
      writer.byte(Kind.transform.rawValue)
      writer.varint(anchors.index(of: anchor))
      for index in 0..<16 { writer.fixed(transform.elements[index].bitPattern) }
    case .metadata(let anchor, let key, let value):
      writer.byte(value == nil ? Kind.unset.rawValue : Kind.set.rawValue)
      writer.varint(anchors.index(of: anchor))
      writer.text(key.text)
      value?.encode(into: &writer)
    }
  }

  package init(
    from reader: inout ByteReader, anchors: IdentifierTable<AnchorKind>
  ) throws(CodecError) {
    let start = reader.offset
    let byte = try reader.byte()
    guard let kind = Kind(rawValue: byte) else {
      throw .unknownKind(of: "operation", kind: byte, offset: start)
    }
    if kind == .name {
      self = .name(Key(try reader.text("name", most: Limits.nameBytes)))
      return
    }
    let anchor = try anchors.read(from: &reader, of: "anchor index")
    switch kind {
    case .name: preconditionFailure("handled above")
    case .live: self = .existence(anchor, Existence(created: try reader.signed()))
    case .deleted:
      let created = try reader.signed()
      self = .existence(anchor, Existence(created: created, deleted: try reader.signed()))
    case .transform: self = .transform(anchor, try Transform(from: &reader))
    case .set:
      let key = Key(try reader.text("key", most: Limits.keyBytes))
      self = .metadata(anchor, key, try Value(from: &reader))
    case .unset: self = .metadata(anchor, Key(try reader.text("key", most: Limits.keyBytes)), nil)
    }
  }
}

extension Transform {
  fileprivate init(from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    var numbers: [Float] = []
    numbers.reserveCapacity(16)
    for _ in 0..<16 { numbers.append(Float(bitPattern: try reader.fixed(UInt32.self))) }
    do { try self.init(numbers) } catch { throw .invalid("transform", offset: start) }
  }
}
