extension CellTable {
  /// Writes the table as a batch has it: names that are new, a head for each cell, and what the heads leave open in
  /// columns.
  ///
  /// A head says with what a cell goes on: the anchor, the stamp, the key of the one before it. `Docs/PROTOCOL.md` has
  /// the form. O(n).
  ///
  /// - Parameters:
  ///   - names: Those that the receiver has of the batches before; this one's are added.
  ///   - namer: Names the anchors that the receiver does not have of these; nil by their ids.
  func encode(
    into writer: inout ByteWriter, names: inout CellNames, by namer: WriteNamer?
  ) {
    let known = (names.authors.count, names.anchors.count, names.keys.count)
    let places = names.add(self, by: namer)
    writer.varint(names.authors.count - known.0)
    for author in names.authors.elements[known.0...] { writer.identifier(author) }
    let firstWritten = names.anchors.count - places.written.count
    writer.varint(firstWritten - known.1)
    for anchor in names.anchors.elements[known.1..<firstWritten] { writer.identifier(anchor) }
    UntoldAnchors.encode(
      places.written, of: names.authors, check: names.anchors.elements[firstWritten...].check,
      into: &writer)
    writer.varint(names.keys.count - known.2)
    for key in names.keys.elements[known.2...] { writer.text(key.text) }
    var columns = CellColumns(keys: names.keys.count, capacity: count)
    var context = CellContext(metAnchors: known.1, firstWritten: firstWritten)
    for row in rows.indices {
      let head = places.head(rows[row].head)
      columns.put(head, of: self, row, places, after: context, &names.texts)
      context.take(head)
      switch rows[row].kind {
      case .field: context.take(key: places.keys[keyPlace(at: row)])
      case .transform: context.take(transform(at: row))
      case .existence, .ofSpace: break
      }
    }
    columns.encode(into: &writer)
  }
}

/// What a head says of a cell, besides its anchor and its stamp.
enum CellKind: UInt8 {
  case ofSpace
  case existence
  case transform
  /// A key that is the next one in the table, behind the last the first, or one whose place is told.
  case value, otherValue
  case removed, otherRemoved
  /// A text that is numbered from then on.
  case text, otherText
  /// A numbered one.
  case knownText, otherKnownText

  /// The kind of the same write of a key whose place is told.
  var ofOtherKey: CellKind { CellKind(rawValue: rawValue + 1)! }
  var isOfOtherKey: Bool { rawValue >= CellKind.value.rawValue && rawValue.isMultiple(of: 2) }
}

enum AnchorForm: UInt8 {
  /// That of the cell before.
  case same
  /// The first in the table that was not met yet, of those with an id.
  case next
  case told
  /// The same of those that a write names.
  case nextWritten
}

enum StampForm: UInt8 {
  /// That of the cell before.
  case same
  /// Of the same author, later, with the timestamp's date: a step of the sequence and one of time.
  case step
  case told
}

/// What the cells before one say of it.
struct CellContext {
  private(set) var timestamp = Timestamp.zero
  private(set) var dot = PackedDot(author: 0, sequence: 1)
  private(set) var date: Int64 = 0
  private(set) var anchor: UInt32 = .max
  private(set) var key = -1
  /// The last transform, and its anchor.
  private var transform: (anchor: UInt32, Transform)?
  /// The first anchor with an id that was not met yet, in this batch or before.
  private(set) var nextAnchor: UInt32
  /// The same of those that a write names.
  private(set) var nextWritten: UInt32
  /// Behind the anchors with ids.
  private let firstWritten: UInt32

  init(metAnchors: Int, firstWritten: Int) {
    nextAnchor = UInt32(metAnchors)
    self.firstWritten = UInt32(firstWritten)
    nextWritten = self.firstWritten
  }

  /// Whether there is an anchor with an id that was not met yet.
  var hasNextAnchor: Bool { nextAnchor < firstWritten }

  mutating func take(_ head: CellHead) {
    (timestamp, dot, date) = (head.timestamp, head.dot, head.date)
    guard head.anchor != nil else { return }
    anchor = head.anchorPlace
    if anchor == nextWritten {
      nextWritten += 1
    } else if hasNextAnchor, anchor == nextAnchor {
      nextAnchor += 1
    }
  }

  mutating func take(key: Int) { self.key = key }

  /// Takes the transform of the anchor that was taken last.
  mutating func take(_ transform: Transform) { self.transform = (anchor, transform) }

  /// The last transform, where it is one of this anchor: that of a history may go on from it.
  func transform(of anchor: UInt32) -> Transform? {
    transform.flatMap { $0.anchor == anchor ? $0.1 : nil }
  }

  /// The key that follows in a table of so many, and behind the last the first. Precondition: there is one.
  func nextKey(of count: Int) -> Int { (key + 1) % count }

  /// In units of 2^-8 ms, in which a clock gives its time: its counter rises above that for edits of the same moment.
  static let timeBits: UInt64 = 8

  fileprivate func form(of write: CellHead) -> StampForm {
    if write.dot == dot, write.timestamp == timestamp, write.date == date { return .same }
    let isStep =
      write.dot.author == dot.author && write.dot.sequence >= dot.sequence
      && write.date == write.timestamp.nanoseconds && write.timestamp >= timestamp
      && (write.timestamp.bits - timestamp.bits) & 0xFF == 0
    return isStep ? .step : .told
  }

  fileprivate func anchorForm(of write: CellHead) -> AnchorForm {
    if write.anchorPlace == anchor || write.anchor == nil { return .same }
    if write.anchorPlace == nextWritten { return .nextWritten }
    return hasNextAnchor && write.anchorPlace == nextAnchor ? .next : .told
  }
}

/// The columns of a batch while it is written.
private struct CellColumns {
  private var heads: ByteWriter
  private var stamps = ByteWriter()
  private var times = ByteWriter()
  private var fractions = ByteWriter()
  private var places = ByteWriter()
  private var existences = ByteWriter()
  private var transforms = ByteWriter()
  private var tops = ByteWriter()
  private var values = ByteWriter()

  private let keyCount: Int

  init(keys: Int, capacity count: Int) {
    heads = ByteWriter(capacity: count)
    keyCount = keys
  }

  mutating func put(
    _ head: CellHead, of table: CellTable, _ row: Int, _ names: NamePlaces,
    after before: CellContext, _ texts: inout KnownTexts
  ) {
    let (anchor, stamp) = (before.anchorForm(of: head), before.form(of: head))
    let kind: CellKind
    switch table.rows[row].kind {
    case .ofSpace:
      kind = .ofSpace
      table.operationOfSpace(at: row).encode(into: &values, anchorIndex: 0)
    case .existence:
      kind = .existence
      table.existence(at: row).encode(into: &existences, around: head.date)
    case .transform:
      kind = .transform
      let transform = table.transform(at: row)
      if let last = before.transform(of: head.anchorPlace) {
        transform.encodeStep(after: last, into: &transforms)
      } else {
        transform.encodeShort(into: &transforms, tops: &tops)
      }
    case .field:
      let key = names.keys[table.keyPlace(at: row)]
      let isNext = key == before.nextKey(of: keyCount)
      if !isNext { places.varint(key) }
      let ofNextKey = put(table.value(at: row), key, &texts)
      kind = isNext ? ofNextKey : ofNextKey.ofOtherKey
    }
    heads.byte(kind.rawValue | anchor.rawValue << 4 | stamp.rawValue << 6)
    if anchor == .told { places.varint(Int(head.anchorPlace)) }
    put(stamp, of: head, after: before)
  }

  private mutating func put(_ value: Value?, _ key: Int, _ texts: inout KnownTexts) -> CellKind {
    guard let value else { return .removed }
    guard case .string(let text) = value else {
      value.encode(into: &values)
      return .value
    }
    if let number = texts.number(of: text, key: key) {
      values.varint(number)
      return .knownText
    }
    texts.note(text, key: key)
    values.text(text)
    return .text
  }

  private mutating func put(
    _ form: StampForm, of write: CellHead, after before: CellContext
  ) {
    switch form {
    case .same: break
    case .step:
      stamps.varint(write.dot.sequence - before.dot.sequence)
      // Apart, since of milliseconds and sequences a compressor makes something.
      let step = (write.timestamp.bits - before.timestamp.bits) >> CellContext.timeBits
      times.varint(step >> 8)
      fractions.byte(UInt8(step & 0xFF))
    case .told:
      stamps.varint(write.dot.author)
      stamps.varint(write.dot.sequence)
      stamps.fixed(write.timestamp.bits)
      stamps.signed(write.date &- write.timestamp.nanoseconds)
    }
  }

  func encode(into writer: inout ByteWriter) {
    for column in [heads, stamps, times, fractions, places, existences, transforms, tops, values] {
      writer.varint(column.bytes.count)
      writer.raw(column.bytes)
    }
  }
}

extension Existence {
  /// What it is, and its dates as differences from that of its write.
  fileprivate func encode(into writer: inout ByteWriter, around date: Int64) {
    writer.byte(deleted != nil ? 1 : restored != nil ? 2 : 0)
    writer.signed(created &- date)
    if let other = deleted ?? restored { writer.signed(other &- date) }
  }

  init(from reader: inout ByteReader, around date: Int64) throws(CodecError) {
    let start = reader.offset
    let kind = try reader.byte()
    let created = try reader.signed() &+ date
    switch kind {
    case 0: self.init(created: created)
    case 1: self.init(created: created, deleted: try reader.signed() &+ date)
    case 2: self.init(created: created, restored: try reader.signed() &+ date)
    default: throw .unknownKind(of: "existence", kind: kind, offset: start)
    }
  }
}
