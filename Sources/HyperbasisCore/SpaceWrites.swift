/// What one turn of the engine has to make durable of one space, in one transaction.
package struct SpaceWrites: Sendable {
  package let space: SpaceID
  /// The vector after the turn; it covers exactly what the records then hold.
  package var vector: VersionVector
  /// The history's vector after the turn; it covers exactly the changes that are then kept.
  package var history: VersionVector
  /// The space's own registers.
  package var spaceRecord: [Cell]
  /// The anchors written to, by slot number, each with all its registers.
  package var anchors: [(slot: Int, cells: [Cell])]
  /// The slot numbers of anchors that are no more.
  package var removed: [Int]
  /// What all members are known to have.
  package var floor: VersionVector
  /// The greatest timestamp of what was given up.
  package var lastGivenUp: Timestamp
  /// Up to where the history was given up: nothing that it covers is to stay.
  package var cut: VersionVector
  /// The whole changes that extend the history, of each replica in order and without gaps.
  package var changes: [LoggedChange]
  /// What all members had at which times; nil where that is as it was.
  package var marks: [RetentionMark]?

  package init(
    space: SpaceID, vector: VersionVector, history: VersionVector, spaceRecord: [Cell],
    anchors: [(slot: Int, cells: [Cell])], removed: [Int] = [],
    floor: VersionVector = VersionVector(), lastGivenUp: Timestamp = .zero,
    cut: VersionVector = VersionVector(), changes: [LoggedChange]
  ) {
    self.space = space
    self.vector = vector
    self.history = history
    self.spaceRecord = spaceRecord
    self.anchors = anchors
    self.removed = removed
    self.floor = floor
    self.lastGivenUp = lastGivenUp
    self.cut = cut
    self.changes = changes
  }
}

/// A change of the history, with the slots of the anchors that it writes to, ascending.
package struct LoggedChange: Equatable, Sendable {
  package let change: Change
  package let slots: [Int]

  package init(change: Change, slots: [Int]) {
    self.change = change
    self.slots = slots
  }
}

extension SpaceState {
  /// What must be durable after `touched` was applied, the anchors of the slots `removed` given up, and
  /// the history grown to `history` by `changes`, of which `cut` is given up.
  ///
  /// Precondition: the state covers the history, and that covers the cut.
  package func writes(
    touched: Touched, history: VersionVector, changes: [Change], removed: [Int] = [],
    cut: VersionVector = VersionVector()
  ) -> SpaceWrites {
    precondition(vector.covers(history), "the state covers the history")
    precondition(history.covers(cut), "the history covers what was cut of it")
    return SpaceWrites(
      space: id, vector: vector, history: history, spaceRecord: record(of: nil),
      anchors: touched.anchors.compactMap { anchor in
        slot(of: anchor).map { (slots[$0].number, record(ofSlot: $0)) }
      },
      removed: removed, floor: floor, lastGivenUp: lastGivenUp, cut: cut,
      changes: changes.filter { !cut.covers($0.dot) }
        .map { LoggedChange(change: $0, slots: slots(of: $0)) })
  }

  /// All of a space, as a store has to make it durable that has nothing of its state.
  ///
  /// Precondition: the state covers `changes`; with those that the store has already they are exactly those that
  /// `history` covers and `cut` does not.
  package func allWrites(
    history: VersionVector, changes: [Change], cut: VersionVector = VersionVector()
  ) -> SpaceWrites {
    var writes = writes(touched: Touched(), history: history, changes: changes, cut: cut)
    writes.anchors = slots.indices.map { (slots[$0].number, record(ofSlot: $0)) }
    return writes
  }

  private func slots(of change: Change) -> [Int] {
    var slots: [Int] = []
    slots.reserveCapacity(change.operations.count)
    var last: AnchorID?
    for operation in change.operations {
      guard let anchor = operation.anchor, anchor != last else { continue }
      last = anchor
      guard let slot = slotNumber(of: anchor) else {
        precondition(hasMembers, "the state covers the history, and so has its anchors")
        continue
      }
      slots.append(slot)
    }
    if slots.count > 1 {
      slots.sort()
      slots = slots.withoutRepetitions
    }
    return slots
  }

  /// Whether a change can be one that this state covers: each register that it wrote holds that
  /// write or a greater one. O(operations).
  ///
  /// In a space with members, where registers are given up and edits of anchors that were deleted are
  /// not taken over, only that no register holds something else under the change's name.
  package func holds(_ change: Change) -> Bool {
    vector.covers(change.dot)
      && change.operations.allSatisfy { operation in
        let slot = operation.anchor.flatMap { self.slot(of: $0) }
        guard let row = row(of: operation, inSlot: slot) else { return hasMembers }
        let stamp = cells.stamp(at: row)
        if stamp.dot == change.dot {
          return stamp == change.stamp && cells.holds(operation, at: row)
        }
        return hasMembers || !(stamp < change.stamp)
      }
  }

  /// The operations that would change something: a save that changes nothing writes nothing.
  ///
  /// In a space with members what makes or restores an anchor is joined by all else of the anchor, as others
  /// may have deleted it meanwhile and given that up.
  package func effective(_ operations: [Operation]) -> [Operation] {
    // Not by the method's name, which would be a copy of the state.
    let isAll = operations.allSatisfy { isEffective($0) }
    var effective = isAll ? operations : operations.filter { isEffective($0) }
    guard hasMembers else { return effective }
    let revived = effective.compactMap { operation -> AnchorID? in
      if case .existence(let anchor, let existence) = operation, existence.deleted == nil,
        slot(of: anchor) != nil
      {
        anchor
      } else {
        nil
      }
    }
    guard !revived.isEmpty else { return effective }
    let written = Set(effective.map(\.register))
    let rest = Dictionary(
      operations.map { ($0.register, $0) }, uniquingKeysWith: { first, _ in first })
    for anchor in revived {
      for cell in whole(anchor) where !written.contains(cell.operation.register) {
        effective.append(rest[cell.operation.register] ?? cell.operation)
      }
    }
    return effective
  }

  private func isEffective(_ operation: Operation) -> Bool {
    let slot = operation.anchor.flatMap { self.slot(of: $0) }
    if let row = row(of: operation, inSlot: slot) { return !cells.holds(operation, at: row) }
    return !operation.isRemovedKey
  }
}
