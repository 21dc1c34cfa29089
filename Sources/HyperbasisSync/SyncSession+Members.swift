import HyperbasisCore

/// What a session knows of one space's members.
struct MemberLink: Sendable {
  /// The list that the peer showed.
  var shown: [Cell] = []
  /// The stamps of the list that the peer was shown last.
  var toldList: [Stamp] = []
  /// When to tell the peer that it is no member: what makes it one may be under way.
  var demandDue: UInt64?
  /// Nothing was answered of late, and that the peer is to be told that it is answered again.
  var isCutOff = false
  var admissionIsDue = false
  /// The peer asked for a snapshot, and has not shown yet that it took it over.
  var isJoining: Bool { snapshotDeadline != nil }
  /// Until when, in monotonic milliseconds, the peer is to show that it took a snapshot over.
  var snapshotDeadline: UInt64?
  /// What the peer that gives us a snapshot may have given up, and whether we are to tell that before we give one.
  var givenUp = GivenUp()
  var givenUpIsDue = false
  /// What the peer knows that we know, and when to tell it more.
  var told = Confirmations()
  var newsDue: UInt64?
  /// Whether it was told all since the link began, or since it became a member: before it heeds nothing.
  var isIntroduced = false
}

extension SyncSession {
  /// Nothing more is given or taken: the peer is no member. What it asked for as it joins goes on.
  mutating func cutOff(_ space: SpaceID, at now: Now) {
    guard spaces[space]?.members.isJoining == false else { return }
    spaces[present: space].supply = nil
    spaces[present: space].members.isCutOff = true
    spaces[present: space].members.isIntroduced = false
    spaces[present: space].members.admissionIsDue = false
    spaces[present: space].members.demandDue =
      spaces[present: space].members.demandDue ?? now.monotonic + Limits.haveDelayMilliseconds
    switch spaces[present: space].request {
    case .snapshotDue, .snapshot: return
    case .none, .due, .sent, .live: break
    }
    spaces[present: space].request = .none
    _ = abandonCatchUp(of: space)
    history.spaces[space]?.request = .none
    history.spaces[space]?.supply = nil
  }

  /// The peer asked for something while it was no member: it asks again once it is one.
  mutating func noteUnanswered(_ space: SpaceID) { spaces[space]?.members.isCutOff = true }

  /// The peer is a member. One that is being given a snapshot takes that over first.
  mutating func admit(to space: SpaceID) {
    guard let index = spaces.index(of: space) else { return }
    if spaces[at: index].members.isJoining, case .stream = spaces[at: index].supply?.mode { return }
    spaces[at: index].members.snapshotDeadline = nil
    spaces[at: index].members.demandDue = nil
    if spaces[at: index].members.isCutOff {
      spaces[at: index].members.isCutOff = false
      spaces[at: index].members.admissionIsDue = true
    }
  }

  /// The peer asked for a snapshot and is a member: it is told so, and asks for what it lacks.
  mutating func admitAgain(to space: SpaceID) {
    noteUnanswered(space)
    admit(to: space)
  }

  /// Gives up asking for a snapshot.
  mutating func stopJoining(_ space: SpaceID) {
    _ = abandonCatchUp(of: space)
    spaces[space]?.request = .none
  }

  /// What was being sent is no more: the state was replaced. A peer that joins is told to start over, and one
  /// that does not sees what it lacks by the vector.
  mutating func stopServing(_ space: SpaceID) {
    guard let index = spaces.index(of: space), spaces[at: index].members.isJoining else { return }
    spaces[at: index].members.snapshotDeadline = nil
    spaces[at: index].members.isCutOff = true
    spaces[at: index].supply = nil
  }

  /// What was asked was not answered: it may be asked again. What was told was not heeded.
  mutating func startOver(_ space: SpaceID) {
    stopJoining(space)
    forgetHistoryRequest(of: space)
    spaces[space]?.members.isIntroduced = false
  }

  /// A member is told at once how far all are that are known, once on a link. An earlier link may have ended before it
  /// was told, it may have been started anew since, and there may be no news for long.
  mutating func introduceConfirmations(of space: SpaceID, at now: Now) {
    guard let index = spaces.index(of: space), spaces[at: index].theirs != nil,
      !spaces[at: index].members.isIntroduced
    else { return }
    spaces[at: index].members.isIntroduced = true
    spaces[at: index].members.told = Confirmations()
    spaces[at: index].members.newsDue = now.monotonic
  }

  mutating func forgetHistoryRequest(of space: SpaceID) {
    history.spaces[space]?.request = .none
  }

  /// Whether the peer was given a snapshot, or is being given one, and has not shown that it took it over.
  func isGivingSnapshot(of space: SpaceID) -> Bool { spaces[space]?.members.isJoining ?? false }

  /// Whether the peer was given a snapshot long ago, and does not show that it took it over. While it is being
  /// given one its time does not run.
  mutating func isSnapshotIgnored(of space: SpaceID, at now: Now) -> Bool {
    guard let deadline = spaces[space]?.members.snapshotDeadline, deadline <= now.monotonic
    else { return false }
    guard case .stream = spaces[space]?.supply?.mode else { return true }
    spaces[present: space].members.snapshotDeadline =
      now.monotonic + 2 * Limits.joinStallMilliseconds
    return false
  }

  /// Asks for all of a space, to join it.
  mutating func askForSnapshot(of space: SpaceID) {
    _ = abandonCatchUp(of: space)
    spaces[space, default: SpaceLink()].request = .snapshotDue
    spaces[present: space].supply = nil
    history.spaces[space]?.request = .none
  }

  /// Whether a snapshot was asked for and is not whole yet.
  func isAskingForSnapshot(of space: SpaceID) -> Bool {
    switch spaces[space]?.request {
    case .snapshotDue, .snapshot: true
    default: false
    }
  }

  mutating func serveSnapshot(of space: SpaceID, at now: Now) {
    serve(space, since: VersionVector(), byIDs: true)
    spaces[present: space].members.snapshotDeadline =
      now.monotonic + 2 * Limits.joinStallMilliseconds
    spaces[present: space].members.givenUpIsDue = true
    spaces[present: space].members.isCutOff = false
    spaces[present: space].members.demandDue = nil
  }

  /// The members' vectors or the cut changed: the peer is told a little later.
  mutating func noteConfirmations(of space: SpaceID, at now: Now) {
    guard let index = spaces.index(of: space), spaces[at: index].theirs != nil,
      spaces[at: index].members.newsDue == nil
    else { return }
    spaces[at: index].members.newsDue = now.monotonic + Limits.membersDelayMilliseconds
  }

  /// What the peer showed is no news to it. Of what it has given up it sends no history.
  mutating func noteTold(_ confirmations: Confirmations, of space: SpaceID) {
    spaces[space]?.members.told.merge(confirmations)
    guard let link = history.spaces[space], case .sent(var reached) = link.request else { return }
    reached.merge(confirmations.cut)
    history.spaces[present: space].request =
      reached.covers(link.theirs) ? .none : .sent(reached: reached)
  }

  /// The peer is told at once how far the history was given up, even if it was told before.
  mutating func tellCut(of space: SpaceID) {
    spaces[space]?.members.told.cut = VersionVector()
    spaces[space]?.members.newsDue = 0
  }

  /// Whether an answer to a request for history is awaited.
  func awaitsHistory(of space: SpaceID) -> Bool {
    history.spaces[space].map { $0.request != .none } ?? false
  }

  /// The list of members, where it is not what the peer was shown last: it goes before the vector.
  mutating func nextMembers(of index: Int, _ state: SpaceState) -> Frame? {
    guard state.hasMembers else { return nil }
    let cells = state.memberCells
    let stamps = cells.map(\.stamp)
    guard spaces[at: index].members.toldList != stamps else { return nil }
    spaces[at: index].members.toldList = stamps
    return .members(spaces.keys[index], cells)
  }

  mutating func nextDemand(at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>) -> Frame? {
    for index in spaces.indices {
      if spaces[at: index].members.admissionIsDue {
        spaces[at: index].members.admissionIsDue = false
        return .admitted(spaces.keys[index])
      }
      if spaces[at: index].members.givenUpIsDue, let room = rooms.index(of: spaces.keys[index]) {
        spaces[at: index].members.givenUpIsDue = false
        return .snapshot(spaces.keys[index], rooms[at: room].state.givenUp)
      }
      guard let due = spaces[at: index].members.demandDue, due <= now.monotonic else { continue }
      spaces[at: index].members.demandDue = nil
      let space = spaces.keys[index]
      guard let room = rooms.index(of: space),
        let rank = MemberRank(
          rooms[at: room].state, of: local.replica,
          over: spaces[at: index].theirs ?? VersionVector())
      else { continue }
      return .join(space, rank)
    }
    return nil
  }

  mutating func nextConfirmations(at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>) -> Frame? {
    for index in spaces.indices {
      guard let due = spaces[at: index].members.newsDue, due <= now.monotonic,
        let room = rooms.index(of: spaces.keys[index])
      else { continue }
      spaces[at: index].members.newsDue = nil
      var known = rooms[at: room].members
      known.members[local.replica] = rooms[at: room].ownProgress(as: local.replica)
      if let peer { known.members[peer.replica] = nil }
      let news = known.news(beyond: spaces[at: index].members.told)
      guard !news.isEmpty else { continue }
      spaces[at: index].members.told.merge(news)
      return .confirmed(spaces.keys[index], news)
    }
    return nil
  }
}
