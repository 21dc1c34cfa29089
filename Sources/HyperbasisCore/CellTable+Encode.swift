extension CellTable {
  /// Writes the table as a batch has it: its names, a head for each cell, and what the heads leave open in columns.
  ///
  /// A head says with what a cell goes on: the anchor, the stamp, the key of the one before it. `Docs/PROTOCOL.md` has
  /// the form. O(n).
  package func encode(into writer: inout ByteWriter) {
    writer.varint(authors.elements.count)
    for author in authors.elements { writer.identifier(author) }
    writer.varint(anchors.elements.count)
    for anchor in anchors.elements { writer.identifier(anchor) }
    writer.varint(keys.elements.count)
    for key in keys.elements { writer.text(key.text) }
    var columns = CellColumns(of: self)
    var before = CellContext()
    var texts = KnownTexts(keys: keys.elements.count)
    for row in rows.indices {
      let write = write(at: row)
      let stampForm = before.form(of: write)
      columns.heads.byte(
        columns.kind(of: write, before, &texts).rawValue
          | before.anchorForm(of: write).rawValue << 4 | stampForm.rawValue << 6)
      columns.put(write, after: before, stampForm)
      before.take(write)
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
  /// The first in the table that was not met yet.
  case next
  case told
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
  /// Of anchors that were met.
  private(set) var metAnchors: UInt32 = 0

  mutating func take(_ write: CellWrite) {
    (timestamp, dot, date) = (write.timestamp, write.dot, write.date)
    if write.anchor != nil {
      anchor = write.anchorPlace
      if anchor == metAnchors { metAnchors += 1 }
    }
    if case .field(let key, _) = write.content { self.key = key }
  }

  /// The key that follows in a table of so many, and behind the last the first. Precondition: there is one.
  func nextKey(of count: Int) -> Int { (key + 1) % count }

  /// In units of 2^-8 ms, in which a clock gives its time: its counter rises above that for edits of the same moment.
  static let timeBits: UInt64 = 8

  fileprivate func form(of write: CellWrite) -> StampForm {
    if write.dot == dot, write.timestamp == timestamp, write.date == date { return .same }
    let isStep =
      write.dot.author == dot.author && write.dot.sequence >= dot.sequence
      && write.date == write.timestamp.nanoseconds && write.timestamp >= timestamp
      && (write.timestamp.bits - timestamp.bits) & 0xFF == 0
    return isStep ? .step : .told
  }

  fileprivate func anchorForm(of write: CellWrite) -> AnchorForm {
    if write.anchorPlace == anchor || write.anchor == nil { return .same }
    return write.anchorPlace == metAnchors ? .next : .told
  }
}

/// The first short texts that each key had, by number: types and authors come again and again.
struct KnownTexts {
  private var texts: [PlaceTable<Key>]
  private static let most = 32
  private static let longest = 32

  init(keys: Int) {
    texts = Array(repeating: PlaceTable<Key>(), count: keys)
  }

  func number(of text: String, key: Int) -> Int? { texts[key].place(of: Key(text)) }

  func text(_ number: Int, key: Int) -> String? {
    number < texts[key].elements.count ? texts[key].elements[number].text : nil
  }

  mutating func note(_ text: String, key: Int) {
    guard texts[key].elements.count < KnownTexts.most, text.utf8.count <= KnownTexts.longest
    else { return }
    _ = texts[key].insert(Key(text))
  }
}

/// The columns of a batch while it is written.
private struct CellColumns {
  var heads: ByteWriter
  private var stamps = ByteWriter()
  private var names = ByteWriter()
  private var existences = ByteWriter()
  private var transforms = ByteWriter()
  private var values = ByteWriter()

  private let keyCount: Int

  init(of table: CellTable) {
    heads = ByteWriter(capacity: table.count)
    keyCount = table.keys.elements.count
  }

  mutating func kind(
    of write: CellWrite, _ before: CellContext, _ texts: inout KnownTexts
  ) -> CellKind {
    switch write.content {
    case .ofSpace(let operation):
      operation.encode(into: &values, anchorIndex: 0)
      return .ofSpace
    case .existence: return .existence
    case .transform: return .transform
    case .field(let key, let value):
      let kind = put(value, key, &texts)
      if key == before.nextKey(of: keyCount) { return kind }
      names.varint(key)
      return kind.ofOtherKey
    }
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

  mutating func put(_ write: CellWrite, after before: CellContext, _ form: StampForm) {
    switch form {
    case .same: break
    case .step:
      stamps.varint(write.dot.sequence - before.dot.sequence)
      stamps.varint((write.timestamp.bits - before.timestamp.bits) >> CellContext.timeBits)
    case .told:
      stamps.varint(write.dot.author)
      stamps.varint(write.dot.sequence)
      stamps.fixed(write.timestamp.bits)
      stamps.signed(write.date &- write.timestamp.nanoseconds)
    }
    if before.anchorForm(of: write) == .told { names.varint(Int(write.anchorPlace)) }
    switch write.content {
    case .existence(let existence): existence.encode(into: &existences, around: write.date)
    case .transform(let transform): transform.encodeShort(into: &transforms)
    case .field, .ofSpace: break
    }
  }

  func encode(into writer: inout ByteWriter) {
    for column in [heads, stamps, names, existences, transforms, values] {
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
