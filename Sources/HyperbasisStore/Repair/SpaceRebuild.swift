import HyperbasisCore

/// What can be read of a space in a damaged store.
struct SpaceRemains {
  let id: SpaceID
  /// The vector of the state; nil when it cannot be read.
  var vector: VersionVector?
  /// How far the history was said to reach.
  var history: VersionVector?
  /// What all members were known to have, and up to where the history was given up; nil when they
  /// cannot be read.
  var floor: VersionVector?
  /// The greatest timestamp of what was given up.
  var lastGivenUp = Timestamp.zero
  var cut: VersionVector?
  var cells: [Cell] = []
  /// Of the anchors whose cells were read.
  var slots: [Int] = []
  /// Whether all cells were read.
  var isWhole = false
  /// In any order, perhaps with gaps. Of those under one name the first counts.
  var changes: [Change] = []
}

/// A space made anew from what can be read: its vector covers exactly what is held.
///
/// Where the state is whole and fits to the history, it is taken as it is. Else the changes of the
/// history are applied anew, of each author up to the first that is missing; last values that are
/// readable and were not in these are written again as changes of `replica`, under their old times.
///
/// Not so in a space with members, where the past may be given up, and a value under a new name
/// might bring back what all others deleted and forgot: its readable values keep their names, and
/// its vector claims what it did, as far as something speaks for it. The new replica is no member, so it gives nothing of that to
/// anybody, and what is missing comes with the snapshot by which it joins.
struct SpaceRebuild {
  enum Outcome: Equatable {
    case intact
    /// The state is as it was, the history ends where the damage begins.
    case historyCut
    case rebuilt
  }

  private(set) var state: SpaceState
  private(set) var history: VersionVector
  /// Up to where the history was given up.
  let cut: VersionVector
  /// Those that `history` covers and `cut` does not.
  private(set) var changes: [Change] = []
  private(set) var outcome = Outcome.intact
  /// Values that were written again.
  private(set) var rewritten = 0

  init(_ remains: SpaceRemains, as replica: ReplicaID) {
    cut = remains.cut ?? VersionVector()
    history = cut
    var byAuthor: [ReplicaID: [UInt64: Change]] = [:]
    for change in remains.changes where !cut.covers(change.dot) {
      if byAuthor[change.dot.replica]?[change.dot.sequence] != nil { continue }
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
    if contradicted.isEmpty, let whole = remains.wholeState {
      state = whole
      takePrefixes(of: byAuthor, upTo: whole.vector)
      if changes.allSatisfy(whole.holds) {
        outcome = remains.history.map(history.covers) ?? false ? .intact : .historyCut
        if outcome == .intact { return }
        // Where the history ends early, the vector may be what is damaged.
        if let supported = remains.state(under: remains.supported(whole.vector, by: history)) {
          state = supported
          return
        }
      }
    }
    state = SpaceState(id: remains.id)
    outcome = .rebuilt
    (history, changes) = (cut, [])
    takePrefixes(of: byAuthor, upTo: nil)
    let cells = remains.cells.filter { !contradicted.contains($0.stamp.dot) }
    let later = later(byAuthor)
    if remains.hasMembers {
      state = keeping(cells + changes.flatMap(\.cells) + later, of: remains)
      return
    }
    for change in changes { _ = try? state.apply(change) }
    rewrite(cells + later, as: replica)
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

  /// The cells under a vector that covers them and claims what it did, as far as something speaks for it. Its
  /// floor is empty, since what lies below may be missing.
  private func keeping(_ cells: [Cell], of remains: SpaceRemains) -> SpaceState {
    var vector = remains.supported(remains.vector ?? VersionVector(), by: history)
    vector.merge(history)
    for dot in cells.map(\.stamp.dot) where !vector.covers(dot) {
      vector[dot.replica] = dot.sequence
    }
    guard
      let state = try? SpaceState(
        id: remains.id, vector: vector, cells: cells, lastGivenUp: remains.lastGivenUp)
    else {
      preconditionFailure("the vector covers each cell")
    }
    return state
  }

  /// What is written by changes behind a gap.
  private func later(_ byAuthor: [ReplicaID: [UInt64: Change]]) -> [Cell] {
    byAuthor.values.flatMap(\.values).filter { !history.covers($0.dot) }.flatMap(\.cells)
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

extension SpaceRemains {
  /// Leaves out what replicas wrote beyond half of those that a state can hold, so that those of the vectors fit as
  /// well; no store that was written has so many.
  ///
  /// - Returns: whether there were any.
  mutating func limitReplicas(to most: Int = Limits.authors / 2) -> Bool {
    var replicas: Set<ReplicaID> = []
    var isBeyond = false
    let isKept = { (replica: ReplicaID) -> Bool in
      if replicas.contains(replica) { return true }
      guard replicas.count < most else {
        isBeyond = true
        return false
      }
      replicas.insert(replica)
      return true
    }
    cells.removeAll { !isKept($0.stamp.dot.replica) }
    changes.removeAll { !isKept($0.dot.replica) }
    return isBeyond
  }

  /// Whether old writes may have been given up.
  fileprivate var hasMembers: Bool {
    [floor, cut].contains { $0.map { !$0.entries.isEmpty } ?? false }
      || cells.contains { Member($0) != nil }
      || changes.contains { $0.cells.contains { Member($0) != nil } }
  }

  /// The state where all of it was read, and its vectors fit; else nil.
  fileprivate var wholeState: SpaceState? {
    guard isWhole, let vector, let floor, let cut, vector.covers(floor), vector.covers(cut)
    else { return nil }
    return state(under: vector)
  }

  /// All cells that were read, under a vector; nil where they do not fit.
  fileprivate func state(under vector: VersionVector) -> SpaceState? {
    let floor = floor ?? VersionVector()
    guard vector.covers(floor) else { return nil }
    return try? SpaceState(
      id: id, vector: vector, cells: cells, numbers: slots, floor: floor, lastGivenUp: lastGivenUp)
  }

  /// As much of a vector as something speaks for that was read: a cell, a change, or another vector. A peer would
  /// believe the rest, and take nothing of that author any more.
  fileprivate func supported(_ vector: VersionVector, by history: VersionVector) -> VersionVector {
    var supported = history
    for part in [floor, cut] { supported.merge(part ?? VersionVector()) }
    for dot in cells.map(\.stamp.dot) + changes.map(\.dot) {
      supported[dot.replica] = max(supported[dot.replica], dot.sequence)
    }
    return vector.least(supported)
  }
}

extension Change {
  fileprivate var cells: [Cell] { operations.map { Cell(operation: $0, stamp: stamp) } }
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
