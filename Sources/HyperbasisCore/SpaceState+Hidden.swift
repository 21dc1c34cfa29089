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
      if isHidden(index) {
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

  // MARK: Their share of the digest

  /// Takes what a write will replace, or have shown or hidden, out of the hidden share.
  ///
  /// - Parameters:
  ///   - slot: Of the anchor, where it has one.
  ///   - register: The one that is overwritten.
  mutating func hide(_ slot: Int?, before cell: Cell, over register: Int?) {
    guard let slot else { return }
    if case .existence = cell.operation {
      hiddenDigest &-= hiddenDigest(ofSlot: slot)
    } else if let register, isHidden(slot) || registers[register].cell.isRemoval {
      hiddenDigest &-= registers[register].fingerprint.hash
    }
  }

  /// Adds what a write, which is in its register now, has hidden.
  mutating func hide(_ hash: UInt128, of cell: Cell, inSlot slot: Int?) {
    guard let slot else { return }
    if case .existence = cell.operation {
      hiddenDigest &+= hiddenDigest(ofSlot: slot)
    } else if isHidden(slot) || cell.isRemoval {
      hiddenDigest &+= hash
    }
  }

  /// Whether nothing of an anchor is shown: it is deleted, or was never made.
  func isHidden(_ slot: Int) -> Bool { existence(ofSlot: slot).map { $0.deleted != nil } ?? true }

  /// O(registers of the anchor).
  func hiddenDigest(ofSlot slot: Int) -> UInt128 {
    let isHidden = isHidden(slot)
    var sum: UInt128 = 0
    slots[slot].visit { register in
      if isHidden || registers[register].cell.isRemoval {
        sum &+= registers[register].fingerprint.hash
      }
    }
    return sum
  }
}
