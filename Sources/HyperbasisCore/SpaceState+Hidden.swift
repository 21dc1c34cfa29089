/// What a state keeps though nobody is shown it.
package struct HiddenWrites: Equatable, Sendable {
  /// Anchors that are deleted, or were never made.
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
    for index in slots.indices {
      guard let last = lastWrite(of: slots[index]) else { continue }
      if existence(ofSlot: index).map({ $0.deleted != nil }) ?? true {
        if registers[last].cell.stamp.timestamp < time { hidden.anchors += 1 }
        continue
      }
      for entry in slots[index].metadata where entry.register != last {
        let cell = registers[entry.register].cell
        if cell.isRemoval, cell.stamp.timestamp < time { hidden.keys += 1 }
      }
    }
    return hidden
  }
}
