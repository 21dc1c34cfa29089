/// How a state is made of registers that were written down, or sent whole: their table is taken over, and what finds its
/// rows is made once.
extension SpaceState {
  /// Rebuilds a state from what ``record(of:)`` gave; the order of anchors is that of `cells`. Of two writes of
  /// one register the later one counts. O(n log n) in the keys of an anchor, else O(n).
  ///
  /// - Parameters:
  ///   - numbers: The anchors' slot numbers, in that order; from 0 on when there are none.
  ///   - nextNumber: A number above all that were ever given, where it is known.
  ///   - floor: What all members were known to have.
  ///   - lastGivenUp: The greatest timestamp of what was given up.
  /// - Throws: `ApplyError.beyondVector` when a cell is not covered by `vector`, `tooManyReplicas` when
  ///   that has more than a state can hold.
  package init(
    id: SpaceID, vector: VersionVector, cells: some Collection<Cell>, numbers: [Int] = [],
    nextNumber: Int = 0, floor: VersionVector = VersionVector(), lastGivenUp: Timestamp = .zero
  ) throws(ApplyError) {
    guard vector.entries.count <= Limits.authors else { throw .tooManyReplicas }
    var table = CellTable()
    for cell in cells {
      guard vector.covers(cell.stamp.dot) else { throw .beyondVector(cell.stamp.dot) }
      table.append(cell.operation, cell.stamp)
    }
    try self.init(
      id: id, vector: vector, table: table, numbers: numbers, nextNumber: nextNumber, floor: floor,
      lastGivenUp: lastGivenUp)
  }

  /// As ``init(id:vector:cells:numbers:nextNumber:floor:lastGivenUp:)``, of a table that becomes the state's own.
  ///
  /// Precondition: each anchor of the table has a row.
  package init(
    id: SpaceID, vector: VersionVector, table: consuming CellTable, numbers: [Int] = [],
    nextNumber: Int = 0, floor: VersionVector = VersionVector(), lastGivenUp: Timestamp = .zero
  ) throws(ApplyError) {
    guard vector.entries.count <= Limits.authors else { throw .tooManyReplicas }
    if let dot = table.dot(beyond: vector) { throw .beyondVector(dot) }
    self.init(id: id)
    self.floor = floor
    self.lastGivenUp = lastGivenUp
    cells = table
    linkAll()
    lastTimestamp = max(lastTimestamp, lastGivenUp)
    for (slot, number) in zip(slots.indices, numbers) { slots[slot].number = number }
    self.nextNumber = max(nextNumber, (slots.map(\.number).max() ?? -1) + 1)
    self.vector = vector
  }

  /// A state of all that another one sent.
  ///
  /// - Throws: `ApplyError.beyondVector` when a cell is not covered by the delta.
  init(id: SpaceID, snapshot: Delta) throws(ApplyError) {
    guard snapshot.covers.entries.count <= Limits.authors else { throw .tooManyReplicas }
    var table = snapshot.parts.first ?? CellTable()
    for part in snapshot.parts.dropFirst() {
      if let dot = part.dot(beyond: snapshot.covers) { throw .beyondVector(dot) }
      var names = NameCopier()
      for row in part.indices { table.append(part, row, &names) }
    }
    try self.init(id: id, vector: snapshot.covers, table: table)
  }

  /// Applies a delta to a state that never had anything: it becomes that of the delta.
  mutating func takeOver(_ delta: Delta) throws(ApplyError) -> Touched {
    let (floor, lastGivenUp) = (floor, lastGivenUp)
    self = try SpaceState(id: id, snapshot: delta)
    (self.floor, self.lastGivenUp) = (floor, lastGivenUp)
    var touched = Touched()
    spaceRegisters.visit { _ in touched.note(nil) }
    for anchor in cells.anchors.elements { touched.note(anchor) }
    return touched
  }

  /// Makes slots, logs and digests of the table. Of rows of one register the last write stays.
  private mutating func linkAll() {
    keyOrder.follow(cells.keys)
    for number in cells.anchors.elements.indices { slots.append(AnchorSlot(number: number)) }
    for row in cells.rows.indices {
      if Defect.tombstonesCollected.isPlanted, cells.isDeletion(row) {
        cells.forget(row)
      } else if let known = self.row(ofRegisterAt: row) {
        keepLater(known, row)
      } else {
        link(row)
      }
      lastTimestamp = max(lastTimestamp, cells.rows[row].timestamp)
    }
    for row in cells.rows.indices where !cells.isForgotten(row) {
      cellsDigest &+= cells.makeHash(of: row)
    }
    for slot in slots.indices { hiddenDigest &+= hiddenDigest(ofSlot: slot) }
    makeLogs()
  }

  /// The row that the register of a row is linked to; nil for none.
  private func row(ofRegisterAt row: Int) -> Int? {
    guard let slot = cells.rows[row].anchor else {
      return spaceRegisters.index(of: cells.operationOfSpace(at: row))
    }
    switch cells.rows[row].kind {
    case .ofSpace: preconditionFailure("it has no anchor")
    case .existence: return slots[slot].existence
    case .transform: return slots[slot].transform
    case .field: return slots[slot].row(ofKey: cells.keyPlace(at: row))
    }
  }

  /// Has the first of two rows of one register hold the later write, and forgets the second.
  private mutating func keepLater(_ first: Int, _ second: Int) {
    if cells.isWrite(at: first, before: second) {
      cells.overwrite(first, with: cells.write(at: second))
      if cells.rows[first].kind == .existence {
        slots[cells.rows[first].anchor!].isHidden = cells.isDeletion(first)
      }
    }
    cells.forget(second)
  }
}

extension CellTable {
  /// The first dot in the order of rows that a vector does not cover; nil where it covers all. O(n).
  fileprivate func dot(beyond vector: VersionVector) -> Dot? {
    let covered = authors.elements.map { vector[$0] }
    return rows.indices.first { rows[$0].dot.sequence > covered[rows[$0].dot.author] }
      .map { dot(at: $0) }
  }
}
