/// Last writes of registers in columns: what each has in one row, and what it holds in the column of its kind.
///
/// ```swift
/// var cells = CellTable()
/// cells.append(operation, stamp)
/// cells[0] == Cell(operation: operation, stamp: stamp)  // made for who asks
/// ```
///
/// Ids, replicas and keys are there once, and a row has their places. A row is 40 bytes without any reference, so that
/// rows are copied and looked through fast; a transform takes 64 more, a key and value 24, an existence 24. A register
/// keeps its row and its place in the column, since it is never of another kind.
package struct CellTable: Sendable {
  private(set) var rows = Column<Row>()
  private(set) var anchors = PlaceTable<AnchorID>()
  private(set) var authors = PlaceTable<ReplicaID>()
  private(set) var keys = PlaceTable<Key>()
  /// By the place of a key: the hash of its text, which is part of each of its writes' hashes.
  private var keyHashes: [UInt64] = []
  private var transforms = Column<Transform>()
  private var existences = Column<Existence>()
  private var fields = Column<Field>()
  /// Of the space itself.
  private var ofSpace: [Operation] = []

  struct Row: Sendable {
    fileprivate(set) var timestamp: Timestamp
    fileprivate(set) var dot: PackedDot
    fileprivate(set) var date: Int64
    /// The write's share of the digest.
    fileprivate(set) var hash: UInt64
    private let anchorPlace: UInt32
    /// The place in the column of its kind, and the kind.
    private let content: UInt32

    fileprivate init(_ head: CellHead, _ kind: Kind, place: Int) {
      precondition(place < 1 << 30, "a column has 2^30 places")
      (timestamp, dot, date, hash) = (head.timestamp, head.dot, head.date, 0)
      (anchorPlace, content) = (head.anchorPlace, UInt32(place) << 2 | kind.rawValue)
    }

    /// Takes the time and author of another write. Returns the place in the column of its kind.
    fileprivate mutating func take(_ head: CellHead) -> Int {
      (timestamp, dot, date) = (head.timestamp, head.dot, head.date)
      return place
    }

    var anchor: Int? { anchorPlace == .max ? nil : Int(anchorPlace) }
    var kind: Kind { Kind(rawValue: content & 3)! }
    fileprivate var place: Int { Int(content >> 2) }

    var head: CellHead {
      CellHead(timestamp: timestamp, dot: dot, date: date, anchorPlace: anchorPlace)
    }
  }

  enum Kind: UInt32 {
    case ofSpace, existence, transform, field
  }

  private struct Field: Sendable {
    var value: Value?
    let key: UInt32
  }

  package init() {}

  // MARK: Names

  mutating func insert(_ author: ReplicaID) -> Int { authors.insert(author) }
  mutating func insert(_ anchor: AnchorID) -> Int { anchors.insert(anchor) }

  mutating func insert(_ key: Key) -> Int {
    let place = keys.insert(key)
    if place == keyHashes.count { keyHashes.append(key.stateHash) }
    return place
  }

  /// A place for an anchor whose id is told later.
  mutating func reserveAnchor() -> Int { anchors.reserve(standingFor: AnchorID(0)) }

  /// Returns whether the anchor had no place before.
  mutating func tell(_ anchor: AnchorID, at place: Int) -> Bool { anchors.tell(anchor, at: place) }

  // MARK: Writing

  /// Adds a write of a register that was not written before.
  @discardableResult
  mutating func append(_ write: CellWrite) -> Int {
    let (kind, place) = add(write.content)
    rows.append(Row(write.head, kind, place: place))
    return rows.count - 1
  }

  /// Adds a row of another table, whose names are taken over by `names`.
  mutating func append(_ other: CellTable, _ row: Int, _ names: inout NameCopier) {
    let known = other.rows[row]
    let (kind, place) = (known.kind, known.place)
    let head = names.head(known.head, of: other.authors, other.anchors, in: &self)
    let count: Int
    switch kind {
    case .existence:
      count = existences.count
      existences.append(other.existences[place])
    case .transform:
      count = transforms.count
      transforms.append(other.transforms[place])
    case .field:
      count = fields.count
      let key = names.key(Int(other.fields[place].key), of: other.keys, in: &self)
      fields.append(Field(value: other.fields[place].value, key: UInt32(key)))
    case .ofSpace:
      count = ofSpace.count
      ofSpace.append(other.ofSpace[place])
    }
    rows.append(Row(head, kind, place: count))
  }

  /// Puts another write of the same register in the place of one.
  mutating func overwrite(_ row: Int, with write: CellWrite) {
    let place = rows[row].take(write.head)
    switch write.content {
    case .existence(let existence): existences[place] = existence
    case .transform(let transform): transforms[place] = transform
    case .field(_, let value): fields[place].value = value
    case .ofSpace(let operation): ofSpace[place] = operation
    }
  }

  /// Makes the hash of a row anew. Rows that nobody asks for theirs, as those of a batch, have none.
  mutating func makeHash(of row: Int) -> UInt64 {
    let hash = hash(at: row)
    rows[row].hash = hash
    return hash
  }

  /// Leaves a row that stands for no register any more: no log finds its dot.
  mutating func forget(_ row: Int) {
    rows[row].dot = .forgotten
    rows[row].hash = 0
    if rows[row].kind == .field { fields[rows[row].place].value = nil }
  }

  /// Takes back what was added last: the rows from one on. Their names stay.
  package mutating func removeRows(from first: Int) {
    while rows.count > first {
      switch rows.removeLast().kind {
      case .existence: existences.removeLast()
      case .transform: transforms.removeLast()
      case .field: fields.removeLast()
      case .ofSpace: ofSpace.removeLast()
      }
    }
  }

  private mutating func add(_ content: CellWrite.Content) -> (Kind, place: Int) {
    switch content {
    case .existence(let existence):
      existences.append(existence)
      return (.existence, existences.count - 1)
    case .transform(let transform):
      transforms.append(transform)
      return (.transform, transforms.count - 1)
    case .field(let key, let value):
      fields.append(Field(value: value, key: UInt32(key)))
      return (.field, fields.count - 1)
    case .ofSpace(let operation):
      ofSpace.append(operation)
      return (.ofSpace, ofSpace.count - 1)
    }
  }

  // MARK: Reading

  func stamp(at row: Int) -> Stamp { stamp(of: rows[row]) }

  private func stamp(of row: Row) -> Stamp {
    Stamp(timestamp: row.timestamp, dot: dot(row.dot), date: row.date)
  }

  /// Precondition: it is not forgotten.
  func dot(at row: Int) -> Dot { dot(rows[row].dot) }

  private func dot(_ packed: PackedDot) -> Dot {
    Dot(replica: authors.elements[packed.author], sequence: packed.sequence)
  }

  func operation(at row: Int) -> Operation { operation(of: write(at: row)) }

  /// What a register holds, with the places of this table.
  func write(at row: Int) -> CellWrite {
    let write = rows[row]
    let place = write.place
    let content: CellWrite.Content
    switch write.kind {
    case .existence: content = .existence(existences[place])
    case .transform: content = .transform(transforms[place])
    case .field: content = .field(key: Int(fields[place].key), fields[place].value)
    case .ofSpace: content = .ofSpace(ofSpace[place])
    }
    return CellWrite(head: write.head, content: content)
  }

  /// The operation of a write of this table.
  func operation(of write: CellWrite) -> Operation {
    switch write.content {
    case .existence(let existence): .existence(anchors.elements[write.anchor!], existence)
    case .transform(let transform): .transform(anchors.elements[write.anchor!], transform)
    case .field(let key, let value):
      .metadata(anchors.elements[write.anchor!], keys.elements[key], value)
    case .ofSpace(let operation): operation
    }
  }

  /// Whether a register holds what an operation writes to it.
  func holds(_ operation: Operation, at row: Int) -> Bool {
    let place = rows[row].place
    switch operation {
    case .existence(_, let existence): return existences[place] == existence
    case .transform(_, let transform): return transforms[place] == transform
    case .metadata(_, let key, let value):
      return fields[place].value == value && keys.elements[Int(fields[place].key)] == key
    case .name, .spaceExistence, .worldMap, .retention, .member:
      return ofSpace[place] == operation
    }
  }

  /// Whether the write of a register is before another one, of a writer of this table, in the order of writes.
  func isWrite(at row: Int, before write: CellWrite) -> Bool {
    let known = rows[row]
    guard known.timestamp == write.timestamp else { return known.timestamp < write.timestamp }
    return stamp(of: known)
      < Stamp(timestamp: write.timestamp, dot: dot(write.dot), date: write.head.date)
  }

  /// As ``isWrite(at:before:)``, of two registers.
  func isWrite(at first: Int, before second: Int) -> Bool {
    let (first, second) = (rows[first], rows[second])
    return first.timestamp == second.timestamp
      ? stamp(of: first) < stamp(of: second) : first.timestamp < second.timestamp
  }

  /// Precondition: the register is the space's own.
  func operationOfSpace(at row: Int) -> Operation { ofSpace[rows[row].place] }

  /// Precondition: the register is an anchor's existence, or its transform.
  func existence(at row: Int) -> Existence { existences[rows[row].place] }
  func transform(at row: Int) -> Transform { transforms[rows[row].place] }

  /// Precondition: the register is a key of an anchor.
  func key(at row: Int) -> Key { keys.elements[keyPlace(at: row)] }
  func keyPlace(at row: Int) -> Int { Int(fields[rows[row].place].key) }
  func value(at row: Int) -> Value? { fields[rows[row].place].value }

  /// The place of the anchor that all rows from one on are of; nil where there is no row, or no such anchor.
  package func anchorPlace(ofAllFrom first: Int) -> Int? {
    guard first < rows.count, let anchor = rows[first].anchor,
      rows[first...].allSatisfy({ $0.anchor == anchor })
    else { return nil }
    return anchor
  }

  func isForgotten(_ row: Int) -> Bool { rows[row].dot == .forgotten }

  /// Whether the last write removed a key.
  func isRemovedKey(_ row: Int) -> Bool {
    let row = rows[row]
    return row.kind == .field && fields[row.place].value == nil
  }

  /// Whether the last write deleted an anchor.
  func isDeletion(_ row: Int) -> Bool {
    let row = rows[row]
    return row.kind == .existence && existences[row.place].deleted != nil
  }

  /// About as many bytes as the cell takes where it is sent: what a batch is measured by.
  func byteCount(at row: Int) -> Int {
    switch rows[row].kind {
    case .ofSpace: 64
    case .existence: 40
    case .transform: 64
    case .field: 16 + (value(at: row)?.encodedLength ?? 0)
    }
  }

  private func hash(at row: Int) -> UInt64 {
    let row = rows[row]
    let (kind, place, stamp) = (row.kind, row.place, stamp(of: row))
    var hash = WordHash(seed: UInt64(kind.rawValue))
    if !Defect.digestWithoutStamp.isPlanted {
      hash.combine(stamp.timestamp.bits, UInt64(bitPattern: stamp.date))
    }
    hash.combine(stamp.dot.replica.bits)
    hash.combine(stamp.dot.sequence)
    if let anchor = row.anchor { hash.combine(anchors.elements[anchor].bits) }
    switch kind {
    case .existence: existences[place].hash(into: &hash)
    case .transform: transforms[place].hash(into: &hash)
    case .field:
      hash.combine(keyHashes[Int(fields[place].key)], fields[place].value == nil ? 0 : 1)
      fields[place].value?.hash(into: &hash)
    case .ofSpace: ofSpace[place].hash(into: &hash)
    }
    return hash.value
  }
}

/// As a list of cells, in the order in which they were added.
extension CellTable: RandomAccessCollection {
  package var startIndex: Int { 0 }
  /// The number of registers, those that were forgotten included.
  package var endIndex: Int { rows.count }

  package subscript(row: Int) -> Cell {
    Cell(operation: operation(at: row), stamp: stamp(at: row))
  }
}

extension CellTable: ExpressibleByArrayLiteral {
  package init(arrayLiteral cells: Cell...) { self.init(cells) }
}

extension CellTable: Equatable {
  package static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
