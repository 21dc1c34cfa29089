/// What came of taking over a snapshot.
package struct Joined: Sendable {
  package var touched = Touched()
  /// The slot numbers of anchors that are no more, ascending.
  package var slots: [Int] = []
  /// What is to be written anew, in the order of anchors, no register twice.
  package var unsent: [Operation] = []
  /// The same of anchors that were given up there: nobody would see it, so it is not written.
  package var unseen: [Operation] = []
}

extension SpaceState {
  /// Takes over another replica's state in place of this one, as a replica does that is no member.
  ///
  /// The vector becomes that of both. What `snapshot` does not cover and would have won there is given
  /// back, to be written anew: with its old stamps it could be older than what members have given up.
  /// Anchors that were made or restored meanwhile are there whole.
  ///
  /// O(n log n) in the registers of both.
  ///
  /// - Parameter floor: What the other replica knows all members to have.
  /// Precondition: the snapshot begins with nothing.
  /// - Throws: `ApplyError.beyondVector` when a cell is not covered by the snapshot.
  package mutating func join(
    _ snapshot: Delta, floor: VersionVector = VersionVector()
  ) throws(ApplyError) -> Joined {
    precondition(snapshot.base.entries.isEmpty, "a snapshot is all of a state")
    var taken = try SpaceState(id: id, snapshot: snapshot)
    var joined = Joined()
    taken.number(as: self)
    for slot in slots.indices {
      joined.touched.note(anchorID(slot))
      if taken.slot(of: anchorID(slot)) == nil { joined.slots.append(slots[slot].number) }
      let unsent = unsent(ofSlot: slot, to: taken)
      if isGivenUp(unsent, ofSlot: slot, in: taken) {
        joined.unseen += unsent
      } else {
        joined.unsent += unsent
      }
    }
    joined.slots.sort()
    spaceRegisters.visit { row in
      guard isUnsent(row, to: taken) else { return }
      joined.unsent.append(taken.keeping(cells.operation(at: row)))
    }
    for anchor in taken.cells.anchors.elements { joined.touched.note(anchor) }
    joined.touched.note(nil)
    taken.vector.merge(vector)
    taken.lastTimestamp = max(lastTimestamp, taken.lastTimestamp)
    // What is doomed there is doomed here.
    taken.floor = floor.least(snapshot.covers)
    self = taken
    return joined
  }

  /// All operations that bring an anchor back as it is here: in a space with members others may have
  /// given up parts of it.
  func whole(_ anchor: AnchorID) -> [Operation] {
    record(of: anchor).map(\.operation).filter { operation in
      if case .existence = operation { false } else { true }
    }
  }

  /// The slots that both have keep their numbers; the others get new ones.
  private mutating func number(as old: SpaceState) {
    nextNumber = old.nextNumber
    for index in slots.indices {
      if let number = old.slotNumber(of: anchorID(index)) {
        slots[index].number = number
      } else {
        slots[index].number = nextNumber
        nextNumber += 1
      }
    }
  }

  private func unsent(ofSlot number: Int, to taken: SpaceState) -> [Operation] {
    // What was made or restored here is written whole, even if it lives there: others may have deleted it
    // meanwhile, and given up parts of it.
    if let existence = slots[number].existence, !cells.isDeletion(existence),
      isUnsent(existence, to: taken)
    {
      return [cells.operation(at: existence)] + whole(anchorID(number), with: taken)
    }
    var operations: [Operation] = []
    slots[number].visit { row in
      if isUnsent(row, to: taken) { operations.append(cells.operation(at: row)) }
    }
    return operations
  }

  /// Whether these are edits of an anchor that was made here, and of which nothing says so there, nor they.
  private func isGivenUp(
    _ unsent: [Operation], ofSlot number: Int, in taken: SpaceState
  ) -> Bool {
    guard slots[number].existence != nil, !unsent.contains(where: \.isExistence) else {
      return false
    }
    return taken.slot(of: anchorID(number)).map { taken.slots[$0].existence == nil } ?? true
  }

  /// As ``whole(_:)``, of two states: of each register the greater write.
  private func whole(_ anchor: AnchorID, with other: SpaceState) -> [Operation] {
    let mine = whole(anchor)
    let known = Set(mine.map(\.register))
    let rest = other.whole(anchor).filter { !known.contains($0.register) }
    return mine.map { operation in
      guard let cell = other.cell(operation.register),
        stamp(of: operation.register).map({ $0 < cell.stamp }) ?? true
      else { return operation }
      return cell.operation
    } + rest
  }

  /// Whether a write is not in another state, and would have won there.
  private func isUnsent(_ row: Int, to other: SpaceState) -> Bool {
    guard !other.vector.covers(cells.dot(at: row)) else { return false }
    let stamp = cells.stamp(at: row)
    return other.stamp(of: cells.operation(at: row).register).map { $0 < stamp } ?? true
  }

  /// What a joining replica writes anew of the space itself: its own, but for the list of members and
  /// what is kept, of which it says again what this state has.
  private func keeping(_ operation: Operation) -> Operation {
    switch operation {
    case .retention: .retention(retention)
    case .member(let replica, _): .member(replica, member(replica)?.kept ?? .retired)
    default: operation
    }
  }
}

extension Operation {
  fileprivate var isExistence: Bool {
    if case .existence = self { true } else { false }
  }
}
