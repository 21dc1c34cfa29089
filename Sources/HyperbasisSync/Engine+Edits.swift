import HyperbasisCore

extension Engine {
  // MARK: Local edits

  /// Makes one change of the operations that alter something; nil when none does.
  ///
  /// `date` is when the writer says that it wrote, in nanoseconds since 1970; now when nil.
  ///
  /// Precondition: the space is held, no register occurs twice and the operations are within
  /// `Limits`.
  package mutating func edit(
    _ space: SpaceID, _ operations: [Operation], date: Int64? = nil, at now: Now
  ) -> Change? {
    guard let effective = effective(operations, in: space) else { return nil }
    let timestamp = clock.next(now: now.wall, fraction: now.fraction)
    return make(effective, in: space, timestamp: timestamp, date: date, at: now)
  }

  /// Makes one change of what happened at a time of the past: it loses against all that was written
  /// later, here or elsewhere, and has its place in the history.
  ///
  /// ```swift
  /// engine.record(space, [.name("Kitchen")], timestamp: Timestamp(nanoseconds: date), at: now)
  /// ```
  ///
  /// Operations that the state has already are left out, as by ``edit(_:_:date:at:)``; nil when no
  /// others are there.
  ///
  /// Precondition: as for an edit, and `timestamp` is at most ``Now/timestamp``.
  @discardableResult
  package mutating func record(
    _ space: SpaceID, _ operations: [Operation], timestamp: Timestamp, date: Int64? = nil,
    at now: Now
  ) -> Change? {
    precondition(timestamp <= now.timestamp, "what is recorded has happened")
    guard let effective = effective(operations, in: space) else { return nil }
    return make(effective, in: space, timestamp: timestamp, date: date, at: now)
  }

  /// Nil when there are none.
  private func effective(_ operations: [Operation], in space: SpaceID) -> [Operation]? {
    precondition(!isCommitting, "a turn ends before the next begins")
    // The state is not held beyond the question: a second reference would copy it to change it.
    guard let effective = rooms[space]?.state.effective(operations) else {
      preconditionFailure("the space is held")
    }
    return effective.isEmpty ? nil : effective
  }

  private mutating func make(
    _ operations: [Operation], in space: SpaceID, timestamp: Timestamp, date: Int64?, at now: Now
  ) -> Change {
    let sequence = rooms[present: space].state.vector[local.replica] + 1
    let dot = Dot(replica: local.replica, sequence: sequence)
    let stamp = Stamp(timestamp: timestamp, dot: dot, date: date)
    let change = Change(stamp: stamp, operations: operations)
    do {
      let applied = try apply(change, to: space, origin: .local, at: now)
      precondition(applied, "an own change is new")
      precondition(rooms[present: space].history.covers(dot), "own changes are all in the history")
    } catch {
      preconditionFailure("an own change has no gap before it")
    }
    return change
  }
}

extension Now {
  /// The time of the wall clock, as far as the engine's clock follows it.
  package var timestamp: Timestamp {
    HybridClock.timestamp(now: wall, fraction: fraction)
  }
}
