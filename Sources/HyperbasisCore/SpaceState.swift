/// The replicated state of one space: the last write of every register, under a version vector.
///
/// ```swift
/// var state = SpaceState(id: space)
/// try state.apply(change)        // .applied(touched)
/// state.delta(since: other.vector)
/// ```
///
/// Invariant: for every dot that `vector` covers, each register that the change wrote holds that
/// write or a greater one. Deltas are correct because of it, so nothing advances the vector without
/// the data.
///
/// Registers are rows of one table, an anchor's slot has the rows of its registers; per replica a log of
/// (sequence, row) in dot order says what a delta since a vector holds, at a cost of what changed. Entries of the log
/// that were superseded stay until they are a third of it and are then dropped together.
package struct SpaceState: Sendable {
  package let id: SpaceID
  package internal(set) var vector = VersionVector()
  /// What all members are known to have: of deleted anchors none of these writes is shown again. Empty
  /// where nothing may be given up.
  package internal(set) var floor = VersionVector()
  /// The greatest timestamp of the writes that were given up: none of them was later. Zero where none was.
  package internal(set) var lastGivenUp = Timestamp.zero
  /// The greatest timestamp of any write in the state, what was given up included.
  package internal(set) var lastTimestamp = Timestamp.zero

  var cells = CellTable()
  var keyOrder = KeyOrder()
  /// By the place of an anchor in `cells`.
  var slots = Column<AnchorSlot>()
  /// By the place of an author in `cells`.
  var logs: [ReplicaLog] = []
  var spaceRegisters = SpaceRegisters()
  var cellsDigest: UInt64 = 0
  /// The share of it of the writes that are not shown: all of an anchor that is deleted or was never made, and
  /// removed keys.
  var hiddenDigest: UInt64 = 0
  /// The number of the next slot.
  var nextNumber = 0

  package init(id: SpaceID) {
    self.id = id
  }

  /// The number of anchors, deleted ones included.
  package var anchorCount: Int { slots.count }

  /// The number of registers that have a write. O(replicas).
  package var registerCount: Int { logs.reduce(0) { $0 + $1.live } }

  func slot(of anchor: AnchorID) -> Int? { cells.anchors.place(of: anchor) }

  /// The id of a slot's anchor.
  func anchorID(_ slot: Int) -> AnchorID { cells.anchors.elements[slot] }

  // MARK: Inputs

  /// Applies one change; what was known already is left alone.
  ///
  /// - Throws: `ApplyError.gap` when an earlier change of the same replica is missing, `tooManyReplicas`
  ///   when it is of one more than a state can hold.
  package mutating func apply(_ change: Change) throws(ApplyError) -> Touched? {
    let known = vector[change.dot.replica]
    guard change.dot.sequence > known else { return nil }
    guard change.dot.sequence == known + 1 else {
      throw .gap(replica: change.dot.replica, known: known, next: change.dot.sequence)
    }
    guard
      cells.authors.count < Limits.authors || cells.authors.place(of: change.dot.replica) != nil
    else { throw .tooManyReplicas }
    var touched = Touched()
    let hidden = Defect.changeInPart.isPlanted ? change.operations.count / 2 : 0
    for operation in change.operations.dropLast(hidden) {
      write(cells.write(operation, change.stamp), touched: &touched)
    }
    vector[change.dot.replica] = change.dot.sequence
    return touched
  }

  /// Applies a whole delta, visible together.
  ///
  /// Precondition: the cells of each replica are in ascending order of sequence, within `covers`.
  /// - Throws: `ApplyError.gap` when this state does not cover the delta's base, `tooManyReplicas` when
  ///   both have writes of more than a state can hold.
  package mutating func apply(_ delta: Delta) throws(ApplyError) -> Touched {
    for entry in delta.base.entries where vector[entry.replica] < entry.sequence {
      throw .gap(
        replica: entry.replica, known: vector[entry.replica], next: entry.sequence + 1)
    }
    var authors = cells.authors
    for part in delta.parts { for author in part.authors.elements { _ = authors.insert(author) } }
    guard authors.count <= Limits.authors else { throw .tooManyReplicas }
    if cells.isEmpty, vector.entries.isEmpty, nextNumber == 0 { return try takeOver(delta) }
    var touched = Touched()
    if Defect.vectorBeforeData.isPlanted { vector.merge(delta.covers) }
    for part in delta.parts {
      var names = NameCopier()
      let known = part.authors.elements.map { vector[$0] }
      let covered = part.authors.elements.map { delta.covers[$0] }
      for row in part.indices {
        let dot = part.rows[row].dot
        guard dot.sequence > known[dot.author] else { continue }
        precondition(dot.sequence <= covered[dot.author], "a cell lies within its delta")
        write(names.write(at: row, of: part, in: &cells), touched: &touched)
      }
    }
    vector.merge(delta.covers)
    return touched
  }

  // MARK: Questions

  /// A hash of every last write with its stamp, and of the vector. O(replicas).
  ///
  /// In a space with members only of the writes that are shown, as equal devices give up the others at
  /// different times.
  package var digest: Digest {
    var writer = ByteWriter()
    writer.identifier(id)
    writer.fixed(hasMembers ? cellsDigest &- hiddenDigest : cellsDigest)
    vector.encode(into: &writer)
    return Digest(of: writer.bytes)
  }

  /// The last write of a register; nil when it was never written.
  package func cell(_ register: Register) -> Cell? {
    row(of: register).map { cells[$0] }
  }

  /// The stamp of the last write of a register; nil when it was never written.
  package func stamp(of register: Register) -> Stamp? {
    row(of: register).map { cells.stamp(at: $0) }
  }

  private func row(of register: Register) -> Int? {
    switch register {
    case .name: spaceRegisters.name
    case .spaceExistence: spaceRegisters.existence
    case .worldMap: spaceRegisters.map
    case .retention: spaceRegisters.retention
    case .member(let replica): spaceRegisters.member(replica)
    case .existence(let anchor): slot(of: anchor).flatMap { slots[$0].existence }
    case .transform(let anchor): slot(of: anchor).flatMap { slots[$0].transform }
    case .metadata(let anchor, let key): slot(of: anchor).flatMap { row(of: key, inSlot: $0) }
    }
  }

  /// The row of the register that an operation writes to; `slot` is that of its anchor.
  func row(of operation: Operation, inSlot slot: Int?) -> Int? {
    switch operation {
    case .name, .spaceExistence, .worldMap, .retention, .member:
      spaceRegisters.index(of: operation)
    case .existence: slot.flatMap { slots[$0].existence }
    case .transform: slot.flatMap { slots[$0].transform }
    case .metadata(_, let key, _): slot.flatMap { row(of: key, inSlot: $0) }
    }
  }

  /// O(log n) in the anchor's keys.
  private func row(of key: Key, inSlot slot: Int) -> Int? {
    if Defect.keysByLetters.isPlanted {
      return slots[slot].fields.first { cells.key(at: $0.row).text == key.text }?.row
    }
    return cells.keys.place(of: key).flatMap { slots[slot].row(ofKey: $0) }
  }

  // MARK: Private

  /// The row of the register that a write is of; nil where that was never written.
  private func row(of write: CellWrite) -> Int? {
    switch write.content {
    case .ofSpace(let operation): return spaceRegisters.index(of: operation)
    case .existence: return slots[write.anchor!].existence
    case .transform: return slots[write.anchor!].transform
    case .field(let key, _):
      if Defect.keysByLetters.isPlanted {
        return row(of: cells.keys.elements[key], inSlot: write.anchor!)
      }
      return slots[write.anchor!].row(ofKey: key)
    }
  }

  /// Stores a write when it is greater than what the register holds, and logs it.
  private mutating func write(_ write: CellWrite, touched: inout Touched) {
    guard let row = store(write) else { return }
    touched.note(write.anchor.map { anchorID($0) })
    let author = write.dot.author
    logs[author].append(sequence: write.dot.sequence, row: row)
    compactLog(of: author)
  }

  /// Returns the register's row, or nil when the write lost.
  @discardableResult
  private mutating func store(_ write: CellWrite) -> Int? {
    // Names that came with the write.
    keyOrder.follow(cells.keys)
    while logs.count <= write.dot.author { logs.append(ReplicaLog()) }
    if write.anchor == slots.count {
      slots.append(AnchorSlot(number: nextNumber))
      nextNumber += 1
    }
    let existing = row(of: write)
    if let existing {
      if Defect.equalValueIsDuplicate.isPlanted,
        cells.holds(cells.operation(of: write), at: existing)
      {
        return nil
      }
      guard
        cells.isWrite(at: existing, before: write)
          || Defect.deleteBeatsRestore.isPlanted && write.isDeletion
      else { return nil }
    }
    hide(before: write, over: existing)
    if !floor.entries.isEmpty { forgetDoomed(before: write) }
    let row: Int
    if let existing {
      let known = cells.rows[existing]
      let author = known.dot.author
      cellsDigest &-= known.hash
      logs[author].live -= 1
      cells.overwrite(existing, with: write)
      if case .existence = write.content { slots[write.anchor!].isHidden = write.isDeletion }
      compactLog(of: author)
      row = existing
    } else {
      row = cells.append(write)
      link(row)
    }
    cellsDigest &+= cells.makeHash(of: row)
    hide(row, of: write)
    lastTimestamp = max(lastTimestamp, write.timestamp)
    return row
  }

  /// Makes a row known as that of its register, which had none.
  mutating func link(_ row: Int) {
    guard let slot = cells.rows[row].anchor else {
      spaceRegisters.link(row, to: cells.operationOfSpace(at: row))
      return
    }
    switch cells.rows[row].kind {
    case .ofSpace: preconditionFailure("it has no anchor")
    case .existence:
      slots[slot].existence = row
      slots[slot].isHidden = cells.isDeletion(row)
    case .transform: slots[slot].transform = row
    case .field: slots[slot].insert(row, ofKey: cells.keyPlace(at: row))
    }
  }
}
