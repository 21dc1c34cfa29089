/// A write that another replica's state lacks, and that would have won there.
package struct Unsent: Equatable, Sendable {
  package let cell: Cell
  /// The timestamp under which it is to be said again.
  package let anew: Timestamp
}

/// What came of taking over a snapshot.
package struct Joined: Sendable {
  package var touched = Touched()
  /// The slot numbers of anchors that are no more, ascending.
  package var slots: [Int] = []
  /// What the snapshot lacks, in the order of anchors, no register twice.
  package var unsent: [Unsent] = []
  /// The same of anchors that were given up there: nobody would see it, so it is not written.
  package var unseen: [Unsent] = []
}

extension SpaceState {
  /// Takes over another replica's state in place of this one, as a replica does that is no member.
  ///
  /// The vector becomes that of both. What `snapshot` does not cover and would have won there is to be said again under
  /// this replica's name: others may claim to have a write, under the name it has, that they gave up. That is said right
  /// after the timestamp it has, so that it loses against whatever knew it. But a register that is not there may have
  /// been given up: an older write to it is said right after all that was given up. Anchors that were made or restored
  /// meanwhile are said whole.
  ///
  /// O(n log n) in the registers of both.
  ///
  /// - Parameter givenUp: What the other replica says that it may have given up.
  /// Precondition: the snapshot begins with nothing.
  /// - Throws: `ApplyError.beyondVector` when a cell is not covered by the snapshot.
  package mutating func join(
    _ snapshot: Delta, givenUp: GivenUp = GivenUp()
  ) throws(ApplyError) -> Joined {
    precondition(snapshot.base.entries.isEmpty, "a snapshot is all of a state")
    var taken = try SpaceState(id: id, snapshot: snapshot)
    taken.lastGivenUp = givenUp.last
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
      if isUnsent(row, to: taken) { joined.unsent.append(taken.keeping(cells[row])) }
    }
    for anchor in taken.cells.anchors.elements { joined.touched.note(anchor) }
    joined.touched.note(nil)
    taken.vector.merge(vector)
    taken.lastTimestamp = max(lastTimestamp, max(taken.lastTimestamp, givenUp.last))
    taken.lastGivenUp = max(lastGivenUp, givenUp.last)
    // What is doomed there is doomed here.
    taken.floor = givenUp.floor.least(snapshot.covers)
    self = taken
    return joined
  }

  /// All writes that bring an anchor back as it is here, but for its existence: in a space with members others may
  /// have given up parts of it.
  func whole(_ anchor: AnchorID) -> [Cell] {
    record(of: anchor).filter { !$0.operation.isExistence }
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

  private func unsent(ofSlot number: Int, to taken: SpaceState) -> [Unsent] {
    // What was made or restored here is written whole, even if it lives there: others may have deleted it
    // meanwhile, and given up parts of it.
    if let existence = slots[number].existence, !cells.isDeletion(existence),
      isUnsent(existence, to: taken)
    {
      return [taken.unsent(cells[existence])] + whole(anchorID(number), with: taken)
    }
    var unsent: [Unsent] = []
    slots[number].visit { row in
      if isUnsent(row, to: taken) { unsent.append(taken.unsent(cells[row])) }
    }
    return unsent
  }

  /// A write that this state, which is taken over, does not have. A write that is here and not earlier may be doomed, and
  /// is said again instead, unless it stands for one that nobody knows the age of.
  private func unsent(_ cell: Cell) -> Unsent {
    if Defect.writesAnewAsOfNow.isPlanted {
      return Unsent(cell: cell, anew: max(lastTimestamp, cell.stamp.timestamp).anew)
    }
    guard let known = self.cell(cell.operation.register) else {
      let isLater = cell.stamp.timestamp > lastGivenUp
      return isLater ? cell.again : Unsent(cell: cell, anew: lastGivenUp.afterGivenUp)
    }
    if known.stamp < cell.stamp { return cell.again }
    if !vector.covers(cell.stamp.dot), cell.stamp.isOfKnownAge(over: known.stamp) {
      return Unsent(cell: cell, anew: known.stamp.timestamp.anew)
    }
    return known.again
  }

  /// Whether these are edits of an anchor that was made here, and of which nothing says so there, nor they.
  private func isGivenUp(
    _ unsent: [Unsent], ofSlot number: Int, in taken: SpaceState
  ) -> Bool {
    guard slots[number].existence != nil, !unsent.contains(where: \.cell.operation.isExistence)
    else {
      return false
    }
    return taken.slot(of: anchorID(number)).map { taken.slots[$0].existence == nil } ?? true
  }

  /// As ``whole(_:)``, of this state and one that is taken over: of each register the greater write.
  private func whole(_ anchor: AnchorID, with taken: SpaceState) -> [Unsent] {
    let mine = whole(anchor)
    let known = Set(mine.map(\.operation.register))
    let rest = taken.whole(anchor).filter { !known.contains($0.operation.register) }
    return mine.map { taken.unsent($0) } + rest.map(\.again)
  }

  /// Whether a write is not in another state, and would have won there.
  private func isUnsent(_ row: Int, to other: SpaceState) -> Bool {
    guard !other.vector.covers(cells.dot(at: row)) else { return false }
    guard let known = other.stamp(of: cells.operation(at: row).register) else { return true }
    let stamp = cells.stamp(at: row)
    return known < stamp || stamp.isOfKnownAge(over: known)
  }

  /// What a joining replica writes anew of the space itself: its own, but for the list of members and
  /// what is kept, of which it says again what this state has.
  private func keeping(_ cell: Cell) -> Unsent {
    switch cell.operation {
    case .retention: Cell(operation: .retention(retention), stamp: cell.stamp).again
    case .member(let replica, _):
      Cell(
        operation: .member(replica, member(replica)?.kept ?? .retired), stamp: cell.stamp
      ).again
    default: cell.again
    }
  }
}

extension Cell {
  /// What this says, right after it: whoever knew it and wrote later still wins.
  fileprivate var again: Unsent { Unsent(cell: self, anew: stamp.timestamp.anew) }
}

extension Stamp {
  /// Whether the other one stands for a write of which nobody knows the age, and this one does not: whoever wrote this
  /// may have known that write, which did not know this.
  fileprivate func isOfKnownAge(over other: Stamp) -> Bool {
    other.timestamp.isOfUnknownAge && !timestamp.isOfUnknownAge
  }
}

extension Operation {
  fileprivate var isExistence: Bool {
    if case .existence = self { true } else { false }
  }
}
