import HyperbasisCore

/// The tables of whole changes: what they are, by space and author, and which anchors they write to.
///
/// Numbers stand for replicas, so that keys are short.
final class HistoryTable {
  /// By replica: its number in the tables.
  var numbers: [ReplicaID: Int64] = [:]

  let directory: String
  let database: Database

  init(_ database: Database, directory: String) {
    self.database = database
    self.directory = directory
    // A row that cannot be read is missed by the check of the spaces that need it.
    let all = RowRange(table: "replicas", key: "number", columns: "id")
    _ = database.scan(all) { row in
      var reader = ByteReader(row.bytes(1))
      guard row.bytes(1).count == 16, let replica: ReplicaID = try? reader.identifier() else {
        return
      }
      numbers[replica] = row.integer(0)
    }
  }

  /// Writes one row for each change and one for each anchor of it.
  func write(_ changes: [LoggedChange], ofSpace space: Int64) throws(StoreError) {
    let putChange = try Statement(
      "INSERT INTO history (space, author, sequence, change) VALUES (?1, ?2, ?3, ?4)",
      in: database)
    let putAnchor = try Statement(
      "INSERT INTO anchor_history (space, slot, author, sequence) VALUES (?1, ?2, ?3, ?4)",
      in: database)
    for logged in changes {
      let dot = logged.change.dot
      let author = try number(of: dot.replica)
      let sequence = Int64(dot.sequence)
      var writer = ByteWriter()
      logged.change.encode(into: &writer)
      try putChange.bind(1, space).bind(2, author).bind(3, sequence).bind(4, writer.bytes).run()
      for slot in logged.slots {
        try putAnchor.bind(1, space).bind(2, Int64(slot)).bind(3, author).bind(4, sequence).run()
      }
    }
  }

  /// The number of a replica, given now if it has none.
  private func number(of replica: ReplicaID) throws(StoreError) -> Int64 {
    if let known = numbers[replica] { return known }
    var id = ByteWriter()
    id.identifier(replica)
    // SQLite would go on from a damaged row, also below 0.
    let put = try Statement(
      """
      INSERT INTO replicas (number, id) VALUES (1 + max(0, coalesce(
        (SELECT max(number) FROM replicas WHERE number < \(SpaceTable.endNumber)), 0)), ?1)
      """, in: database)
    try put.bind(1, id.bytes).run()
    let number = database.lastInserted
    numbers[replica] = number
    return number
  }

  // MARK: Reading

  /// All changes of a space, by author, each author's without a gap; that none is missing at the end is
  /// checked when a space is loaded.
  func all(ofSpace space: KnownSpace) throws(StoreError) -> [Change] {
    let select = try Statement(
      """
      SELECT author, sequence, change FROM history WHERE space = ?1 ORDER BY author, sequence
      """, in: database)
    let changes = try rows(of: select.bind(1, space.number), beyond: space.cut)
    var last: Dot?
    for dot in changes.map(\.dot) {
      let sameAuthor = last?.replica == dot.replica ? last : nil
      let next = (sameAuthor?.sequence ?? space.cut[dot.replica]) + 1
      guard dot.sequence == next else { throw missing(next, of: dot.replica) }
      last = dot
    }
    return changes
  }

  /// The changes that write to one anchor, by author.
  func all(ofSpace space: KnownSpace, slot: Int) throws(StoreError) -> [Change] {
    let select = try Statement(
      """
      SELECT author, sequence, change FROM anchor_history
      LEFT JOIN history USING (space, author, sequence) WHERE space = ?1 AND slot = ?2
      """, in: database)
    return try rows(of: select.bind(1, space.number).bind(2, Int64(slot)), beyond: space.cut)
  }

  private func rows(
    of select: Statement, beyond cut: VersionVector
  ) throws(StoreError) -> [Change] {
    var replicas: [Int64: ReplicaID] = [:]
    for (replica, number) in numbers { replicas[number] = replica }
    var changes: [Change] = []
    while try select.step() {
      guard let replica = replicas[select.integer(0)], select.integer(1) > 0 else {
        throw .damaged(path: directory, what: "a row of history has no author or number")
      }
      let dot = Dot(replica: replica, sequence: UInt64(select.integer(1)))
      // Rows of anchor_history that are not swept yet.
      if cut.covers(dot) { continue }
      changes.append(try decode(select.bytes(2), as: dot))
    }
    return changes
  }

  /// Changes of one author, from the one after `known` to `last`, until `bytes` is used up.
  func changes(
    of replica: ReplicaID, inSpace space: Int64, after known: UInt64, upTo last: UInt64,
    bytes: inout Int
  ) throws(StoreError) -> [Change] {
    let select = try Statement(
      """
      SELECT sequence, change FROM history WHERE space = ?1 AND author = ?2 AND sequence > ?3
      AND sequence <= ?4 ORDER BY sequence
      """, in: database)
    select.bind(1, space).bind(2, numbers[replica] ?? 0)
    select.bind(3, Int64(known)).bind(4, Int64(last))
    var changes: [Change] = []
    var next = known + 1
    while bytes > 0, try select.step() {
      guard select.integer(0) == Int64(next) else { break }
      let row = select.bytes(1)
      changes.append(try decode(row, as: Dot(replica: replica, sequence: next)))
      bytes -= row.count
      next += 1
    }
    guard bytes <= 0 || next == last + 1 else {
      throw missing(next, of: replica)
    }
    return changes
  }

  private func missing(_ sequence: UInt64, of replica: ReplicaID) -> StoreError {
    .damaged(path: directory, what: "change \(sequence) of \(replica) is missing")
  }

  private func decode(_ bytes: [UInt8], as dot: Dot) throws(StoreError) -> Change {
    do {
      var reader = ByteReader(bytes)
      let change = try Change(from: &reader)
      try reader.finish()
      guard change.dot == dot else { throw CodecError.invalid("change: another's", offset: 0) }
      return change
    } catch {
      throw .damaged(
        path: directory, what: "change \(dot.sequence) of \(dot.replica): \(error)")
    }
  }
}
