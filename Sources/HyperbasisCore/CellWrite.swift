/// One write of a register, taken apart: anchor, author and key are places in a ``CellTable``.
struct CellWrite {
  let timestamp: Timestamp
  let dot: PackedDot
  let date: Int64
  /// For the space itself there is none.
  fileprivate(set) var anchorPlace: UInt32
  let content: Content

  enum Content {
    case existence(Existence)
    case transform(Transform)
    case field(key: Int, Value?)
    case ofSpace(Operation)
  }

  init(
    timestamp: Timestamp, dot: PackedDot, date: Int64, anchorPlace: UInt32, content: Content
  ) {
    (self.timestamp, self.dot, self.date) = (timestamp, dot, date)
    (self.anchorPlace, self.content) = (anchorPlace, content)
  }

  var anchor: Int? { anchorPlace == .max ? nil : Int(anchorPlace) }

  var isDeletion: Bool {
    if case .existence(let existence) = content { existence.deleted != nil } else { false }
  }

  /// Whether it removes a key.
  var isRemovedKey: Bool {
    if case .field(_, nil) = content { true } else { false }
  }
}

extension CellTable {
  /// Takes an operation apart; its anchor, author and key are in the table from then on.
  mutating func write(_ operation: Operation, _ stamp: Stamp) -> CellWrite {
    let author = insert(stamp.dot.replica)
    var anchor = UInt32.max
    let content: CellWrite.Content
    switch operation {
    case .existence(let id, let existence):
      anchor = UInt32(insert(id))
      content = .existence(existence)
    case .transform(let id, let transform):
      anchor = UInt32(insert(id))
      content = .transform(transform)
    case .metadata(let id, let key, let value):
      anchor = UInt32(insert(id))
      content = .field(key: insert(key), value)
    case .name, .spaceExistence, .worldMap, .retention, .member: content = .ofSpace(operation)
    }
    return CellWrite(
      timestamp: stamp.timestamp,
      dot: PackedDot(author: author, sequence: stamp.dot.sequence), date: stamp.date,
      anchorPlace: anchor, content: content)
  }

  /// Adds a register that was not written before.
  @discardableResult
  mutating func append(_ operation: Operation, _ stamp: Stamp) -> Int {
    append(write(operation, stamp))
  }

  /// Adds a register as another table has it: one of a few, whose names are looked up each time.
  mutating func append(_ other: CellTable, _ row: Int) {
    let write = other.write(at: row)
    var content = write.content
    if case .field(let key, let value) = content {
      content = .field(key: insert(other.keys.elements[key]), value)
    }
    let author = insert(other.authors.elements[write.dot.author])
    append(
      CellWrite(
        timestamp: write.timestamp,
        dot: PackedDot(author: author, sequence: write.dot.sequence), date: write.date,
        anchorPlace: write.anchor.map { UInt32(insert(other.anchors.elements[$0])) } ?? .max,
        content: content))
  }

  package init(_ cells: some Sequence<Cell>) {
    self.init()
    for cell in cells { append(cell.operation, cell.stamp) }
  }
}

/// Where the names of one table are in another, looked up as they are met.
struct TablePlaces {
  private var anchors: [UInt32]
  private var authors: [UInt32]
  private var keys: [UInt32]

  init(of table: CellTable) {
    anchors = [UInt32](repeating: .max, count: table.anchors.elements.count)
    authors = [UInt32](repeating: .max, count: table.authors.elements.count)
    keys = [UInt32](repeating: .max, count: table.keys.elements.count)
  }

  /// A write of a row, with the places of `target`, where its names are from then on.
  mutating func write(at row: Int, of table: CellTable, in target: inout CellTable) -> CellWrite {
    let write = table.write(at: row)
    let from = write.dot.author
    if authors[from] == .max { authors[from] = UInt32(target.insert(table.authors.elements[from])) }
    if let anchor = write.anchor, anchors[anchor] == .max {
      anchors[anchor] = UInt32(target.insert(table.anchors.elements[anchor]))
    }
    var content = write.content
    if case .field(let key, let value) = content {
      if keys[key] == .max { keys[key] = UInt32(target.insert(table.keys.elements[key])) }
      content = .field(key: Int(keys[key]), value)
    }
    return CellWrite(
      timestamp: write.timestamp,
      dot: PackedDot(author: Int(authors[from]), sequence: write.dot.sequence), date: write.date,
      anchorPlace: write.anchor.map { anchors[$0] } ?? .max, content: content)
  }
}

/// A dot in eight bytes: the author's place, and the sequence less one.
struct PackedDot: Equatable, Sendable {
  private let bits: UInt64

  /// Of no change.
  static let forgotten = PackedDot(bits: .max)

  private init(bits: UInt64) {
    self.bits = bits
  }

  /// Precondition: the sequence is within its limit, and of authors there are fewer than 2^16 - 1.
  init(author: Int, sequence: UInt64) {
    precondition(author < 0xFFFF, "a space has \(Limits.replicas) replicas at most")
    bits = UInt64(author) << 48 | (sequence - 1)
  }

  var author: Int { Int(bits >> 48) }
  var sequence: UInt64 { (bits & 0xFFFF_FFFF_FFFF) + 1 }
}
