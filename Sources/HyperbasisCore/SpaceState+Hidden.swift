/// What a state keeps though nobody is shown it.
package struct HiddenWrites: Equatable, Sendable {
  /// Anchors that are deleted.
  package var anchors = 0
  /// Removed keys of the others; not one that is the last write of its anchor, which stays as that.
  package var keys = 0

  package init(anchors: Int = 0, keys: Int = 0) {
    self.anchors = anchors
    self.keys = keys
  }
}

extension SpaceState {
  /// What of the state could be given up, of what was last written to before a time. O(registers).
  package func hiddenWrites(before time: Timestamp) -> HiddenWrites {
    var hidden = HiddenWrites()
    for slot in slots.indices {
      guard let last = lastWrite(of: slots[slot]) else { continue }
      if isHidden(slot) {
        // What was never made may be made by somebody who is not known yet: it is not given up.
        if slots[slot].existence != nil, cells.rows[last].timestamp < time { hidden.anchors += 1 }
        continue
      }
      for field in slots[slot].fields where field.row != last {
        if cells.isRemovedKey(field.row), cells.rows[field.row].timestamp < time {
          hidden.keys += 1
        }
      }
    }
    return hidden
  }

  // MARK: Their share of the digest

  /// Takes what a write will replace, or have shown or hidden, out of the hidden share.
  ///
  /// - Parameter row: The one that is overwritten.
  mutating func hide(before write: CellWrite, over row: Int?) {
    guard let slot = write.anchor else { return }
    if case .existence = write.content {
      hiddenDigest &-= hiddenDigest(ofSlot: slot)
    } else if let row, isHidden(slot) || cells.isRemovedKey(row) {
      hiddenDigest &-= cells.rows[row].hash
    }
  }

  /// Adds what a write, which is in its row now, has hidden.
  mutating func hide(_ row: Int, of write: CellWrite) {
    guard let slot = write.anchor else { return }
    if case .existence = write.content {
      hiddenDigest &+= hiddenDigest(ofSlot: slot)
    } else if write.isRemovedKey || isHidden(slot) {
      hiddenDigest &+= cells.rows[row].hash
    }
  }

  /// Whether nothing of an anchor is shown: it is deleted, or was never made.
  func isHidden(_ slot: Int) -> Bool { slots[slot].isHidden }

  /// O(registers of the anchor).
  func hiddenDigest(ofSlot slot: Int) -> UInt64 {
    let isHidden = isHidden(slot)
    var sum: UInt64 = 0
    slots[slot].visit { row in
      if isHidden || cells.isRemovedKey(row) { sum &+= cells.rows[row].hash }
    }
    return sum
  }
}
