extension Value {
  /// The first byte of an encoded value.
  private enum Tag: UInt8 {
    case null, no, yes, int, double, string, array, object
  }

  package func encode(into writer: inout ByteWriter) {
    switch self {
    case .null: writer.byte(Tag.null.rawValue)
    case .bool(let bool): writer.byte(bool ? Tag.yes.rawValue : Tag.no.rawValue)
    case .int(let int):
      writer.byte(Tag.int.rawValue)
      writer.signed(int)
    case .double(let double):
      writer.byte(Tag.double.rawValue)
      writer.fixed(double.bitPattern)
    case .string(let string):
      writer.byte(Tag.string.rawValue)
      writer.text(string)
    case .array(let elements):
      writer.byte(Tag.array.rawValue)
      writer.varint(elements.count)
      for element in elements { element.encode(into: &writer) }
    case .object(let object):
      writer.byte(Tag.object.rawValue)
      writer.varint(object.entries.count)
      for entry in object.entries {
        writer.text(entry.key.text)
        entry.value.encode(into: &writer)
      }
    }
  }

  /// - Throws: `CodecError` for an unknown tag, a double that is not finite, object keys out of
  ///   order, more than `Limits.valueDepth` levels or more than `Limits.valueBytes` bytes.
  package init(from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    try self.init(from: &reader, depth: 0)
    let length = reader.offset - start
    guard length <= Limits.valueBytes else {
      throw .limit(
        "value bytes", value: UInt64(length), most: Limits.valueBytes, offset: start)
    }
  }

  fileprivate init(from reader: inout ByteReader, depth: Int) throws(CodecError) {
    let start = reader.offset
    let kind = try reader.byte()
    guard let tag = Tag(rawValue: kind) else {
      throw .unknownKind(of: "value", kind: kind, offset: start)
    }
    guard depth < Limits.valueDepth || (tag != .array && tag != .object) else {
      throw .limit(
        "value depth", value: UInt64(depth) + 1, most: Limits.valueDepth, offset: start)
    }
    switch tag {
    case .null: self = .null
    case .no: self = .bool(false)
    case .yes: self = .bool(true)
    case .int: self = .int(try reader.signed())
    case .double:
      let double = Double(bitPattern: try reader.fixed(UInt64.self))
      guard double.isFinite else { throw .invalid("number", offset: start) }
      self = .double(double)
    case .string: self = .string(try reader.text("string", most: Limits.valueBytes))
    case .array:
      let count = try reader.count(of: "array count", most: Limits.valueBytes)
      var elements: [Value] = []
      elements.reserveCapacity(min(count, 1_024))
      for _ in 0..<count { elements.append(try Value(from: &reader, depth: depth + 1)) }
      self = .array(elements)
    case .object: self = .object(try Object(from: &reader, depth: depth))
    }
  }
}

extension Value.Object {
  fileprivate init(from reader: inout ByteReader, depth: Int) throws(CodecError) {
    let start = reader.offset
    let count = try reader.count(of: "object count", most: Limits.valueBytes, itemBytes: 2)
    var entries: [Entry] = []
    entries.reserveCapacity(min(count, 1_024))
    for _ in 0..<count {
      let key = Key(try reader.text("key", most: Limits.valueBytes))
      if let last = entries.last, last.key >= key { throw .invalid("key order", offset: start) }
      entries.append(Entry(key: key, value: try Value(from: &reader, depth: depth + 1)))
    }
    self.init(sorted: entries)
  }
}
