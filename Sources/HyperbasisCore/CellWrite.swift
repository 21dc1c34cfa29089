/// Where and when a write is: anchor and author are places in a ``CellTable``.
struct CellHead {
  let timestamp: Timestamp
  let dot: PackedDot
  let date: Int64
  /// For the space itself there is none: the greatest number.
  let anchorPlace: UInt32

  var anchor: Int? { anchorPlace == .max ? nil : Int(anchorPlace) }
}

/// One write of a register, taken apart: anchor, author and key are places in a ``CellTable``.
struct CellWrite {
  let head: CellHead
  let content: Content

  enum Content {
    case existence(Existence)
    case transform(Transform)
    case field(key: Int, Value?)
    case ofSpace(Operation)
  }

  var timestamp: Timestamp { head.timestamp }
  var dot: PackedDot { head.dot }
  var anchor: Int? { head.anchor }

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
    let head = CellHead(
      timestamp: stamp.timestamp,
      dot: PackedDot(author: author, sequence: stamp.dot.sequence), date: stamp.date,
      anchorPlace: anchor)
    return CellWrite(head: head, content: content)
  }

  /// Adds a register that was not written before.
  @discardableResult
  mutating func append(_ operation: Operation, _ stamp: Stamp) -> Int {
    append(write(operation, stamp))
  }

  package init(_ cells: some Sequence<Cell>) {
    self.init()
    for cell in cells { append(cell.operation, cell.stamp) }
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

  /// Precondition: the sequence is within its limit, and authors are not beyond `Limits.authors`.
  init(author: Int, sequence: UInt64) {
    precondition(author < Limits.authors, "who writes to a table has asked before")
    bits = UInt64(author) << 48 | (sequence - 1)
  }

  var author: Int { Int(bits >> 48) }
  var sequence: UInt64 { (bits & 0xFFFF_FFFF_FFFF) + 1 }
}
