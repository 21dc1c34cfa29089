import HyperbasisCore

/// The tables of what spaces are now: a row for each space, and one for each of its anchors.
final class SpaceTable {
  /// By space, those that were loaded or written.
  private(set) var known: [SpaceID: KnownSpace] = [:]

  /// What the transaction replaced of `known`; nil for what was not there.
  private var replaced: [SpaceID: KnownSpace?] = [:]
  private let database: Database

  init(_ database: Database) {
    self.database = database
  }

  /// The last slot that an anchor can be given: half of what its key has room for, so that those of
  /// one space never reach the next one's.
  static let lastSlot = Int(Int32.max)

  /// Numbers of spaces and replicas from here on are those of damaged rows: so many are never made. The
  /// greatest that a key of anchors has room for is twice as large.
  static let endNumber: Int64 = 1 << 30

  /// The number is above all that any table has, so that rows which a lost row of spaces left
  /// behind are never another space's.
  private static let insertSQL = """
    INSERT INTO spaces (number, id, vector, history, record, floor, cut, swept, anchors, given_up)
    VALUES (1 + max(
      coalesce((SELECT max(number) FROM spaces WHERE number < \(endNumber)), 0),
      coalesce((SELECT max(key) >> 32 FROM anchors WHERE key < \(endNumber << 32)), 0),
      coalesce((SELECT max(space) FROM history WHERE space < \(endNumber)), 0),
      coalesce((SELECT max(space) FROM anchor_history WHERE space < \(endNumber)), 0), 0),
      ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    """

  private static let updateSQL = """
    UPDATE spaces SET vector = ?2, history = ?3, record = ?4, floor = ?5, cut = ?6, swept = ?7,
      anchors = ?8, given_up = ?9 WHERE number = ?1
    """

  private static let putAnchorSQL = """
    INSERT INTO anchors (key, record) VALUES (?1, ?2)
    ON CONFLICT (key) DO UPDATE SET record = excluded.record
    """

  // MARK: What is remembered

  /// What a space's row says; nil for one that is not in the store.
  ///
  /// - Throws: `StoreError.damaged` where the row cannot be read.
  func row(of space: SpaceID) throws(StoreError) -> KnownSpace? {
    if let known = known[space] { return known }
    let select = try Statement("SELECT number, id FROM spaces WHERE id = ?1", in: database)
    var id = ByteWriter()
    id.identifier(space)
    guard try select.bind(1, id.bytes).step() else { return nil }
    var row = SpaceRow(number: select.integer(0), id: select.bytes(1))
    select.reset()
    row.read(from: database)
    guard row.cut != nil, row.swept != nil else {
      throw database.damaged("row \(row.number) of spaces: \(row.problem ?? "it is damaged")")
    }
    return KnownSpace(row, anchors: row.anchors ?? 0)
  }

  func remember(_ row: KnownSpace, of space: SpaceID) {
    known[space] = row
  }

  func forgetAll() {
    known = [:]
    replaced = [:]
  }

  /// What is remembered from here on may have to be undone.
  func begin() {
    replaced = [:]
  }

  func undo() {
    for (space, row) in replaced { known[space] = row }
    replaced = [:]
  }

  // MARK: Writing

  /// Writes the rows of a space; `swept` is how far `anchor_history` will be swept.
  ///
  /// - Throws: `StoreError`, also for a slot beyond ``lastSlot``.
  /// - Returns: the space's number.
  func write(_ writes: SpaceWrites, sweptTo swept: VersionVector) throws(StoreError) -> Int64 {
    let old = known[writes.space]
    var row = old ?? KnownSpace(number: 0, anchors: writes.anchors.count)
    row.cut = writes.cut
    row.swept = swept
    if old == nil {
      var id = ByteWriter()
      id.identifier(writes.space)
      let insert = try Statement(SpaceTable.insertSQL, in: database)
      try bind(writes, row, to: insert).bind(1, id.bytes).run()
      row.number = database.lastInserted
    }
    let dropAnchor = try Statement("DELETE FROM anchors WHERE key = ?1", in: database)
    for slot in writes.removed {
      try dropAnchor.bind(1, row.key(slot)).run()
      if old != nil { row.anchors -= database.changedRows }
    }
    let putAnchor = try Statement(SpaceTable.putAnchorSQL, in: database)
    for anchor in writes.anchors {
      guard anchor.slot <= SpaceTable.lastSlot else {
        throw database.damaged("space \(row.number) has given the slot \(SpaceTable.lastSlot)")
      }
      let key = row.key(anchor.slot)
      // It stays 0 where a row is replaced.
      database.lastInserted = 0
      try putAnchor.bind(1, key).bind(2, encodeRecord(anchor.cells)).run()
      if old != nil, database.lastInserted == key { row.anchors += 1 }
    }
    if old != nil {
      let update = try Statement(SpaceTable.updateSQL, in: database)
      try bind(writes, row, to: update).bind(1, row.number).run()
    }
    if row != old {
      if replaced[writes.space] == nil { replaced[writes.space] = .some(old) }
      known[writes.space] = row
    }
    return row.number
  }

  /// Binds all but the first value.
  private func bind(_ writes: SpaceWrites, _ row: KnownSpace, to statement: Statement) -> Statement
  {
    statement.bind(2, writes.vector.bytes)
      .bind(3, writes.history == writes.vector ? [] : writes.history.bytes)
      .bind(4, encodeRecord(writes.spaceRecord))
      .bind(5, writes.floor.bytesUnlessEmpty)
      .bind(6, row.cut.bytesUnlessEmpty)
      .bind(7, row.swept == row.cut ? [] : row.swept.bytes)
      .bind(8, Int64(row.anchors))
      .bind(9, Int64(bitPattern: writes.lastGivenUp.bits))
  }
}

/// What is remembered of a space's row, so that a commit need not read it.
struct KnownSpace: Equatable {
  var number: Int64
  /// The number of rows of anchors.
  var anchors: Int
  /// Up to where the history was given up: no row of history is below.
  var cut = VersionVector()
  /// Up to where `anchor_history` has no rows any more; `cut` covers it.
  var swept = VersionVector()

  init(number: Int64, anchors: Int) {
    self.number = number
    self.anchors = anchors
  }

  init(_ row: SpaceRow, anchors: Int) {
    self.init(number: row.number, anchors: anchors)
    cut = row.cut ?? VersionVector()
    swept = row.swept ?? VersionVector()
  }

  /// Of an anchor's row.
  func key(_ slot: Int) -> Int64 { number << 32 | Int64(slot) }
}

extension VersionVector {
  fileprivate var bytes: [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.bytes
  }

  fileprivate var bytesUnlessEmpty: [UInt8] { entries.isEmpty ? [] : bytes }
}

/// A row's registers, with their tables of replicas and anchors.
private func encodeRecord(_ cells: [Cell]) -> [UInt8] {
  var writer = ByteWriter()
  Cell.encode(cells, into: &writer)
  return writer.bytes
}

func decodeRecord(_ bytes: [UInt8]) throws(CodecError) -> [Cell] {
  var reader = ByteReader(bytes)
  let cells = try Cell.decode(from: &reader)
  try reader.finish()
  return cells
}
