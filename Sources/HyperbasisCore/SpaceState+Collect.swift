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
  /// write of its anchor, since that is the anchor's date; and anchors that are
  /// deleted, or were never made, of which `dropped` covers every register. Nothing that is shown changes.
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
    var isGone = [Bool](repeating: false, count: registers.count)
    var kept: [AnchorSlot] = []
    for slot in slots {
      if isDead(slot, upTo: dropped) {
        collected.slots.append(slot.number)
        slot.visit { isGone[$0] = true }
        continue
      }
      var slot = slot
      let last = lastWrite(of: slot)
      let removed = slot.metadata.filter {
        $0.register != last && isRemoval($0.register, upTo: self.floor)
      }
      if !removed.isEmpty {
        for (_, register) in removed { isGone[register] = true }
        slot.metadata.removeAll { isGone[$0.register] }
        collected.touched.note(slot.anchor)
      }
      kept.append(slot)
    }
    guard !collected.isEmpty else { return collected }
    collected.slots.sort()
    rebuild(with: kept, without: isGone)
    return collected
  }

  /// What brings a doomed anchor back brings all of it: none of its writes that the floor covers is part
  /// of it any more.
  mutating func forgetDoomed(inSlot number: Int, before cell: Cell) {
    guard case .existence(_, let written) = cell.operation, written.deleted == nil,
      existence(ofSlot: number).map({ $0.deleted != nil }) ?? true
    else { return }
    let isDoomed = { (self: SpaceState, register: Int) in
      self.floor.covers(self.registers[register].cell.stamp.dot)
    }
    if let transform = slots[number].transform, isDoomed(self, transform) {
      slots[number].transform = nil
      forget(transform)
    }
    for entry in slots[number].metadata where isDoomed(self, entry.register) {
      forget(entry.register)
    }
    slots[number].metadata.removeAll { registers[$0.register].isForgotten }
  }

  /// Takes a register out of digest and log; its memory is given back when next something is collected.
  private mutating func forget(_ register: Int) {
    let dot = registers[register].cell.stamp.dot
    registersDigest &-= registers[register].fingerprint.hash
    if let log = logs.index(of: dot.replica) { logs[at: log].live -= 1 }
    registers[register] = .forgotten
  }

  private func isDead(_ slot: AnchorSlot, upTo stable: VersionVector) -> Bool {
    if let index = slot.existence, !registers[index].cell.isDeletion { return false }
    var isCovered = true
    slot.visit { isCovered = isCovered && stable.covers(registers[$0].cell.stamp.dot) }
    return isCovered
  }

  func lastWrite(of slot: AnchorSlot) -> Int? {
    var last: Int?
    slot.visit { register in
      if last.map({ registers[$0].cell.stamp < registers[register].cell.stamp }) ?? true {
        last = register
      }
    }
    return last
  }

  private func isRemoval(_ register: Int, upTo stable: VersionVector) -> Bool {
    registers[register].cell.isRemoval && stable.covers(registers[register].cell.stamp.dot)
  }

  private mutating func rebuild(with kept: [AnchorSlot], without isGone: [Bool]) {
    var places = [Int](repeating: 0, count: registers.count)
    var rest: [StoredRegister] = []
    for index in registers.indices {
      if registers[index].isForgotten { continue }
      if isGone[index] {
        registersDigest &-= registers[index].fingerprint.hash
        hiddenDigest &-= registers[index].fingerprint.hash
        continue
      }
      places[index] = rest.count
      rest.append(registers[index])
    }
    registers = rest
    slots = kept
    slotIndices = [:]
    for index in slots.indices {
      slots[index].move { places[$0] }
      slotIndices[slots[index].anchor] = index
    }
    spaceRegisters.move { places[$0] }
    makeLogs()
  }
}

extension SpaceState.StoredRegister {
  /// In the place of one that is no more: no log finds its dot.
  static let forgotten: Self = {
    let dot = Dot(replica: ReplicaID(0), sequence: 0)
    let cell = Cell(operation: .name(nil), stamp: Stamp(timestamp: .zero, dot: dot))
    var buffer = ByteWriter()
    return Self(cell: cell, fingerprint: CellFingerprint(cell, &buffer))
  }()

  var isForgotten: Bool { cell.stamp.dot.sequence == 0 }
}

extension SpaceState.AnchorSlot {
  /// Each register that was written.
  func visit(_ body: (Int) -> Void) {
    if let existence { body(existence) }
    if let transform { body(transform) }
    for entry in metadata { body(entry.register) }
  }

  mutating func move(_ place: (Int) -> Int) {
    existence = existence.map(place)
    transform = transform.map(place)
    for index in metadata.indices { metadata[index].register = place(metadata[index].register) }
  }
}

extension SpaceState.SpaceRegisters {
  mutating func move(_ place: (Int) -> Int) {
    name = name.map(place)
    existence = existence.map(place)
    map = map.map(place)
    retention = retention.map(place)
    for index in members.indices { members[index].register = place(members[index].register) }
  }
}
