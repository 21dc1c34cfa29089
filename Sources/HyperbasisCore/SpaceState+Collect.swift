/// What was given up of a state.
package struct Collected: Equatable, Sendable {
  /// The slot numbers of anchors that are no more, ascending.
  package var slots: [Int] = []
  /// The anchors that lost removed keys.
  package var touched = Touched()

  package var isEmpty: Bool { slots.isEmpty && touched.isEmpty }
}

extension SpaceState {
  /// Gives up what nobody can need any more: removed keys that `floor` covers, but for one that is the last
  /// write of its anchor, since that is the anchor's date; and anchors that are deleted, of which `dropped` covers
  /// every register. Nothing that is shown changes. Writes to an anchor that was never made are kept: two that made the
  /// list of members apart do not know of each other's anchors, and one of them may make it.
  ///
  /// ```swift
  /// let collected = state.collect(floor: floor, dropped: least)  // slots [3, 4]: two anchors are gone
  /// ```
  ///
  /// O(registers) where there is something to give up, else O(anchors).
  ///
  /// - Parameters:
  ///   - floor: What all members have; it becomes the state's floor, which never falls.
  ///   - dropped: What the floors of all members cover, this one's included.
  ///
  /// `Docs/Decisions/0008-collection-by-members-and-snapshots.md` says why nothing comes back.
  package mutating func collect(floor: VersionVector, dropped: VersionVector) -> Collected {
    precondition(vector.covers(floor), "what all have is here")
    self.floor.merge(floor)
    var collected = Collected()
    var isGone = [Bool](repeating: false, count: cells.count)
    for number in slots.indices {
      let slot = slots[number]
      if isDead(slot, upTo: dropped) {
        collected.slots.append(slot.number)
        slot.visit { isGone[$0] = true }
        continue
      }
      let last = lastWrite(of: slot)
      var hasRemoved = false
      for field in slot.fields
      where field.row != last && isRemovedKey(field.row, upTo: self.floor) {
        isGone[field.row] = true
        hasRemoved = true
      }
      if hasRemoved { collected.touched.note(anchorID(number)) }
    }
    guard !collected.isEmpty else { return collected }
    collected.slots.sort()
    rebuild(without: isGone)
    return collected
  }

  /// What brings a doomed anchor back brings all of it: none of its writes that the floor covers is part
  /// of it any more.
  mutating func forgetDoomed(before write: CellWrite) {
    guard case .existence = write.content, let number = write.anchor, !write.isDeletion,
      isHidden(number), slots[number].existence != nil
    else { return }
    if let transform = slots[number].transform, floor.covers(cells.dot(at: transform)) {
      slots[number].transform = nil
      forget(transform)
    }
    let doomed = slots[number].fields.map(\.row).filter { floor.covers(self.cells.dot(at: $0)) }
    for row in doomed { forget(row) }
    let cells = cells
    slots[number].removeFields { cells.isForgotten($0) }
  }

  /// Takes a register out of digest and log; its memory is given back when next something is collected.
  private mutating func forget(_ row: Int) {
    lastGivenUp = max(lastGivenUp, cells.rows[row].timestamp)
    cellsDigest &-= cells.rows[row].hash
    logs[cells.rows[row].dot.author].live -= 1
    cells.forget(row)
  }

  private func isDead(_ slot: AnchorSlot, upTo stable: VersionVector) -> Bool {
    guard let row = slot.existence, cells.isDeletion(row) else { return false }
    var isCovered = true
    slot.visit { isCovered = isCovered && stable.covers(cells.dot(at: $0)) }
    return isCovered
  }

  /// The row of an anchor's last write: of several of one change one that is no removed key, where there is one.
  func lastWrite(of slot: AnchorSlot) -> Int? {
    var last: Int?
    slot.visit { row in
      guard let known = last else {
        last = row
        return
      }
      let isLater = cells.isWrite(at: known, before: row)
      let isAlike = !isLater && !cells.isWrite(at: row, before: known)
      if isLater || isAlike && cells.isRemovedKey(known) { last = row }
    }
    return last
  }

  private func isRemovedKey(_ row: Int, upTo stable: VersionVector) -> Bool {
    cells.isRemovedKey(row) && stable.covers(cells.dot(at: row))
  }

  /// Makes table, slots and logs anew, of what stays.
  private mutating func rebuild(without isGone: [Bool]) {
    let (old, oldSlots) = (cells, slots)
    var names = NameCopier()
    (cells, slots, spaceRegisters) = (CellTable(), Column(), SpaceRegisters())
    for row in old.rows.indices where !old.isForgotten(row) {
      if isGone[row] {
        cellsDigest &-= old.rows[row].hash
        hiddenDigest &-= old.rows[row].hash
        lastGivenUp = max(lastGivenUp, old.rows[row].timestamp)
        continue
      }
      let place = cells.append(names.write(at: row, of: old, in: &cells))
      _ = cells.makeHash(of: place)
      if let anchor = old.rows[row].anchor, cells.anchors.elements.count > slots.count {
        slots.append(AnchorSlot(number: oldSlots[anchor].number))
      }
      link(place)
    }
    // Keys have other places now.
    keyOrder = KeyOrder()
    keyOrder.follow(cells.keys)
    makeLogs()
  }
}
