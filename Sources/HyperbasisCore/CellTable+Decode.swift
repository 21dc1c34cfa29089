extension BatchCells {
  /// - Parameter names: Those of the batches before; this one's are added.
  /// - Throws: `CodecError` for malformed bytes, and for more writes or bytes under one dot than a
  ///   change can have: they could not be sent on, since a batch does not divide a change.
  package init(from reader: inout ByteReader, names: inout CellNames) throws(CodecError) {
    let start = reader.offset
    let met = names.anchors.count
    names.beginBatch()
    try names.addAuthors(from: &reader)
    try names.addAnchors(from: &reader)
    var context = CellContext(metAnchors: met, firstWritten: names.anchors.count)
    var table = ReadTable(untold: try UntoldAnchors(from: &reader, names: &names))
    try names.addKeys(from: &reader)
    var columns = try ReadColumns(from: &reader)
    var run = (count: 0, bytes: 0)
    while columns.hasNext {
      let write = try columns.next(context, &names)
      run = write.dot == context.dot && !table.isEmpty ? (run.count + 1, run.bytes) : (1, 0)
      context.take(write.head)
      if case .field(let key, _) = write.content { context.take(key: key) }
      run.bytes += table.append(write, of: &names)
      try Cell.check(run.count, bytes: run.bytes, offset: start)
    }
    try columns.finish()
    self.init(received: table.cells, table.untold)
  }
}

/// The table of a batch while it is read.
private struct ReadTable {
  private(set) var cells = CellTable()
  private(set) var untold: UntoldAnchors
  private var copier = NameCopier()

  init(untold: UntoldAnchors) {
    self.untold = untold
  }

  var isEmpty: Bool { cells.isEmpty }

  /// Adds a write that has the places of `names`. Returns its bytes.
  mutating func append(_ write: CellWrite, of names: inout CellNames) -> Int {
    if let anchor = write.anchor, let number = names.writtenNumber(at: anchor) {
      copier.note(anchor: anchor, at: place(of: number, &names))
    }
    let head = copier.head(write.head, of: names.authors, names.anchors, in: &cells)
    let content: CellWrite.Content
    if case .field(let place, let value) = write.content {
      content = .field(key: copier.key(place, of: names.keys, in: &cells), value)
    } else {
      content = write.content
    }
    let row = cells.append(CellWrite(head: head, content: content))
    return cells.byteCount(at: row)
  }

  private mutating func place(of number: Int, _ names: inout CellNames) -> Int {
    if let place = names.lastPlace(ofWritten: number) { return place }
    let place = cells.reserveAnchor()
    names.note(place, ofWritten: number)
    untold.note(number, at: place)
    return place
  }
}

/// The columns of a batch while it is read.
private struct ReadColumns {
  private var heads: ByteReader
  private var stamps: ByteReader
  private var times: ByteReader
  private var fractions: ByteReader
  private var places: ByteReader
  private var existences: ByteReader
  private var transforms: ByteReader
  private var tops: ByteReader
  private var values: ByteReader

  init(from reader: inout ByteReader) throws(CodecError) {
    heads = try ReadColumns.column(of: &reader, most: Limits.batchCells)
    stamps = try ReadColumns.column(of: &reader)
    times = try ReadColumns.column(of: &reader)
    fractions = try ReadColumns.column(of: &reader)
    places = try ReadColumns.column(of: &reader)
    existences = try ReadColumns.column(of: &reader)
    transforms = try ReadColumns.column(of: &reader)
    tops = try ReadColumns.column(of: &reader)
    values = try ReadColumns.column(of: &reader)
  }

  private static func column(
    of reader: inout ByteReader, most: Int = Limits.frameBytes
  ) throws(CodecError) -> ByteReader {
    let count = try reader.count(of: "column", most: most)
    return try reader.part(count)
  }

  var hasNext: Bool { heads.remaining > 0 }

  /// - Throws: `CodecError` when something is left that no head asked for.
  func finish() throws(CodecError) {
    for column in [stamps, times, fractions, places, existences, transforms, tops, values] {
      try column.finish()
    }
  }

  mutating func next(
    _ before: CellContext, _ names: inout CellNames
  ) throws(CodecError) -> CellWrite {
    let offset = heads.offset
    let head = try heads.byte()
    guard let kind = CellKind(rawValue: head & 15),
      let anchorForm = AnchorForm(rawValue: head >> 4 & 3),
      let stampForm = StampForm(rawValue: head >> 6)
    else { throw .unknownKind(of: "cell", kind: head, offset: offset) }
    let (timestamp, dot, date) = try stamp(stampForm, before, names)
    let content = try content(kind, before, date, &names)
    var anchor = UInt32.max
    if kind != .ofSpace { anchor = try self.anchor(anchorForm, before, names) }
    return CellWrite(
      head: CellHead(timestamp: timestamp, dot: dot, date: date, anchorPlace: anchor),
      content: content)
  }

  private mutating func stamp(
    _ form: StampForm, _ before: CellContext, _ names: CellNames
  ) throws(CodecError) -> (Timestamp, PackedDot, date: Int64) {
    let offset = stamps.offset
    guard before.dot.author < names.authors.elements.count else {
      throw .invalid("replica index", offset: offset)
    }
    switch form {
    case .same: return (before.timestamp, before.dot, before.date)
    case .step:
      let (sequence, isBeyond) = before.dot.sequence.addingReportingOverflow(try stamps.varint())
      guard !isBeyond, sequence <= UInt64(Limits.sequence) else {
        throw .limit("sequence", value: sequence, most: Limits.sequence, offset: offset)
      }
      let milliseconds = try times.varint()
      guard milliseconds < 1 << 48 else { throw .invalid("timestamp", offset: offset) }
      let step = milliseconds << 8 | UInt64(try fractions.byte())
      let (bits, isAbove) = before.timestamp.bits.addingReportingOverflow(
        step << CellContext.timeBits)
      guard !isAbove else { throw .invalid("timestamp", offset: offset) }
      let timestamp = Timestamp(bits: bits)
      return (
        timestamp, PackedDot(author: before.dot.author, sequence: sequence), timestamp.nanoseconds
      )
    case .told:
      let author = try stamps.varint()
      guard author < names.authors.elements.count else {
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
    _ form: AnchorForm, _ before: CellContext, _ names: CellNames
  ) throws(CodecError) -> UInt32 {
    let offset = places.offset
    let place: UInt64
    switch form {
    case .same: place = UInt64(before.anchor)
    case .next:
      guard before.hasNextAnchor else { throw .invalid("anchor index", offset: offset) }
      place = UInt64(before.nextAnchor)
    case .told: place = try places.varint()
    case .nextWritten: place = UInt64(before.nextWritten)
    }
    guard place < names.anchors.elements.count else {
      throw .invalid("anchor index", offset: offset)
    }
    return UInt32(place)
  }

  private mutating func content(
    _ kind: CellKind, _ before: CellContext, _ date: Int64, _ names: inout CellNames
  ) throws(CodecError) -> CellWrite.Content {
    switch kind {
    case .ofSpace: return .ofSpace(try Operation(ofSpaceFrom: &values))
    case .existence: return .existence(try Existence(from: &existences, around: date))
    case .transform: return .transform(try Transform(shortFrom: &transforms, tops: &tops))
    default: break
    }
    let offset = places.offset
    let count = names.keys.elements.count
    guard count > 0 else { throw .invalid("key index", offset: offset) }
    let key = kind.isOfOtherKey ? try places.varint() : UInt64(before.nextKey(of: count))
    guard key < count else { throw .invalid("key index", offset: offset) }
    return .field(key: Int(key), try value(kind, Int(key), &names.texts))
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
