/// One anchor as it is now.
package struct Anchor: Equatable, Sendable {
  package let id: AnchorID
  package let transform: Transform
  /// Present keys only.
  package let metadata: Value.Object
  /// Nanoseconds since 1970.
  package let created: Int64
  /// Nanoseconds since 1970: the date of the last write.
  package let updated: Int64
  /// Nil while the anchor lives.
  package let deleted: Int64?

  package init(
    id: AnchorID, transform: Transform, metadata: Value.Object, created: Int64, updated: Int64,
    deleted: Int64?
  ) {
    self.id = id
    self.transform = transform
    self.metadata = metadata
    self.created = created
    self.updated = updated
    self.deleted = deleted
  }
}

extension SpaceState {
  /// The anchor, deleted or not; nil when its creation is not known. O(keys).
  package func anchor(_ id: AnchorID) -> Anchor? {
    slot(of: id).flatMap { anchor(inSlot: $0) }
  }

  /// Those of these whose creation is known, deleted or not.
  package func anchors(_ ids: [AnchorID]) -> [Anchor] {
    var anchors: [Anchor] = []
    anchors.reserveCapacity(ids.count)
    for id in ids {
      if let anchor = anchor(id) { anchors.append(anchor) }
    }
    return anchors
  }

  /// Ascending by id. O(n log n).
  package func anchors(includingDeleted: Bool = false) -> [Anchor] {
    // The slots are sorted, and not the anchors: those are made once, in place.
    let order = slots.indices.sorted { anchorID($0) < anchorID($1) }
    var anchors: [Anchor] = []
    anchors.reserveCapacity(order.count)
    for slot in order {
      if let anchor = anchor(inSlot: slot, includingDeleted: includingDeleted) {
        anchors.append(anchor)
      }
    }
    return anchors
  }

  /// Those that live, or those that are deleted, or both; by their creation, then id: the order of every
  /// list that apps get. O(n log n).
  package func anchorsByCreation(living: Bool = true, deleted: Bool = false) -> [Anchor] {
    anchorsByCreation(inSlots: slots.indices, living: living, deleted: deleted)
  }

  /// The living ones of these, by their creation, then id.
  package func anchorsByCreation(among ids: [AnchorID]) -> [Anchor] {
    // Slots are nearly in order, which makes them fast to sort.
    let numbers = ids.compactMap { slot(of: $0) }.sorted()
    return anchorsByCreation(inSlots: numbers, living: true, deleted: false)
  }

  private func anchorsByCreation(
    inSlots numbers: some Collection<Int>, living: Bool, deleted: Bool
  ) -> [Anchor] {
    // Small keys are sorted, and not the anchors: those are made once, in place.
    var keys: [(created: Int64, id: AnchorID, slot: Int)] = []
    keys.reserveCapacity(numbers.count)
    for number in numbers {
      guard let existence = existence(ofSlot: number),
        existence.deleted == nil ? living : deleted
      else { continue }
      keys.append((existence.created, anchorID(number), number))
    }
    keys.sort { $0.created != $1.created ? $0.created < $1.created : $0.id < $1.id }
    return keys.map { anchor(inSlot: $0.slot)! }
  }

  /// In the order in which this store came to know them. O(n).
  package func unorderedAnchors(includingDeleted: Bool) -> [Anchor] {
    var anchors: [Anchor] = []
    anchors.reserveCapacity(slots.count)
    for slot in slots.indices {
      if let anchor = anchor(inSlot: slot, includingDeleted: includingDeleted) {
        anchors.append(anchor)
      }
    }
    return anchors
  }

  /// The number of anchors that live, and of those deleted. O(n).
  package var counts: (live: Int, deleted: Int) {
    var live = 0
    var deleted = 0
    for slot in slots.indices {
      guard let existence = existence(ofSlot: slot) else { continue }
      if existence.deleted == nil { live += 1 } else { deleted += 1 }
    }
    return (live, deleted)
  }

  /// The number of an anchor's slot, which stays its own for the life of the store.
  package func slotNumber(of anchor: AnchorID) -> Int? {
    slot(of: anchor).map { slots[$0].number }
  }

  /// The last writes of one anchor, or of the space itself for nil.
  package func record(of anchor: AnchorID?) -> [Cell] {
    guard let anchor else {
      var record: [Cell] = []
      record.reserveCapacity(3)
      spaceRegisters.visit { record.append(cells[$0]) }
      return record
    }
    return slot(of: anchor).map(record(ofSlot:)) ?? []
  }

  /// The last writes of the anchor in a slot.
  func record(ofSlot number: Int) -> [Cell] {
    let slot = slots[number]
    var record: [Cell] = []
    record.reserveCapacity(slot.fields.count + 2)
    if let row = slot.existence { record.append(cells[row]) }
    if let row = slot.transform { record.append(cells[row]) }
    for row in rowsByKey(of: slot) { record.append(cells[row]) }
    if Defect.removedKeysForgotten.isPlanted {
      return record.filter { !$0.operation.isRemovedKey }
    }
    return record
  }

  /// The registers of an anchor's keys, ascending by the keys' bytes. O(n log n).
  private func rowsByKey(of slot: AnchorSlot) -> [Int] {
    var fields = slot.fields
    guard fields.count <= SpaceState.fewFields else {
      fields.sort { isBefore($0, $1) }
      return fields.map(\.row)
    }
    for last in fields.indices.dropFirst() {
      var index = last
      while index > 0, isBefore(fields[index], fields[index - 1]) {
        fields.swapAt(index, index - 1)
        index -= 1
      }
    }
    return fields.map(\.row)
  }

  /// As many as are put in order faster by hand than by a sort that asks for memory.
  private static let fewFields = 16

  private func isBefore(_ first: AnchorSlot.Field, _ second: AnchorSlot.Field) -> Bool {
    keyOrder.areInOrder(Int(first.key), Int(second.key), of: cells.keys)
  }

  func existence(ofSlot number: Int) -> Existence? {
    slots[number].existence.map { cells.existence(at: $0) }
  }

  private func anchor(inSlot number: Int, includingDeleted: Bool = true) -> Anchor? {
    let slot = slots[number]
    guard var last = slot.existence else { return nil }
    let existence = cells.existence(at: last)
    guard includingDeleted || existence.deleted == nil else { return nil }
    var transform = Transform.identity
    if let row = slot.transform {
      last = later(last, row)
      transform = cells.transform(at: row)
    }
    var metadata: [Value.Object.Entry] = []
    metadata.reserveCapacity(slot.fields.count)
    for row in rowsByKey(of: slot) {
      last = later(last, row)
      guard let value = cells.value(at: row) else { continue }
      metadata.append(Value.Object.Entry(key: cells.key(at: row), value: value))
    }
    let isUndone = Defect.editUndoesDelete.isPlanted && last != slot.existence
    return Anchor(
      id: anchorID(number), transform: transform, metadata: Value.Object(sorted: metadata),
      created: existence.created, updated: cells.rows[last].date,
      deleted: isUndone ? nil : existence.deleted)
  }

  /// Which of two registers was written last.
  private func later(_ first: Int, _ second: Int) -> Int {
    cells.isWrite(at: first, before: second) ? second : first
  }
}
