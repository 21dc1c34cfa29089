import HyperbasisCore

/// What can be read of a space in a damaged store.
struct SpaceRemains {
  let id: SpaceID
  /// The vector of the state; nil when it cannot be read.
  var vector: VersionVector?
  /// How far the history was said to reach.
  var history: VersionVector?
  var cells: [Cell] = []
  /// Whether all cells were read.
  var isWhole = false
  /// In any order, perhaps with gaps.
  var changes: [Change] = []
}

/// A space made anew from what can be read: its vector covers exactly what is held.
///
/// Where the state is whole and fits to the history, it is taken as it is. Else the changes of the
/// history are applied anew, of each author up to the first that is missing; last values that are
/// readable and were not in these are written again as changes of `replica`, under their old times.
struct SpaceRebuild {
  enum Outcome: Equatable {
    case intact
    /// The state is as it was, the history ends where the damage begins.
    case historyCut
    case rebuilt
  }

  private(set) var state: SpaceState
  private(set) var history = VersionVector()
  /// Those that `history` covers.
  private(set) var changes: [Change] = []
  private(set) var outcome = Outcome.intact
  /// Values that were written again.
  private(set) var rewritten = 0

  init(_ remains: SpaceRemains, as replica: ReplicaID) {
    var byAuthor: [ReplicaID: [UInt64: Change]] = [:]
    for change in remains.changes {
      byAuthor[change.dot.replica, default: [:]][change.dot.sequence] = change
    }
    // Of two that contradict each other neither is believed: a peer has to supply the change.
    var contradicted: Set<Dot> = []
    for cell in remains.cells {
      let dot = cell.stamp.dot
      guard let change = byAuthor[dot.replica]?[dot.sequence] else { continue }
      if change.stamp != cell.stamp || !change.operations.contains(cell.operation) {
        contradicted.insert(dot)
      }
    }
    for dot in contradicted { byAuthor[dot.replica]?[dot.sequence] = nil }
    if contradicted.isEmpty, remains.isWhole, let vector = remains.vector,
      let state = try? SpaceState(id: remains.id, vector: vector, cells: remains.cells)
    {
      self.state = state
      takePrefixes(of: byAuthor, upTo: vector)
      if changes.allSatisfy(state.holds) {
        outcome = remains.history.map(history.covers) ?? false ? .intact : .historyCut
        return
      }
    }
    state = SpaceState(id: remains.id)
    outcome = .rebuilt
    (history, changes) = (VersionVector(), [])
    takePrefixes(of: byAuthor, upTo: nil)
    for change in changes { _ = try? state.apply(change) }
    let cells = remains.cells.filter { !contradicted.contains($0.stamp.dot) }
    rewrite(cells + later(byAuthor), as: replica)
  }

  /// The changes of each author from the first on, without a gap.
  private mutating func takePrefixes(
    of byAuthor: [ReplicaID: [UInt64: Change]], upTo vector: VersionVector?
  ) {
    for author in byAuthor.keys.sorted() {
      while let next = byAuthor[author]?[history[author] + 1], vector?.covers(next.dot) ?? true {
        history[author] = next.dot.sequence
        changes.append(next)
      }
    }
  }

  /// What is written by changes behind a gap.
  private func later(_ byAuthor: [ReplicaID: [UInt64: Change]]) -> [Cell] {
    byAuthor.values.flatMap(\.values).filter { !history.covers($0.dot) }.flatMap { change in
      change.operations.map { Cell(operation: $0, stamp: change.stamp) }
    }
  }

  /// Makes changes of those cells that are the last writes of their registers.
  private mutating func rewrite(_ cells: [Cell], as replica: ReplicaID) {
    var last: [Register: Cell] = [:]
    for cell in cells {
      let register = cell.operation.register
      if let known = last[register]?.stamp ?? state.stamp(of: register), known >= cell.stamp {
        continue
      }
      last[register] = cell
    }
    let byStamp = Dictionary(grouping: last.values, by: \.stamp).sorted { $0.key < $1.key }
    for (old, cells) in byStamp {
      let dot = Dot(replica: replica, sequence: history[replica] + 1)
      let stamp = Stamp(timestamp: old.timestamp, dot: dot, date: old.date)
      // The order within a change means nothing; this one is always the same.
      let operations = cells.map(\.operation).sorted {
        $0.sortKey.lexicographicallyPrecedes($1.sortKey)
      }
      let change = Change(stamp: stamp, operations: operations)
      _ = try? state.apply(change)
      history[replica] = dot.sequence
      changes.append(change)
      rewritten += operations.count
    }
  }
}

extension Operation {
  fileprivate var sortKey: [UInt8] {
    var anchors = IdentifierTable<AnchorKind>()
    var writer = ByteWriter()
    if let anchor { writer.identifier(anchor) }
    encode(into: &writer, anchors: &anchors)
    return writer.bytes
  }
}
