import HyperbasisCore

/// What one peer has made durable: the rows that a store would hold, kept as they are written.
struct Disk {
  private struct Rows {
    var vector = VersionVector()
    var spaceRecord: [Cell] = []
    /// By slot; slots are given in order without gaps.
    var anchors: [[Cell]] = []
  }

  private var spaces = SortedMap<SpaceID, Rows>()

  /// Makes the writes of one turn durable, all of them or (when it is not called) none.
  mutating func commit(_ writes: [SpaceWrites]) {
    for write in writes {
      var rows = spaces[write.space] ?? Rows()
      rows.vector = write.vector
      rows.spaceRecord = write.spaceRecord
      for (slot, cells) in write.anchors.sorted(by: { $0.slot < $1.slot }) {
        precondition(slot <= rows.anchors.count, "slots have no gaps")
        if slot == rows.anchors.count {
          rows.anchors.append(cells)
        } else {
          rows.anchors[slot] = cells
        }
      }
      spaces[write.space] = rows
    }
  }

  /// The spaces as a store would load them.
  func load() throws(ApplyError) -> [SpaceState] {
    var states: [SpaceState] = []
    for (space, rows) in zip(spaces.keys, spaces.values) {
      let cells = rows.spaceRecord + rows.anchors.flatMap { $0 }
      states.append(try SpaceState(id: space, vector: rows.vector, cells: cells))
    }
    return states
  }
}
