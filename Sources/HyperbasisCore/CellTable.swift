/// Last writes of registers in columns: what each has in one row, and what it holds in the column of its kind.
///
/// ```swift
/// var cells = CellTable()
/// let row = cells.append(operation, stamp)
/// cells.stamp(at: row) == stamp
/// cells.operation(at: row) == operation  // made for who asks
/// ```
///
/// Ids, replicas and keys are there once, and a row has their places. A row is 40 bytes without any reference, so that
/// rows are copied and looked through fast; a transform takes 64 more, a key and value 24, an existence 40. A register
/// keeps its row and its place in the column, since it is never of another kind.
struct CellTable: Sendable {
  private(set) var rows: [Row] = []
  private(set) var anchors = PlaceTable<AnchorID>()
  private(set) var authors = PlaceTable<ReplicaID>()
  private(set) var keys = PlaceTable<Key>()
  /// By the place of a key: the hash of its text, which is part of each of its writes' hashes.
  private var keyHashes: [UInt64] = []
  private var transforms: [Transform] = []
  private var existences: [Existence] = []
  private var fields: [Field] = []
  /// Of the space itself.
  private var ofSpace: [Operation] = []

  struct Row: Sendable {
    fileprivate(set) var timestamp: Timestamp
    fileprivate(set) var dot: PackedDot
    fileprivate(set) var date: Int64
    /// The write's share of the digest.
    fileprivate(set) var hash: UInt64
    /// The anchor's place; for the space itself there is none.
    fileprivate let anchorPlace: UInt32
    /// The place in the column of its kind, and the kind.
    fileprivate let content: UInt32

    var anchor: Int? { anchorPlace == .max ? nil : Int(anchorPlace) }
    var kind: Kind { Kind(rawValue: content & 3)! }
    fileprivate var place: Int { Int(content >> 2) }

    fileprivate mutating func write(_ stamp: Stamp, _ dot: PackedDot, _ hash: UInt64) {
      (timestamp, date) = (stamp.timestamp, stamp.date)
      (self.dot, self.hash) = (dot, hash)
    }
  }

  enum Kind: UInt32 {
    case ofSpace, existence, transform, field
  }

  private struct Field: Sendable {
    var value: Value?
    let key: UInt32
  }

  /// The number of registers, those that were forgotten included.
  var count: Int { rows.count }

  mutating func reserve(_ count: Int) {
    rows.reserveCapacity(count)
  }

  // MARK: Writing

  /// Adds a register that was not written before.
  mutating func append(_ operation: Operation, _ stamp: Stamp) -> Int {
    let (kind, place) = add(operation)
    precondition(place < 1 << 30, "a column has 2^30 places")
    let anchor = operation.anchor.map { UInt32(anchors.insert($0)) } ?? .max
    rows.append(
      Row(
        timestamp: stamp.timestamp, dot: PackedDot(stamp.dot, &authors), date: stamp.date,
        hash: hash(of: kind, at: place, anchor: anchor, stamp), anchorPlace: anchor,
        content: UInt32(place) << 2 | kind.rawValue))
    return rows.count - 1
  }

  /// Adds a register as another table has it.
  mutating func append(_ other: CellTable, _ row: Int) -> Int {
    append(other.operation(at: row), other.stamp(at: row))
  }

  /// Puts another write of the same register in the place of one.
  mutating func overwrite(_ row: Int, with operation: Operation, _ stamp: Stamp) {
    let (kind, place, anchor) = (rows[row].kind, rows[row].place, rows[row].anchorPlace)
    switch operation {
    case .existence(_, let existence): existences[place] = existence
    case .transform(_, let transform): transforms[place] = transform
    case .metadata(_, _, let value): fields[place].value = value
    case .name, .spaceExistence, .worldMap, .retention, .member: ofSpace[place] = operation
    }
    let dot = PackedDot(stamp.dot, &authors)
    // Before the row is changed, or all of the table would be copied for it.
    let hash = hash(of: kind, at: place, anchor: anchor, stamp)
    rows[row].write(stamp, dot, hash)
  }

  /// Leaves a row that stands for no register any more: no log finds its dot.
  mutating func forget(_ row: Int) {
    rows[row].dot = .forgotten
    rows[row].hash = 0
    if rows[row].kind == .field { fields[rows[row].place].value = nil }
  }

  private mutating func add(_ operation: Operation) -> (Kind, place: Int) {
    switch operation {
    case .existence(_, let existence):
      existences.append(existence)
      return (.existence, existences.count - 1)
    case .transform(_, let transform):
      transforms.append(transform)
      return (.transform, transforms.count - 1)
    case .metadata(_, let key, let value):
      fields.append(Field(value: value, key: UInt32(insert(key))))
      return (.field, fields.count - 1)
    case .name, .spaceExistence, .worldMap, .retention, .member:
      ofSpace.append(operation)
      return (.ofSpace, ofSpace.count - 1)
    }
  }

  private mutating func insert(_ key: Key) -> Int {
    let place = keys.insert(key)
    if place == keyHashes.count { keyHashes.append(key.stateHash) }
    return place
  }

  // MARK: Reading

  func cell(at row: Int) -> Cell {
    Cell(operation: operation(at: row), stamp: stamp(at: row))
  }

  func stamp(at row: Int) -> Stamp {
    Stamp(timestamp: rows[row].timestamp, dot: dot(at: row), date: rows[row].date)
  }

  /// Precondition: it is not forgotten.
  func dot(at row: Int) -> Dot {
    Dot(replica: authors.elements[rows[row].dot.author], sequence: rows[row].dot.sequence)
  }

  func operation(at row: Int) -> Operation {
    let place = rows[row].place
    guard let anchor = rows[row].anchor else { return ofSpace[place] }
    let id = anchors.elements[anchor]
    switch rows[row].kind {
    case .existence: return .existence(id, existences[place])
    case .transform: return .transform(id, transforms[place])
    case .field: return .metadata(id, keys.elements[Int(fields[place].key)], fields[place].value)
    case .ofSpace: preconditionFailure("it has an anchor")
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

  /// Whether the write of a register is before another one in the order of writes.
  func isWrite(at row: Int, before stamp: Stamp) -> Bool {
    rows[row].timestamp == stamp.timestamp
      ? self.stamp(at: row) < stamp : rows[row].timestamp < stamp.timestamp
  }

  /// As ``isWrite(at:before:)``, of two registers.
  func isWrite(at first: Int, before second: Int) -> Bool {
    rows[first].timestamp == rows[second].timestamp
      ? stamp(at: first) < stamp(at: second) : rows[first].timestamp < rows[second].timestamp
  }

  /// Precondition: the register is an anchor's existence, or its transform.
  func existence(at row: Int) -> Existence { existences[rows[row].place] }
  func transform(at row: Int) -> Transform { transforms[rows[row].place] }

  /// Precondition: the register is a key of an anchor.
  func key(at row: Int) -> Key { keys.elements[keyPlace(at: row)] }
  func keyPlace(at row: Int) -> Int { Int(fields[rows[row].place].key) }
  func value(at row: Int) -> Value? { fields[rows[row].place].value }

  func isForgotten(_ row: Int) -> Bool { rows[row].dot == .forgotten }

  /// Whether the last write removed a key.
  func isRemovedKey(_ row: Int) -> Bool {
    rows[row].kind == .field && fields[rows[row].place].value == nil
  }

  /// Whether the last write deleted an anchor.
  func isDeletion(_ row: Int) -> Bool {
    rows[row].kind == .existence && existences[rows[row].place].deleted != nil
  }

  /// About as many bytes as the cell takes where it is sent: what a batch is measured by.
  func byteCount(at row: Int) -> Int {
    switch rows[row].kind {
    case .ofSpace: 64
    case .existence: 64
    case .transform: 112
    case .field: 48 + key(at: row).text.utf8.count + (value(at: row)?.byteCount ?? 0)
    }
  }

  /// Of what the columns hold.
  private func hash(of kind: Kind, at place: Int, anchor: UInt32, _ stamp: Stamp) -> UInt64 {
    var hash = WordHash(seed: UInt64(kind.rawValue))
    if !Defect.digestWithoutStamp.isPlanted {
      hash.combine(stamp.timestamp.bits, UInt64(bitPattern: stamp.date))
    }
    hash.combine(stamp.dot.replica.bits)
    hash.combine(stamp.dot.sequence)
    if kind != .ofSpace { hash.combine(anchors.elements[Int(anchor)].bits) }
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

/// A dot in eight bytes: the author's place, and the sequence less one.
struct PackedDot: Equatable, Sendable {
  private let bits: UInt64

  /// Of no change.
  static let forgotten = PackedDot(bits: .max)

  private init(bits: UInt64) {
    self.bits = bits
  }

  /// Precondition: the sequence is within its limit, and of authors there are fewer than 2^16 - 1.
  init(_ dot: Dot, _ authors: inout PlaceTable<ReplicaID>) {
    let author = authors.insert(dot.replica)
    precondition(author < 0xFFFF, "a space has \(Limits.replicas) replicas at most")
    bits = UInt64(author) << 48 | (dot.sequence - 1)
  }

  var author: Int { Int(bits >> 48) }
  var sequence: UInt64 { (bits & 0xFFFF_FFFF_FFFF) + 1 }
}
