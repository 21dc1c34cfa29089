extension SpaceState {
  /// A part of what lies beyond `start`: whole changes, from each replica a contiguous prefix.
  ///
  /// Returns the cells in dot order (replica by replica) and the vector up to which `start` and the
  /// cells reach together. The part ends at the change that reaches `budget` encoded bytes; when
  /// `covers` equals the state's vector it is the last one. O(log n + what is returned), and the
  /// superseded entries between.
  package func cells(
    after start: VersionVector, budget: Int
  ) -> (cells: [Cell], covers: VersionVector) {
    var cells: [Cell] = []
    var covers = start
    var size = 0
    for entry in vector.entries where entry.sequence > start[entry.replica] {
      var reached = start[entry.replica]
      let log = logs[entry.replica] ?? ReplicaLog()
      var index = log.firstEntry(beyond: reached)
      while index < log.entries.count {
        let item = log.entries[index]
        let isBetweenChanges = item.sequence != reached || Defect.batchSplitsChange.isPlanted
        if isBetweenChanges && size >= budget {
          covers[entry.replica] = reached + (Defect.batchBoundaryOffByOne.isPlanted ? 1 : 0)
          return (cells, covers)
        }
        reached = item.sequence
        index += 1
        guard
          registers[item.register].cell.stamp.dot
            == Dot(replica: entry.replica, sequence: item.sequence)
        else { continue }
        cells.append(registers[item.register].cell)
        size += registers[item.register].fingerprint.encodedBytes
      }
      covers[entry.replica] = entry.sequence
    }
    return (cells, covers)
  }

  /// The anchors with a register that took a new value since this state's vector was `base`, ascending.
  /// O(log n + what was written since).
  ///
  /// Precondition: `base` is a vector that this state had.
  package func anchors(changedSince base: VersionVector) -> [AnchorID] {
    var touched = Touched()
    for entry in vector.entries where entry.sequence > base[entry.replica] {
      let log = logs[entry.replica] ?? ReplicaLog()
      for item in log.entries[log.firstEntry(beyond: base[entry.replica])...] {
        // What was superseded meanwhile was so by a write that is beyond as well.
        touched.note(registers[item.register].cell.operation.anchor)
      }
    }
    return touched.anchors
  }

  /// Everything beyond `base`, whole.
  package func delta(since base: VersionVector) -> Delta {
    let (cells, covers) = cells(after: base, budget: .max)
    return Delta(base: base, covers: covers, cells: cells)
  }
}
