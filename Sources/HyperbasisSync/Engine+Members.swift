import HyperbasisCore

/// Members of spaces: who may exchange changes, how others join, and what is given up once all have it.
///
/// See `Docs/Decisions/0008-collection-by-members-and-snapshots.md`.
extension Engine {
  // MARK: Who is one

  /// Whether changes of a space are exchanged on a link.
  func isMember(_ link: LinkID, of space: SpaceID) -> Bool {
    guard let room = rooms.index(of: space) else { return true }
    // One copy of the state answers all questions, and none of the session is made.
    let state = rooms[at: room].state
    guard state.hasMembers else { return true }
    guard let index = links.index(of: link), let peer = links[at: index].session.peer?.replica,
      let place = links[at: index].session.spaces.index(of: space),
      let theirs = links[at: index].session.spaces[at: place].theirs
    else { return false }
    let shown = links[at: index].session.spaces[at: place].members.shown
    return MemberList(state: state, shown: shown).has(peer, vector: theirs)
  }

  /// Looks at the peer of a link anew; returns whether it is a member. One that is none is told to join,
  /// and nothing is exchanged until then.
  mutating func reviewMember(_ link: LinkID, of space: SpaceID, at now: Now) -> Bool {
    guard let room = rooms.index(of: space), rooms[at: room].state.hasMembers else { return true }
    guard links[present: link].session.vector(of: space) != nil else { return true }
    if isMember(link, of: space) {
      links[present: link].session.admit(to: space)
      return true
    }
    links[present: link].session.cutOff(space, at: now)
    if rooms[at: room].catchUpFrom?.link == link { rooms[at: room].catchUpFrom = nil }
    if rooms[at: room].historyFrom?.link == link { rooms[at: room].historyFrom = nil }
    return false
  }

  /// The list of members changed: each link is looked at.
  mutating func reviewMembers(of space: SpaceID, at now: Now) {
    guard let room = rooms.index(of: space), rooms[at: room].state.hasMembers else { return }
    for link in links.keys where links[present: link].session.isOpen {
      _ = reviewMember(link, of: space, at: now)
    }
  }

  // MARK: Joining

  /// A peer says that we are no member. We join it, unless it is none here and our list is the newer one.
  mutating func take(demandOf rank: MemberRank, of space: SpaceID, on link: LinkID, at now: Now) {
    // Who is joined by us says so again where it joined another meanwhile: then we start over.
    guard let room = rooms.index(of: space),
      rooms[at: room].joining == nil || rooms[at: room].joining?.link == link,
      links[present: link].session.spaces[space]?.members.isJoining == false,
      let theirs = links[present: link].session.vector(of: space)
    else { return }
    if let own = MemberRank(rooms[at: room].state, of: local.replica, over: theirs), own > rank,
      !isMember(link, of: space)
    {
      // Our list may have become newer since the peer was told of it.
      return links[present: link].session.cutOff(space, at: now)
    }
    rooms[at: room].joining = (link, now.monotonic)
    if rooms[at: room].catchUpFrom?.link == link { rooms[at: room].catchUpFrom = nil }
    if rooms[at: room].historyFrom?.link == link { rooms[at: room].historyFrom = nil }
    links[present: link].session.askForSnapshot(of: space)
  }

  /// A peer answers again: all is asked anew.
  mutating func startOver(_ space: SpaceID, on link: LinkID, at now: Now) {
    guard let room = rooms.index(of: space) else { return }
    if rooms[at: room].joining?.link == link { rooms[at: room].joining = nil }
    if rooms[at: room].catchUpFrom?.link == link { rooms[at: room].catchUpFrom = nil }
    if rooms[at: room].historyFrom?.link == link { rooms[at: room].historyFrom = nil }
    links[present: link].session.startOver(space)
    links[present: link].session.introduceConfirmations(of: space, at: now)
    requestMissing(space, at: now)
    requestHistory(space, at: now)
  }

  /// A peer joins: it is written in, then sent all.
  mutating func takeIn(peerOn link: LinkID, of space: SpaceID, at now: Now) throws(Farewell) {
    // One that asks again was told to join while its first request was on its way.
    guard let room = rooms.index(of: space), let peer = links[present: link].session.peer,
      links[present: link].session.vector(of: space) != nil,
      !links[present: link].session.isGivingSnapshot(of: space)
    else { return }
    // Each asked the other: the one with the smaller replica id joins.
    if rooms[at: room].joining?.link == link {
      if local.replica < peer.replica { return }
      rooms[at: room].joining = nil
      links[present: link].session.stopJoining(space)
    }
    if let theirs = links[present: link].session.vector(of: space), !theirs.entries.isEmpty,
      isMember(link, of: space)
    {
      // It heard of an earlier judgement.
      return links[present: link].session.admitAgain(to: space)
    }
    if rooms[at: room].state.hasMembers { writeIn(peer.replica, to: space, at: now) }
    links[present: link].session.serveSnapshot(of: space, at: now)
  }

  /// The snapshot is whole: it takes the place of the state, and what it lacks is written anew.
  mutating func join(_ space: SpaceID, by snapshot: Delta, on link: LinkID, at now: Now)
    throws(Farewell)
  {
    guard let peer = links[present: link].session.peer else { return }
    rooms[present: space].joining = nil
    let before = rooms[present: space].state
    // It is older than what is known of the peer by now: what was given up since would be back.
    guard snapshot.covers[peer.replica] >= before.vector[peer.replica] else {
      return startOver(space, on: link, at: now)
    }
    let joined: Joined
    let givenUp = links[present: link].session.spaces[space]?.members.givenUp ?? GivenUp()
    do {
      joined = try rooms[present: space].state.join(snapshot, givenUp: givenUp)
    } catch {
      throw Farewell(.malformed, "the peer sent a snapshot that does not fit: \(error)")
    }
    // Nobody is given the rest of what was here.
    for other in links.keys {
      links[present: other].session.stopServing(space)
      links[present: other].session.announceAnew(space)
    }
    rooms[present: space].joins.note(snapshot, from: peer.replica, over: before)
    clock.observe(rooms[present: space].state.lastTimestamp)
    rooms[present: space].recent.interrupt()
    rooms[present: space].orphan = nil
    pending[space, default: PendingWrites()].removed += joined.slots
    // Of some only writes are left that know nothing of how the anchor was made.
    let left = Set(rooms[present: space].state.anchors(includingDeleted: true).map(\.id))
    let kept = Set(joined.unsent.map(\.cell.operation.register))
    let gone = before.anchors().filter {
      !left.contains($0.id) && !kept.contains(.existence($0.id))
    }
    note(
      joined.touched, changes: [], in: space, origin: .peer(peer.replica),
      gone: gone.map { $0.deleted(at: now.timestamp.nanoseconds) }, at: now)
    // What was asked meanwhile was not answered.
    links[present: link].session.forgetHistoryRequest(of: space)
    if rooms[present: space].historyFrom?.link == link { rooms[present: space].historyFrom = nil }
    writeAnew(joined.unsent, to: space, at: now)
    rooms[present: space].joins.note(
      (joined.unsent + joined.unseen).map(\.cell.operation), of: before,
      in: rooms[present: space].state)
    reviewMembers(of: space, at: now)
    requestHistory(space, at: now)
  }

  /// A snapshot that does not come on: the peers start over.
  mutating func tickMembers(at now: Now) {
    for space in rooms.keys {
      if let joining = rooms[present: space].joining,
        now.monotonic >= joining.progress + Limits.joinStallMilliseconds
      {
        end(joining.link, with: Farewell(.silent, "a snapshot did not come on"), at: now)
      }
      if let due = rooms[present: space].retention.due, due <= now.monotonic {
        rooms[present: space].retention.due = nil
        collect(space, at: now)
      }
      endIgnoredSnapshots(of: space, at: now)
    }
  }

  /// When ``tickMembers(at:)`` has something to do.
  var nextMembersDeadline: UInt64? {
    var next: UInt64?
    for index in rooms.indices {
      if let due = rooms[at: index].retention.due { next = min(next ?? .max, due) }
      if let joining = rooms[at: index].joining {
        next = min(next ?? .max, joining.progress + Limits.joinStallMilliseconds)
      }
      if let due = snapshotDeadline(of: index) { next = min(next ?? .max, due) }
    }
    return next
  }

  /// A peer that was given a snapshot and does not show that it took it over is judged anew.
  private mutating func endIgnoredSnapshots(of space: SpaceID, at now: Now) {
    guard let room = rooms.index(of: space), let due = snapshotDeadline(of: room),
      due <= now.monotonic
    else { return }
    for link in links.keys where links[present: link].session.isSnapshotIgnored(of: space, at: now)
    {
      links[present: link].session.stopServing(space)
      _ = reviewMember(link, of: space, at: now)
    }
  }

  /// When the first peer must have shown that it took a snapshot over; nil where none was given one.
  private func snapshotDeadline(of room: Int) -> UInt64? {
    let space = rooms.keys[room]
    var deadline: UInt64?
    for index in links.indices {
      guard let place = links[at: index].session.spaces.index(of: space),
        let due = links[at: index].session.spaces[at: place].members.snapshotDeadline
      else { continue }
      deadline = min(deadline ?? .max, due)
    }
    guard deadline != nil, rooms[at: room].state.hasMembers else { return nil }
    return deadline
  }

  // MARK: Giving up

  /// Something became known that may let the past go.
  mutating func noteRetention(of space: SpaceID, at now: Now) {
    guard let room = rooms.index(of: space) else { return }
    let due = now.monotonic + Limits.collectDelayMilliseconds
    guard rooms[at: room].retention.due.map({ $0 > due }) ?? true, rooms[at: room].state.hasMembers
    else { return }
    rooms[at: room].retention.due = due
  }

  /// A member told how far it is.
  mutating func noteConfirmed(
    _ vector: VersionVector, by replica: ReplicaID, of space: SpaceID, at now: Now
  ) {
    guard let room = rooms.index(of: space), let entry = rooms[at: room].state.member(replica)
    else { return }
    let progress = MemberProgress(
      since: entry.stamp.timestamp, vector: vector, floor: VersionVector())
    noteProgress(progress, of: replica, in: space, at: now)
  }

  private mutating func noteProgress(
    _ progress: MemberProgress, of replica: ReplicaID, in space: SpaceID, at now: Now
  ) {
    guard rooms[present: space].members.merge(progress, of: replica) else { return }
    for link in links.keys { links[present: link].session.noteConfirmations(of: space, at: now) }
    noteRetention(of: space, at: now)
  }

  /// A member passes on how far others are, and how far it gave the history up.
  mutating func take(
    _ confirmations: Confirmations, of space: SpaceID, on link: LinkID, at now: Now
  ) throws(Farewell) {
    guard let room = rooms.index(of: space) else { return }
    links[present: link].session.noteTold(confirmations, of: space)
    guard rooms[at: room].state.hasMembers, isMember(link, of: space) else { return }
    if rooms[at: room].historyFrom?.link == link,
      !links[present: link].session.awaitsHistory(of: space)
    {
      rooms[at: room].historyFrom = nil
    }
    for index in confirmations.members.indices {
      let replica = confirmations.members.keys[index]
      guard replica != local.replica, rooms[present: space].state.member(replica) != nil else {
        continue
      }
      try check(confirmations.members[at: index].vector, of: space)
      noteProgress(confirmations.members[at: index], of: replica, in: space, at: now)
    }
    try check(confirmations.cut, of: space)
    cutHistory(of: space, upTo: confirmations.cut, at: now)
    requestHistory(space, at: now)
  }

  /// The members that hold back what others would give up: they have told nothing since they joined, or lack
  /// something that is here, or were retired and not all have heard of it. Ascending.
  package func waitsFor(in space: SpaceID) -> [ReplicaID] {
    guard let room = rooms.index(of: space),
      let own = rooms[at: room].ownProgress(as: local.replica)
    else { return [] }
    return rooms[at: room].state.members.filter { member in
      guard member.replica != local.replica, member.membership != .retired else { return false }
      return rooms[at: room].told(by: member).map { !$0.vector.covers(own.vector) } ?? true
    }
    .map(\.replica)
  }

  private mutating func collect(_ space: SpaceID, at now: Now) {
    let own = rooms[present: space].ownProgress(as: local.replica)
    // What a member has that is not here may be another member.
    guard let own, own.vector.covers(rooms[present: space].greatestVector),
      let stable = rooms[present: space].least(\.vector, of: local.replica, own: own)
    else { return }
    let retention = rooms[present: space].state.retention
    let marks = rooms[present: space].retention.marks
    var floor = rooms[present: space].retention.floor(retention, stable: stable, at: now)
    if rooms[present: space].retention.marks != marks {
      pending[space, default: PendingWrites()].hasMarks = true
    }
    rooms[present: space].retention.due =
      rooms[present: space].retention.delay(retention, stable: stable, at: now)
      .map { now.monotonic + max(1, $0) }
    let before = rooms[present: space].state.floor
    floor.merge(before)
    guard !floor.entries.isEmpty else { return }
    let told = MemberProgress(since: own.since, vector: own.vector, floor: floor)
    let dropped =
      rooms[present: space].least(\.floor, of: local.replica, own: told) ?? VersionVector()
    let collected = rooms[present: space].state.collect(floor: floor, dropped: dropped)
    if floor != before || !collected.isEmpty {
      pending[space, default: PendingWrites()].removed += collected.slots
      pending[present: space].touched.formUnion(collected.touched)
    }
    if floor != before {
      for link in links.keys { links[present: link].session.noteConfirmations(of: space, at: now) }
      noteRetention(of: space, at: now)
    }
    cutHistory(of: space, upTo: floor, at: now)
  }

  /// Gives up what a vector covers of the history, as far as the state has it.
  private mutating func cutHistory(of space: SpaceID, upTo vector: VersionVector, at now: Now) {
    let room = rooms[present: space]
    let reached = vector.least(room.state.vector)
    guard !room.members.cut.covers(reached) else { return }
    rooms[present: space].members.cut.merge(reached)
    rooms[present: space].history.merge(rooms[present: space].members.cut)
    pending[space, default: PendingWrites()].touched.formUnion(Touched())
    for link in links.keys {
      links[present: link].session.noteConfirmations(of: space, at: now)
      links[present: link].session.noteNews(of: space, at: now)
    }
    requestHistory(space, at: now)
  }
}

extension Anchor {
  /// The same, deleted at a time; nanoseconds since 1970.
  func deleted(at date: Int64) -> Anchor {
    Anchor(
      id: id, transform: transform, metadata: metadata, created: created, updated: updated,
      deleted: date)
  }
}

extension [Operation] {
  /// In parts of so many encoded bytes, or of one operation that has more.
  func parts(of bytes: Int) -> [[Operation]] {
    var parts: [[Operation]] = []
    var size = bytes
    for operation in self {
      var writer = ByteWriter()
      var anchors = IdentifierTable<AnchorKind>()
      operation.encode(into: &writer, anchors: &anchors)
      // With the anchor's name, that each change has once.
      size += writer.bytes.count + 16
      if size > bytes || parts.last!.count >= Limits.changeOperations / 8 {
        parts.append([])
        size = writer.bytes.count + 16
      }
      parts[parts.count - 1].append(operation)
    }
    return parts
  }
}
