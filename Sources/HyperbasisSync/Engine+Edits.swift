import HyperbasisCore

extension Engine {
  // MARK: Local edits

  /// Makes one change of the operations that alter something; nil when none does, or where ``canWrite(to:)`` says no.
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
    if rooms[present: space].state.hasMembers {
      return recordAnew(space, operations, timestamp: timestamp, date: date, at: now)
    }
    guard let effective = effective(operations, in: space) else { return nil }
    return make(
      effective, in: space, timestamp: timestamp.tick, date: date ?? timestamp.nanoseconds, at: now)
  }

  /// In a space with members nothing is written with a stamp of the past, as what it would lose against
  /// may have been given up: what would win is written now, with its date.
  private mutating func recordAnew(
    _ space: SpaceID, _ operations: [Operation], timestamp: Timestamp, date: Int64?, at now: Now
  ) -> Change? {
    let winners = operations.filter { operation in
      let stamp = rooms[present: space].state.stamp(of: operation.register)
      return stamp.map { $0.timestamp < timestamp } ?? true
    }
    return edit(space, winners, date: date ?? timestamp.nanoseconds, at: now)
  }

  /// Whether this replica can write to a space: it has done so before, or the vector has room for one replica more. Nobody
  /// could read the vector otherwise.
  package func canWrite(to space: SpaceID) -> Bool {
    guard let room = rooms.index(of: space) else { return true }
    return rooms[at: room].state.vector[local.replica] > 0
      || rooms[at: room].state.vector.entries.count < Limits.replicas
  }

  /// Nil when there are none, or when none can be written.
  private func effective(_ operations: [Operation], in space: SpaceID) -> [Operation]? {
    precondition(!isCommitting, "a turn ends before the next begins")
    guard let room = rooms.index(of: space) else { preconditionFailure("the space is held") }
    guard canWrite(to: space) else { return nil }
    let effective = rooms[at: room].state.effective(operations)
    return effective.isEmpty ? nil : effective
  }

  // MARK: What is kept

  /// Says what a space keeps of its past, from now on and everywhere. The first time all replicas that are
  /// known here become its members.
  package mutating func retain(_ retention: Retention, in space: SpaceID, at now: Now) -> Change? {
    let state = rooms[present: space].state
    var operations: [Operation] = [.retention(retention)]
    if !state.hasMembers {
      var founders = state.vector
      founders[local.replica] = max(1, founders[local.replica])
      operations += founders.entries.map { .member($0.replica, .founder) }
    }
    return edit(space, operations, at: now)
  }

  /// Writes a replica in as joined, anew if it is a member: what it told before holds no more.
  mutating func writeIn(_ replica: ReplicaID, to space: SpaceID, at now: Now) {
    write([.member(replica, .joined)], to: space, at: now)
  }

  /// Writes operations though some may alter nothing: what matters is that they are written now.
  mutating func write(_ operations: [Operation], to space: SpaceID, at now: Now) {
    precondition(!isCommitting, "a turn ends before the next begins")
    guard canWrite(to: space) else { return }
    let timestamp = clock.next(now: now.wall, fraction: now.fraction)
    _ = make(operations, in: space, timestamp: timestamp, date: nil, at: now)
  }

  /// Says again what a snapshot lacks, the earliest first: what was made at one time in one change, as far as one
  /// has room for it.
  mutating func writeAnew(_ unsent: [Unsent], to space: SpaceID, at now: Now) {
    precondition(!isCommitting, "a turn ends before the next begins")
    guard canWrite(to: space) else { return }
    var byTime: [UnsentTime: [Unsent]] = [:]
    for unsent in unsent {
      let time = UnsentTime(timestamp: unsent.anew, date: unsent.cell.stamp.date)
      byTime[time, default: []].append(unsent)
    }
    for (time, unsent) in byTime.sorted(by: { $0.key < $1.key }) {
      clock.observe(time.timestamp)
      for operations in unsent.map(\.cell.operation).parts(of: Limits.unsentBytes) {
        _ = make(
          operations, in: space, timestamp: time.timestamp, date: time.date, at: now)
      }
    }
  }

  /// Has nobody wait for a replica any more; nil when it is no member, or this very one.
  package mutating func retire(
    _ replica: ReplicaID, from space: SpaceID, at now: Now
  ) -> Change? {
    guard replica != local.replica,
      let member = rooms[present: space].state.member(replica), member.membership != .retired
    else { return nil }
    return edit(space, [.member(replica, .retired)], at: now)
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

/// When something was written that is to be written anew.
private struct UnsentTime: Hashable, Comparable {
  let timestamp: Timestamp
  let date: Int64

  static func < (left: Self, right: Self) -> Bool {
    (left.timestamp, left.date) < (right.timestamp, right.date)
  }
}

extension Now {
  /// The time of the wall clock, as far as the engine's clock follows it.
  package var timestamp: Timestamp {
    HybridClock.timestamp(now: wall, fraction: fraction)
  }
}
