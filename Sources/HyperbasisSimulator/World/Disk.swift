import HyperbasisCore
import HyperbasisSync

/// What one peer has made durable: the rows that a store would hold, kept as they are written.
struct Disk {
  private struct Rows {
    var vector = VersionVector()
    var history = VersionVector()
    var spaceRecord: [Cell] = []
    /// By slot; the slots of anchors that are no more are empty.
    var anchors: [[Cell]] = []
    var floor = VersionVector()
    var lastGivenUp = Timestamp.zero
    var cut = VersionVector()
    var marks: [RetentionMark] = []
    /// The history in the order in which it was written.
    var changes: [LoggedChange] = []

    mutating func take(_ write: SpaceWrites, _ new: [LoggedChange]) {
      vector = write.vector
      history = write.history
      floor = write.floor
      lastGivenUp = write.lastGivenUp
      cut = write.cut
      marks = write.marks ?? marks
      spaceRecord = write.spaceRecord
      // The places are sorted, and not the records: those are not copied for it.
      let places = write.anchors.indices
      let order =
        places.count < 2
        ? Array(places) : places.sorted { write.anchors[$0].slot < write.anchors[$1].slot }
      for index in order {
        let (slot, cells) = write.anchors[index]
        if slot >= anchors.count {
          precondition(
            slot == anchors.count || !floor.entries.isEmpty || hasMembers, "slots have no gaps")
          anchors += Array(repeating: [], count: slot - anchors.count) + [cells]
        } else if !Defect.commitTorn.isPlanted || write.anchors.count == 1 {
          anchors[slot] = cells
        }
      }
      for slot in write.removed where slot < anchors.count { anchors[slot] = [] }
      changes += new
      if !cut.entries.isEmpty { changes.removeAll { cut.covers($0.change.dot) } }
    }

    var hasMembers: Bool {
      spaceRecord.contains { cell in
        if case .member = cell.operation { true } else { false }
      }
    }
  }

  /// A fault that the checkers must find.
  var plant: SimulationOptions.Plant?
  private var spaces = SortedMap<SpaceID, Rows>()
  /// What the last commit replaced, in a build with `Defect.commitLostInCrash`.
  private var previous: SortedMap<SpaceID, Rows>?

  /// Makes the writes of one turn durable, all of them or (when it is not called) none.
  mutating func commit(_ writes: [SpaceWrites]) {
    if Defect.commitLostInCrash.isPlanted { previous = spaces }
    for write in writes {
      let changes = planted(write.changes)
      spaces[write.space, default: Rows()].take(write, changes)
    }
  }

  /// The peer stops without a word: what was committed stays.
  mutating func crash() {
    if let previous { spaces = previous }
  }

  /// Writes anew, by another replica, what no peer takes.
  mutating func renew(
    as replica: ReplicaID, beyond bound: Timestamp, at now: Timestamp
  ) throws(ApplyError) -> [(space: SpaceID, renewal: Renewal)] {
    var renewals: [(space: SpaceID, renewal: Renewal)] = []
    for stored in try load() {
      let space = stored.state.id
      let changes = spaces[present: space].changes.map(\.change)
      guard
        let renewal = try stored.renewed(as: replica, beyond: bound, changes: changes, at: now)
      else { continue }
      let kept = changes.filter { renewal.kept.covers($0.dot) } + renewal.changes
      let write = renewal.space.state.allWrites(
        history: renewal.space.history, changes: kept, cut: renewal.space.cut)
      spaces[space] = Rows()
      spaces[present: space].take(write, write.changes)
      renewals.append((space, renewal))
    }
    return renewals
  }

  /// The spaces as a store would load them.
  func load() throws(ApplyError) -> [StoredSpace] {
    var stored: [StoredSpace] = []
    for (space, rows) in zip(spaces.keys, spaces.values) {
      let cells = [rows.spaceRecord] + rows.anchors
      let state = try SpaceState(
        id: space, vector: rows.vector, cells: Array(cells.joined()),
        numbers: rows.anchors.indices.filter { !rows.anchors[$0].isEmpty },
        nextNumber: rows.anchors.count, floor: rows.floor,
        lastGivenUp: rows.lastGivenUp)
      stored.append(
        StoredSpace(state: state, history: rows.history, cut: rows.cut, marks: rows.marks))
    }
    return stored
  }

  /// How far each space's changes are kept.
  var kept: [KeptSpace] {
    spaces.indices.map {
      KeptSpace(
        space: spaces.keys[$0], state: spaces[at: $0].vector, history: spaces[at: $0].history)
    }
  }

  // MARK: History

  /// Up to where a history was given up.
  func cut(of space: SpaceID) -> VersionVector {
    spaces.index(of: space).map { spaces[at: $0].cut } ?? VersionVector()
  }

  func historyVector(of space: SpaceID) -> VersionVector {
    spaces.index(of: space).map { spaces[at: $0].history } ?? VersionVector()
  }

  /// The spaces with the vectors and the rows of their histories.
  var histories: [SpaceHistory] {
    zip(spaces.keys, spaces.values).map { space, rows in
      SpaceHistory(
        space: space, state: rows.vector,
        anchors: rows.anchors.map { $0.first.map { $0.operation.anchor! } ?? AnchorID(0) },
        vector: rows.history, cut: rows.cut, hasMembers: rows.hasMembers, changes: rows.changes)
    }
  }

  /// What a store would read for a link.
  func read(_ read: HistoryRead) -> [Change] {
    guard let index = spaces.index(of: read.space) else { return [] }
    // By index, and by the stored stamp: a row is not copied to be asked for its name.
    let rows = spaces[at: index].changes
    var wanted: [Change] = []
    for row in rows.indices {
      let dot = rows[row].change.stamp.dot
      if read.upTo.covers(dot) && !read.after.covers(dot) { wanted.append(rows[row].change) }
    }
    wanted.sort {
      let (left, right) = ($0.stamp.dot, $1.stamp.dot)
      return (left.replica.bits, left.sequence) < (right.replica.bits, right.sequence)
    }
    var bytes = 0
    var writer = ByteWriter()
    return Array(
      wanted.prefix { change in
        guard bytes < read.bytes else { return false }
        writer.removeAll()
        change.encode(into: &writer)
        bytes += writer.bytes.count
        return true
      })
  }

  private func planted(_ changes: [LoggedChange]) -> [LoggedChange] {
    guard let plant, let last = changes.last, last.change.dot.sequence % 5 == 0 else {
      return changes
    }
    switch plant {
    case .lostChange: return changes.dropLast()
    case .doubleChange: return changes + [last]
    case .alteredChange:
      let altered = Change(stamp: last.change.stamp, operations: [.name("altered")])
      return changes.dropLast() + [LoggedChange(change: altered, slots: [])]
    case .wrongSlot:
      return changes.dropLast()
        + [LoggedChange(change: last.change, slots: last.slots.map { $0 + 1 } + [0])]
    }
  }
}

/// One space's history as a disk holds it.
struct SpaceHistory {
  let space: SpaceID
  /// The vector of the state beside it.
  let state: VersionVector
  /// By slot.
  let anchors: [AnchorID]
  let vector: VersionVector
  /// Up to where it was given up.
  var cut = VersionVector()
  /// Whether anchors of its changes may be no more.
  var hasMembers = false
  let changes: [LoggedChange]
}
