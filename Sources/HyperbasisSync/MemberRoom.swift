import HyperbasisCore

/// Who is a member of a space, as one replica sees it together with what a peer shows.
struct MemberList {
  let state: SpaceState
  /// The list that the peer showed.
  let shown: [Cell]

  /// Whether a peer with this vector exchanges changes as a member does: its entry says so, and its
  /// vector covers the entry where it joined, and all that may have been given up here.
  func has(_ replica: ReplicaID, vector: VersionVector) -> Bool {
    guard state.hasMembers else { return true }
    guard let entry = entry(of: replica, vector: vector) else { return false }
    guard entry.membership != .retired, vector.covers(state.floor) else { return false }
    return entry.joinedBy.map { vector.covers($0) } ?? true
  }

  /// The entry that counts. Who was written in and did not join yet says nothing of itself: it may have made a list of
  /// its own meanwhile.
  private func entry(of replica: ReplicaID, vector: VersionVector) -> Member? {
    let own = state.member(replica)
    if let joinedBy = own?.joinedBy, !vector.covers(joinedBy),
      shownEntry(of: replica)?.stamp.dot.replica == replica
    {
      return own
    }
    return entry(of: replica, asking: [])
  }

  /// The newer of our entry and of one that a member wrote; nil where the newer one is by somebody else: the replica
  /// joined others, and nothing it says from then on counts here.
  private func entry(of replica: ReplicaID, asking: Set<ReplicaID>) -> Member? {
    let own = state.member(replica)
    guard let other = shownEntry(of: replica), own.map({ $0.stamp < other.stamp }) ?? true else {
      return own
    }
    // Who wrote it first is a member here, or was made one by such a replica, and so on. Entries that vouch for each
    // other, as after one of them said the list anew, say nothing.
    let author = other.joinedBy?.replica ?? other.stamp.dot.replica
    let asked = asking.union([replica])
    let voucher = asked.contains(author) ? own : entry(of: author, asking: asked)
    return voucher.map { $0.membership != .retired } ?? false ? other : nil
  }

  private func shownEntry(of replica: ReplicaID) -> Member? {
    let index = shown.firstIndex(where: { Member($0)?.replica == replica })
    return index.flatMap { Member(shown[$0]) }
  }
}

extension SpaceRoom {
  /// What a member told since it became one; nil where that is nothing.
  func told(by member: Member) -> MemberProgress? {
    members.members[member.replica].flatMap { $0.since == member.stamp.timestamp ? $0 : nil }
  }

  /// How far this replica is; nil where it is no member.
  func ownProgress(as replica: ReplicaID) -> MemberProgress? {
    state.member(replica).map {
      MemberProgress(since: $0.stamp.timestamp, vector: state.vector, floor: state.floor)
    }
  }

  /// The least of what members told, and of what this replica has: nil while one of them has told nothing
  /// since it joined. One that is retired counts until all others have its retirement.
  func least(
    _ part: KeyPath<MemberProgress, VersionVector>, of replica: ReplicaID, own: MemberProgress
  ) -> VersionVector? {
    var least = own[keyPath: part]
    var retired: [Member] = []
    var vectors = own.vector
    for member in state.members where member.replica != replica {
      if member.membership == .retired {
        retired.append(member)
        continue
      }
      guard let told = told(by: member), told.vector.covers(member.stamp.dot) else { return nil }
      least = least.least(told[keyPath: part])
      vectors = vectors.least(told.vector)
    }
    return retired.allSatisfy { vectors.covers($0.stamp.dot) } ? least : nil
  }

  /// All that any member told that it has. What a retired one told is nobody's: whom it wrote in, and nobody else heard of,
  /// is no member. It may have lost it since, and nobody would ever have it.
  var greatestVector: VersionVector {
    var greatest = VersionVector()
    for member in state.members where member.membership != .retired {
      if let progress = members.members[member.replica] { greatest.merge(progress.vector) }
    }
    return greatest
  }
}

/// What of a space's past may be given up, and when.
struct RetentionRoom: Sendable {
  /// When to look at it, in monotonic milliseconds.
  var due: UInt64?
  /// With a time span: what all members had at which times, the oldest first.
  private(set) var marks: [RetentionMark]
  /// Since when, in monotonic milliseconds, the wall clock goes with the monotonic one, and by how much it is ahead.
  private var steady: (since: UInt64, ahead: Int64)?

  /// Milliseconds for which a clock must be steady before what is old by it is given up: one that starts wrong, or is
  /// set wrong for a moment, is mostly set right before.
  private static let steadyMilliseconds: UInt64 = 600_000
  /// By so many milliseconds a clock that is steered may leave the monotonic one between two looks.
  private static let steeredMilliseconds: Int64 = 2_000

  init(marks: [RetentionMark] = []) {
    self.marks = marks
  }

  /// How far the past may be given up, where all members have `stable`.
  mutating func floor(
    _ retention: Retention, stable: VersionVector, at now: Now
  ) -> VersionVector {
    switch retention {
    case .everything: return VersionVector()
    case .latest: return stable
    case .seconds(let seconds):
      let wall = now.wall
      let (span, isOver) = seconds.multipliedReportingOverflow(by: 1_000)
      guard isOver || unsteadyMilliseconds(span, at: now) == 0 else { return VersionVector() }
      mark(stable, wall: wall, every: isOver ? .max : RetentionRoom.gap(of: span))
      guard !isOver, span <= wall else { return VersionVector() }
      let last = marks.lastIndex { $0.wall <= wall - span }
      guard let last else { return VersionVector() }
      marks.removeFirst(last)
      return marks[0].stable
    }
  }

  /// In how many milliseconds more may be given up though nothing happens; nil where nothing is to come.
  mutating func delay(_ retention: Retention, stable: VersionVector, at now: Now) -> UInt64? {
    guard case .seconds(let seconds) = retention else { return nil }
    let wall = now.wall
    let (span, isOver) = seconds.multipliedReportingOverflow(by: 1_000)
    guard !isOver, span <= UInt64(Int64.max) else { return nil }
    let unsteady = unsteadyMilliseconds(span, at: now)
    guard unsteady == 0, let last = marks.last else { return unsteady == 0 ? nil : unsteady }
    // What came too soon after the last mark is marked then.
    let due =
      last.stable != stable
      ? last.wall + RetentionRoom.gap(of: span)
      : marks.first { $0.wall + span > wall }.map { $0.wall + span }
    return due.map { $0 > wall ? $0 - wall : 1 }
  }

  /// For how much longer the clock has to be steady before it is believed; with a short span a part of that.
  private mutating func unsteadyMilliseconds(_ span: UInt64, at now: Now) -> UInt64 {
    let ahead = Int64(clamping: now.wall) - Int64(clamping: now.monotonic)
    let isSteady =
      steady.map { abs($0.ahead - ahead) <= RetentionRoom.steeredMilliseconds } ?? false
    steady = (isSteady ? steady!.since : now.monotonic, ahead)
    let due = steady!.since + min(span / 16, RetentionRoom.steadyMilliseconds)
    return due > now.monotonic ? due - now.monotonic : 0
  }

  /// Milliseconds between marks.
  private static func gap(of span: UInt64) -> UInt64 { span / UInt64(RetentionMark.mostMarks / 2) }

  private mutating func mark(_ stable: VersionVector, wall: UInt64, every gap: UInt64) {
    // A clock that was set back: what is younger than now has no age yet.
    marks.removeAll { $0.wall > wall }
    guard let last = marks.last else {
      marks = [RetentionMark(wall: wall, stable: stable)]
      return
    }
    guard last.stable != stable, wall - last.wall >= gap else { return }
    marks.append(RetentionMark(wall: wall, stable: stable))
    if marks.count > RetentionMark.mostMarks { marks.removeFirst() }
  }
}
