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
  /// The whole changes that extend the history, of each replica in order and without gaps.
  package var changes: [LoggedChange]

  package init(
    space: SpaceID, vector: VersionVector, history: VersionVector, spaceRecord: [Cell],
    anchors: [(slot: Int, cells: [Cell])], changes: [LoggedChange]
  ) {
    self.space = space
    self.vector = vector
    self.history = history
    self.spaceRecord = spaceRecord
    self.anchors = anchors
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
  /// What must be durable after `touched` was applied and the history grew to `history` by
  /// `changes`.
  ///
  /// Precondition: the state covers the history, and so has the anchors of all changes in it.
  package func writes(
    touched: Touched, history: VersionVector, changes: [Change]
  ) -> SpaceWrites {
    precondition(vector.covers(history), "the state covers the history")
    return SpaceWrites(
      space: id, vector: vector, history: history, spaceRecord: record(of: nil),
      anchors: touched.anchors.map { anchor in
        let slot = slotNumber(of: anchor)!
        return (slot, record(ofSlot: slot))
      },
      changes: changes.map { LoggedChange(change: $0, slots: slots(of: $0)) })
  }

  /// All of a space, as a new store has to make it durable.
  ///
  /// Precondition: `changes` are exactly those that `history` covers, and the state covers them.
  package func allWrites(history: VersionVector, changes: [Change]) -> SpaceWrites {
    var writes = writes(touched: Touched(), history: history, changes: changes)
    writes.anchors = slots.indices.map { ($0, record(ofSlot: $0)) }
    return writes
  }

  private func slots(of change: Change) -> [Int] {
    var slots: [Int] = []
    slots.reserveCapacity(change.operations.count)
    var last: AnchorID?
    for operation in change.operations {
      guard let anchor = operation.anchor, anchor != last else { continue }
      guard let slot = slotNumber(of: anchor) else {
        preconditionFailure("the state covers the history, and so has its anchors")
      }
      slots.append(slot)
      last = anchor
    }
    if slots.count > 1 {
      slots.sort()
      slots = slots.withoutRepetitions
    }
    return slots
  }

  /// Whether a change can be one that this state covers: each register that it wrote holds that
  /// write or a greater one. O(operations).
  package func holds(_ change: Change) -> Bool {
    vector.covers(change.dot)
      && change.operations.allSatisfy { operation in
        let slot = operation.anchor.flatMap { slotNumber(of: $0) }
        guard let index = registerIndex(of: operation, inSlot: slot) else { return false }
        let stamp = registers[index].cell.stamp
        if stamp.dot == change.dot {
          return stamp == change.stamp && registers[index].cell.operation == operation
        }
        return !(stamp < change.stamp)
      }
  }

  /// The operations that would change something: a save that changes nothing writes nothing.
  package func effective(_ operations: [Operation]) -> [Operation] {
    operations.filter { operation in
      if let cell = cell(operation.register) { return cell.operation != operation }
      if case .metadata(_, _, nil) = operation { return false }
      return true
    }
  }
}
