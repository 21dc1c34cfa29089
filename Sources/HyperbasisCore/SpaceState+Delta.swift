/// A part of what lies beyond a vector.
package struct DeltaPart: Sendable {
  package fileprivate(set) var cells = CellTable()
  /// How far the vector and the cells reach together.
  package fileprivate(set) var covers: VersionVector
  /// By the place of an anchor in the cells: its slot in the state.
  fileprivate(set) var slots: [Int] = []

  fileprivate mutating func append(_ table: CellTable, _ row: Int, _ names: inout NameCopier) {
    cells.append(table, row, &names)
    if let slot = table.rows[row].anchor, slots.count < cells.anchors.count { slots.append(slot) }
  }
}

extension SpaceState {
  /// A part of what lies beyond `start`: whole changes, from each replica a contiguous prefix.
  ///
  /// Returns the cells in dot order (replica by replica) and the vector up to which `start` and the
  /// cells reach together. The part ends at the change that reaches about `budget` encoded bytes; when
  /// `covers` equals the state's vector it is the last one. O(log n + what is returned), and the
  /// superseded entries between.
  package func part(after start: VersionVector, budget: Int) -> DeltaPart {
    var part = DeltaPart(covers: start)
    var names = NameCopier()
    var size = 0
    for entry in vector.entries where entry.sequence > start[entry.replica] {
      part.covers[entry.replica] = entry.sequence
      guard let author = cells.authors.place(of: entry.replica) else { continue }
      var reached = start[entry.replica]
      let log = logs[author]
      var index = log.firstEntry(beyond: reached)
      while index < log.entries.count {
        let item = log.entries[index]
        let isBetweenChanges = item.sequence != reached || Defect.batchSplitsChange.isPlanted
        if isBetweenChanges && size >= budget {
          part.covers[entry.replica] = reached + (Defect.batchBoundaryOffByOne.isPlanted ? 1 : 0)
          return part
        }
        reached = item.sequence
        index += 1
        guard holds(item, author) else { continue }
        part.append(cells, item.row, &names)
        size += cells.byteCount(at: item.row)
      }
    }
    return part
  }

  /// As ``part(after:budget:)``, without what names its anchors.
  package func cells(
    after start: VersionVector, budget: Int
  ) -> (cells: CellTable, covers: VersionVector) {
    let part = part(after: start, budget: budget)
    return (part.cells, part.covers)
  }

  /// Whether an entry of a log is still the last write of its register.
  private func holds(_ entry: ReplicaLog.Entry, _ author: Int) -> Bool {
    let dot = cells.rows[entry.row].dot
    return dot.sequence == entry.sequence && dot.author == author
  }

  /// The anchors with a register that took a new value since this state's vector was `base`, ascending.
  /// O(log n + what was written since).
  ///
  /// Precondition: `base` is a vector that this state had.
  package func anchors(changedSince base: VersionVector) -> [AnchorID] {
    var touched = Touched()
    for entry in vector.entries where entry.sequence > base[entry.replica] {
      let log = log(of: entry.replica)
      for item in log.entries[log.firstEntry(beyond: base[entry.replica])...] {
        // What was superseded meanwhile was so by a write that is beyond as well.
        touched.note(cells.rows[item.row].anchor.map { anchorID($0) })
      }
    }
    return touched.anchors
  }

  /// Everything beyond `base`, whole.
  package func delta(since base: VersionVector) -> Delta {
    let (cells, covers) = cells(after: base, budget: .max)
    return Delta(base: base, covers: covers, parts: [cells])
  }
}
