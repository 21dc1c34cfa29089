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
    var untold = try UntoldAnchors(from: &reader, names: &names)
    try names.addKeys(from: &reader)
    var columns = try ReadColumns(from: &reader)
    var table = CellTable()
    var copier = NameCopier()
    var run = (count: 0, bytes: 0)
    while columns.hasNext {
      let write = try columns.next(context, &names)
      run = write.dot == context.dot && !table.isEmpty ? (run.count + 1, run.bytes) : (1, 0)
      if names.writtenCount > 0, let place = write.anchor, place != context.anchor {
        untold.place(anchorAt: place, in: &table, &names, &copier)
      }
      context.take(write.head)
      switch write.content {
      case .field(let key, _): context.take(key: key)
      case .transform(let transform): context.take(transform)
      case .existence, .ofSpace: break
      }
      let row = table.append(write, of: names, &copier)
      run.bytes += table.byteCount(at: row)
      try Cell.check(run.count, bytes: run.bytes, offset: start)
    }
    try columns.finish()
    self.init(received: table, untold)
  }
}

extension UntoldAnchors {
  /// Gives an anchor that has no id its place in the table of the batch, where it has none yet.
  fileprivate mutating func place(
    anchorAt known: Int, in table: inout CellTable, _ names: inout CellNames,
    _ copier: inout NameCopier
  ) {
    guard let number = names.writtenNumber(at: known) else { return }
    if let place = names.lastPlace(ofWritten: number) {
      return copier.note(anchor: known, at: place)
    }
    let place = table.reserveAnchor()
    names.note(place, ofWritten: number)
    note(number, at: place)
    copier.note(anchor: known, at: place)
  }
}

extension CellTable {
  /// Adds a write that has the places of `names`.
  fileprivate mutating func append(
    _ write: CellWrite, of names: CellNames, _ copier: inout NameCopier
  ) -> Int {
    let head = copier.head(write.head, of: names.authors, names.anchors, in: &self)
    guard case .field(let place, let value) = write.content else {
      return append(CellWrite(head: head, content: write.content))
    }
    let key = copier.key(place, of: names.keys, in: &self)
    return append(CellWrite(head: head, content: .field(key: key, value)))
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
    var anchor = UInt32.max
    let content: CellWrite.Content
    if kind == .transform {
      anchor = try self.anchor(anchorForm, before, names)
      content = .transform(try transform(after: before.transform(of: anchor)))
    } else {
      // The place of a key comes before that of an anchor.
      content = try self.content(kind, before, date, &names)
      if kind != .ofSpace { anchor = try self.anchor(anchorForm, before, names) }
    }
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

  private mutating func transform(after last: Transform?) throws(CodecError) -> Transform {
    if let last { return try Transform(stepFrom: &transforms, after: last) }
    return try Transform(shortFrom: &transforms, tops: &tops)
  }

  /// Of all but a transform.
  private mutating func content(
    _ kind: CellKind, _ before: CellContext, _ date: Int64, _ names: inout CellNames
  ) throws(CodecError) -> CellWrite.Content {
    switch kind {
    case .ofSpace: return .ofSpace(try Operation(ofSpaceFrom: &values))
    case .existence: return .existence(try Existence(from: &existences, around: date))
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
