/// A space whose store goes on as another replica, with what no peer takes written anew by that.
package struct Renewal: Sendable {
  /// The space as it is then.
  package let space: StoredSpace
  /// How far the changes reach that stay; those beyond are no more.
  package let kept: VersionVector
  /// What the new replica has written, from its first change on.
  package let changes: [Change]
  /// By the sequence of the new changes, less one: what each was.
  package let formerDots: [Dot]
}

extension StoredSpace {
  /// Writes anew, by `replica`, what has stamps beyond `bound`: its clock was far ahead when it wrote, or
  /// that of another device in the same state, and no peer takes it. Nil where there is nothing of the kind.
  ///
  /// ```swift
  /// let renewal = try space.renewed(as: new, beyond: bound, changes: all, at: now)
  /// renewal?.changes.count  // 3: edits that were made while the clock was wrong
  /// ```
  ///
  /// The order of what is written anew stays, and it stays the latest; what is shown does not change but for
  /// dates. Of each former author all from its first such change on is no more, so that vectors stay what
  /// they are: how far each author's changes are here without a gap. What an author wrote after it with an
  /// earlier stamp, as imports do, is written anew as far as it still holds. The same is done with what the
  /// history does not reach: of what was written over there the stamps are not known, and one may be later
  /// than what is written anew.
  ///
  /// O(n log n) in the registers and changes.
  ///
  /// - Parameter changes: All of the history that is kept.
  /// - Throws: `ApplyError` when the changes do not fit the state.
  package func renewed(
    as replica: ReplicaID, beyond bound: Timestamp, changes: [Change], at now: Timestamp
  ) throws(ApplyError) -> Renewal? {
    let all = state.allWrites(history: VersionVector(), changes: [])
    let cells = all.spaceRecord + all.anchors.flatMap(\.cells)
    let stamps = cells.map(\.stamp) + changes.map(\.stamp)
    let ahead = stamps.filter { $0.timestamp > bound }
    guard !ahead.isEmpty || state.lastGivenUp > bound else { return nil }
    var kept = history
    for stamp in ahead {
      kept[stamp.dot.replica] = min(kept[stamp.dot.replica], stamp.dot.sequence - 1)
    }
    let former = StoredSpace.changes(beyond: kept, and: bound, in: changes, and: cells)
    // What was given up beyond what peers take was known here alone.
    let least = cut.entries.isEmpty ? 0 : Limits.clockAheadMilliseconds - 1_000
    let start = stamps.lazy.map(\.timestamp).filter { $0 <= bound }
      .reduce(Timestamp(bits: now.bits + least << 16), max)
    var stamp: [Dot: Stamp] = [:]
    for (index, change) in former.enumerated() {
      stamp[change.dot] = Stamp(
        timestamp: Timestamp(bits: (start.bits | 7) + 1 + 8 * UInt64(index)),
        dot: Dot(replica: replica, sequence: UInt64(index) + 1),
        date: min(change.stamp.date, now.nanoseconds))
    }
    var (vector, past) = (kept, history.least(kept))
    vector[replica] = UInt64(former.count)
    past[replica] = UInt64(former.count)
    let state = try SpaceState(
      id: self.state.id, vector: vector,
      cells: cells.map {
        Cell(operation: $0.operation, stamp: stamp[$0.stamp.dot] ?? $0.stamp)
      },
      numbers: all.anchors.map(\.slot), nextNumber: self.state.nextNumber,
      floor: self.state.floor.least(kept), lastGivenUp: min(self.state.lastGivenUp, start))
    return Renewal(
      space: StoredSpace(state: state, history: past, cut: cut.least(kept)), kept: kept,
      changes: former.map { Change(stamp: stamp[$0.dot]!, operations: $0.operations) },
      formerDots: former.map(\.dot))
  }

  /// What is to be written anew, in the order of stamps: whole changes with stamps beyond `bound`, or as much
  /// of them as is known; of the others only what still holds, since it would become the latest.
  private static func changes(
    beyond kept: VersionVector, and bound: Timestamp, in changes: [Change], and cells: [Cell]
  ) -> [Change] {
    var former: [Dot: Change] = [:]
    for change in changes where !kept.covers(change.dot) && change.stamp.timestamp > bound {
      former[change.dot] = change
    }
    var parts: [Dot: [Cell]] = [:]
    for cell in cells where !kept.covers(cell.stamp.dot) && former[cell.stamp.dot] == nil {
      parts[cell.stamp.dot, default: []].append(cell)
    }
    let rest = parts.values.map { Change(stamp: $0[0].stamp, operations: $0.map(\.operation)) }
    return (Array(former.values) + rest).sorted { $0.stamp < $1.stamp }
  }
}
