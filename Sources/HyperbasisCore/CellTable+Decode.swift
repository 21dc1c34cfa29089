extension CellTable {
  /// - Throws: `CodecError` for malformed bytes, and for more writes or bytes under one dot than a
  ///   change can have: they could not be sent on, since a batch does not divide a change.
  package init(from reader: inout ByteReader) throws(CodecError) {
    self.init()
    let start = reader.offset
    for _ in 0..<(try reader.count(of: "replicas", most: Limits.replicas, itemBytes: 16)) {
      let count = authors.elements.count
      guard insert(try reader.identifier() as ReplicaID) == count else {
        throw .invalid("replicas", offset: start)
      }
    }
    for _ in 0..<(try reader.count(of: "anchors", most: Limits.batchCells, itemBytes: 16)) {
      let count = anchors.elements.count
      guard insert(try reader.identifier() as AnchorID) == count else {
        throw .invalid("anchors", offset: start)
      }
    }
    for _ in 0..<(try reader.count(of: "keys", most: Limits.batchCells)) {
      let count = keys.elements.count
      guard insert(Key(try reader.text("key", most: Limits.keyBytes))) == count else {
        throw .invalid("keys", offset: start)
      }
    }
    var columns = try ReadColumns(from: &reader)
    try take(&columns, offset: start)
    try columns.finish()
  }

  private mutating func take(_ columns: inout ReadColumns, offset: Int) throws(CodecError) {
    var before = CellContext()
    var texts = KnownTexts(keys: keys.elements.count)
    var run = (count: 0, bytes: 0)
    while columns.heads.remaining > 0 {
      let write = try columns.next(before, &texts, self)
      run = write.dot == before.dot && !isEmpty ? (run.count + 1, run.bytes) : (1, 0)
      before.take(write)
      let row = append(write)
      run.bytes += byteCount(at: row)
      guard run.count <= Limits.changeOperations else {
        throw .limit(
          "writes of a change", value: UInt64(run.count), most: Limits.changeOperations,
          offset: offset)
      }
      guard run.bytes <= Limits.changeCellBytes else {
        throw .limit(
          "bytes of a change's writes", value: UInt64(run.bytes), most: Limits.changeCellBytes,
          offset: offset)
      }
    }
  }
}

/// The columns of a batch while it is read.
private struct ReadColumns {
  private(set) var heads: ByteReader
  private var stamps: ByteReader
  private var names: ByteReader
  private var existences: ByteReader
  private var transforms: ByteReader
  private var values: ByteReader

  init(from reader: inout ByteReader) throws(CodecError) {
    heads = try ReadColumns.column(of: &reader, most: Limits.batchCells)
    stamps = try ReadColumns.column(of: &reader)
    names = try ReadColumns.column(of: &reader)
    existences = try ReadColumns.column(of: &reader)
    transforms = try ReadColumns.column(of: &reader)
    values = try ReadColumns.column(of: &reader)
  }

  private static func column(
    of reader: inout ByteReader, most: Int = Limits.frameBytes
  ) throws(CodecError) -> ByteReader {
    let count = try reader.count(of: "column", most: most)
    return ByteReader(Array(try reader.raw(count)))
  }

  /// - Throws: `CodecError` when something is left that no head asked for.
  func finish() throws(CodecError) {
    for column in [stamps, names, existences, transforms, values] { try column.finish() }
  }

  mutating func next(
    _ before: CellContext, _ texts: inout KnownTexts, _ table: CellTable
  ) throws(CodecError) -> CellWrite {
    let offset = heads.offset
    let head = try heads.byte()
    guard let kind = CellKind(rawValue: head & 15),
      let anchorForm = AnchorForm(rawValue: head >> 4 & 3),
      let stampForm = StampForm(rawValue: head >> 6)
    else { throw .unknownKind(of: "cell", kind: head, offset: offset) }
    let (timestamp, dot, date) = try stamp(stampForm, before, table)
    let content = try content(kind, before, date, &texts, table)
    var anchor = UInt32.max
    if kind != .ofSpace { anchor = try self.anchor(anchorForm, before, table) }
    return CellWrite(
      timestamp: timestamp, dot: dot, date: date, anchorPlace: anchor, content: content)
  }

  private mutating func stamp(
    _ form: StampForm, _ before: CellContext, _ table: CellTable
  ) throws(CodecError) -> (Timestamp, PackedDot, date: Int64) {
    let offset = stamps.offset
    guard before.dot.author < table.authors.elements.count else {
      throw .invalid("replica index", offset: offset)
    }
    switch form {
    case .same: return (before.timestamp, before.dot, before.date)
    case .step:
      let (sequence, isBeyond) = before.dot.sequence.addingReportingOverflow(try stamps.varint())
      guard !isBeyond, sequence <= UInt64(Limits.sequence) else {
        throw .limit("sequence", value: sequence, most: Limits.sequence, offset: offset)
      }
      let step = try stamps.varint()
      let (bits, isAbove) = before.timestamp.bits.addingReportingOverflow(
        step << CellContext.timeBits)
      guard !isAbove, step >> (64 - CellContext.timeBits) == 0 else {
        throw .invalid("timestamp", offset: offset)
      }
      let timestamp = Timestamp(bits: bits)
      return (
        timestamp, PackedDot(author: before.dot.author, sequence: sequence), timestamp.nanoseconds
      )
    case .told:
      let author = try stamps.varint()
      guard author < table.authors.elements.count else {
        throw .invalid("replica index", offset: offset)
      }
      let sequence = try stamps.sequence()
      let timestamp = Timestamp(bits: try stamps.fixed(UInt64.self))
      return (
        timestamp, PackedDot(author: Int(author), sequence: sequence),
        timestamp.nanoseconds &+ (try stamps.signed())
      )
    }
  }

  private mutating func anchor(
    _ form: AnchorForm, _ before: CellContext, _ table: CellTable
  ) throws(CodecError) -> UInt32 {
    let offset = names.offset
    let place: UInt64
    switch form {
    case .same: place = UInt64(before.anchor)
    case .next: place = UInt64(before.metAnchors)
    case .told: place = try names.varint()
    }
    guard place < table.anchors.elements.count else {
      throw .invalid("anchor index", offset: offset)
    }
    return UInt32(place)
  }

  private mutating func content(
    _ kind: CellKind, _ before: CellContext, _ date: Int64, _ texts: inout KnownTexts,
    _ table: CellTable
  ) throws(CodecError) -> CellWrite.Content {
    switch kind {
    case .ofSpace: return .ofSpace(try Operation(ofSpaceFrom: &values))
    case .existence: return .existence(try Existence(from: &existences, around: date))
    case .transform: return .transform(try Transform(shortFrom: &transforms))
    default: break
    }
    let offset = names.offset
    let count = table.keys.elements.count
    guard count > 0 else { throw .invalid("key index", offset: offset) }
    let key = kind.isOfOtherKey ? try names.varint() : UInt64(before.nextKey(of: count))
    guard key < count else { throw .invalid("key index", offset: offset) }
    return .field(key: Int(key), try value(kind, Int(key), &texts))
  }

  private mutating func value(
    _ kind: CellKind, _ key: Int, _ texts: inout KnownTexts
  ) throws(CodecError) -> Value? {
    switch kind {
    case .removed, .otherRemoved: return nil
    case .text, .otherText:
      let text = try values.text("text", most: Limits.valueBytes)
      texts.note(text, key: key)
      return .string(text)
    case .knownText, .otherKnownText:
      let offset = values.offset
      let number = try values.varint()
      guard number < Limits.valueBytes, let text = texts.text(Int(number), key: key) else {
        throw .invalid("text number", offset: offset)
      }
      return .string(text)
    default: return try Value(from: &values)
    }
  }
}
