import HyperbasisCore

extension Engine {
  // MARK: Reading for peers

  /// What to read from the store for a link, to be given to ``supply(_:for:on:)`` or
  /// ``postpone(_:on:at:)``; nil while writes wait, or when nothing is to be read.
  ///
  /// A driver reads when all frames of the link were sent: at most one read of a link is under way or
  /// waits to be sent.
  package mutating func nextHistoryRead(for link: LinkID, at now: Now) -> HistoryRead? {
    guard wantsHistoryRead(for: link, at: now) else { return nil }
    let (rooms, bytes) = (rooms, tuning.batchBytes)
    return links[link]?.session.nextHistoryRead(at: now, rooms: rooms, bytes: bytes)
  }

  /// Whether ``nextHistoryRead(for:at:)`` has something to give.
  package func wantsHistoryRead(for link: LinkID, at now: Now) -> Bool {
    guard !hasWrites || Defect.historyBeforeDurable.isPlanted, let index = links.index(of: link)
    else { return false }
    return links[at: index].session.wantsHistoryRead(at: now)
  }

  /// Gives what was read. Links that ended meanwhile are ignored.
  ///
  /// Precondition: there is a change, and those of each replica follow `read.after` without a gap, up
  /// to `read.upTo` at most.
  package mutating func supply(_ changes: [Change], for read: HistoryRead, on link: LinkID) {
    var reached = read.after
    // What was given up meanwhile was not there any more.
    if let room = rooms.index(of: read.space) { reached.merge(rooms[at: room].members.cut) }
    precondition(
      !changes.isEmpty || reached.covers(read.upTo),
      "the read named changes that are in the store")
    for change in changes {
      let isNext = reached.covers(change.dot) || reached.extend(by: change.dot)
      precondition(isNext && read.upTo.covers(change.dot), "a history has no gap")
    }
    let cut = rooms[read.space]?.members.cut ?? VersionVector()
    links[link]?.session.supply(changes, for: read, cut: cut)
  }

  /// The store could not read: it is asked again after `Limits.historyRetryMilliseconds`. The peer
  /// hears nothing and asks another meanwhile.
  package mutating func postpone(_ read: HistoryRead, on link: LinkID, at now: Now) {
    links[link]?.session.pause(read, at: now)
  }

  // MARK: Asking peers

  /// Asks one peer for whole changes that are missing: only for what the state covers, and only
  /// where it has some, so that each request brings the history further.
  mutating func requestHistory(_ space: SpaceID, at now: Now) {
    guard let room = rooms.index(of: space), rooms[at: room].historyFrom == nil else { return }
    let known = rooms[at: room].history
    let most = rooms[at: room].state.vector
    guard known != most else { return }
    for index in links.indices
    where links[at: index].session.offersHistory(of: space, beyond: known, within: most)
      && isMember(links.keys[index], of: space)
    {
      rooms[at: room].historyFrom = (links.keys[index], now.monotonic)
      links[at: index].session.askHistory(of: space, since: known)
      return
    }
  }

  /// The link ended: another is asked.
  mutating func releaseHistory(_ space: SpaceID, from link: LinkID, at now: Now) {
    guard rooms[present: space].historyFrom?.link == link else { return }
    rooms[present: space].historyFrom = nil
    requestHistory(space, at: now)
  }

  /// Asks another peer where one has not answered for a while; a late answer is taken all the same.
  mutating func tickHistory(at now: Now) {
    for space in rooms.keys {
      guard let asked = rooms[present: space].historyFrom,
        now.monotonic >= asked.progress + Limits.catchUpStallMilliseconds
      else { continue }
      rooms[present: space].historyFrom = nil
      requestHistory(space, at: now)
    }
  }

  /// Takes a part of a peer's history: the changes that follow ours and that the state covers. What
  /// is known is skipped, what is beyond the state is asked for again once that has come so far.
  mutating func take(_ part: HistoryPart, on link: LinkID, at now: Now) throws(Farewell) {
    let space = part.space
    guard rooms[space] != nil, let peer = links[present: link].session.peer,
      isMember(link, of: space)
    else { return }
    let told: VersionVector
    do {
      guard let reached = try links[present: link].session.follow(part) else { return }
      told = reached
    } catch {
      if rooms[present: space].state.hasMembers {
        // The answer to a request that was given up as one side took the other for no member.
        return startOverHistory(of: space, on: link, at: now)
      }
      throw Farewell(.malformed, "the peer sent a history that does not fit: \(error)")
    }
    try check(told, of: space)
    var history = rooms[present: space].history
    let taken = try next(part.changes, of: space, after: &history)
    if rooms[present: space].historyFrom?.link == link {
      rooms[present: space].historyFrom = part.isLast ? nil : (link, now.monotonic)
    }
    if !taken.isEmpty {
      rooms[present: space].history = history
      note(Touched(), changes: taken, in: space, origin: .peer(peer.replica), at: now)
    }
    requestHistory(space, at: now)
  }

  private mutating func startOverHistory(of space: SpaceID, on link: LinkID, at now: Now) {
    links[present: link].session.forgetHistoryRequest(of: space)
    if rooms[present: space].historyFrom?.link == link { rooms[present: space].historyFrom = nil }
    requestHistory(space, at: now)
  }

  private func next(
    _ changes: [Change], of space: SpaceID, after history: inout VersionVector
  ) throws(Farewell) -> [Change] {
    let state = rooms[present: space].state
    var taken: [Change] = []
    for change in changes where state.vector.covers(change.dot) {
      guard history.extend(by: change.dot) else { continue }
      // Where it does not fit, one of the two was damaged or made up.
      guard state.holds(change) else {
        throw Farewell(
          .malformed,
          "the peer has another change \(change.dot.sequence) of \(change.dot.replica)")
      }
      taken.append(change)
    }
    return taken
  }

  /// How far a peer last said that its history of a space reaches; nil without an open link.
  package func history(of space: SpaceID, at replica: ReplicaID) -> VersionVector? {
    links.values.filter { $0.session.isOpen && $0.session.peer?.replica == replica }
      .compactMap { $0.session.history.spaces[space]?.theirs }.last
  }
}
