import HyperbasisCore

extension SyncSession {
  // MARK: Asking

  /// Whether the peer's history has a change that `known` lacks and `state` covers, and the peer was
  /// not asked yet.
  @inline(__always)  // Called in place, a session is not copied to be asked.
  func offersHistory(
    of space: SpaceID, beyond known: VersionVector, within state: VersionVector
  ) -> Bool {
    guard isOpen, let index = history.spaces.index(of: space),
      case .none = history.spaces[at: index].request
    else { return false }
    return known.lacksAny(of: history.spaces[at: index].theirs, and: state)
  }

  mutating func askHistory(of space: SpaceID, since: VersionVector) {
    history.spaces[space, default: HistoryLink()].request = .due(since: since)
    history.hasRequests = true
  }

  /// Follows the answer to a request; returns how far that and the answer reach together, nil for a
  /// part that was not asked for.
  ///
  /// - Throws: `HistoryError` when a part does not continue the one before it.
  mutating func follow(_ part: HistoryPart) throws(HistoryError) -> VersionVector? {
    guard let link = history.spaces[part.space], case .sent(var reached) = link.request else {
      return nil
    }
    for change in part.changes {
      guard reached.covers(change.dot) || reached.extend(by: change.dot) else {
        throw .gap(change.dot)
      }
      guard reached.entries.count <= Limits.replicas else { throw .tooManyReplicas }
    }
    if part.isLast && !reached.covers(link.theirs) { throw .endsEarly }
    history.spaces[present: part.space].request = part.isLast ? .none : .sent(reached: reached)
    return reached
  }

  mutating func nextHistoryRequest() -> Frame? {
    guard history.hasRequests else { return nil }
    for index in history.spaces.indices {
      guard case .due(let since) = history.spaces[at: index].request else { continue }
      history.spaces[at: index].request = .sent(reached: since)
      return .wantHistory(history.spaces.keys[index], since: since)
    }
    history.hasRequests = false
    return nil
  }

  // MARK: Answering

  /// Answers a request from now on; an earlier one for the space is forgotten.
  ///
  /// A peer that asks for what was given up, which is what `cut` covers, is told so first.
  mutating func serveHistory(
    of space: SpaceID, since asked: VersionVector, known: VersionVector, cut: VersionVector
  ) {
    var since = asked
    since.merge(cut)
    if since != asked { tellCut(of: space) }

    if history.reading?.space == space {
      history.reading = nil
      history.supplied = nil
    }
    // A request for nothing is not answered: a part has at least one change.
    let isAnswered = !since.covers(known)
    history.spaces[space, default: HistoryLink()].supply =
      isAnswered ? HistoryLink.Supply(sent: since) : nil
    history.hasSupplies = history.hasSupplies || isAnswered
  }

  /// What to read next; nil while an earlier read is under way or waits to be sent.
  mutating func nextHistoryRead(
    at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>, bytes: Int
  ) -> HistoryRead? {
    guard wantsHistoryRead(at: now) else { return nil }
    let count = history.spaces.count
    for step in 0..<count {
      let index = (history.turn + step) % count
      let space = history.spaces.keys[index]
      guard let supply = history.spaces[at: index].supply,
        supply.pausedUntil <= now.monotonic
      else { continue }
      guard let room = rooms[space] else {
        history.spaces[present: space].supply = nil
        continue
      }
      history.turn = index + 1
      var after = supply.sent
      after.merge(room.members.cut)
      if after != supply.sent { tellCut(of: space) }
      guard !after.covers(room.history) else {
        history.spaces[present: space].supply = nil
        continue
      }
      let read = HistoryRead(space: space, after: after, upTo: room.history, bytes: bytes)
      history.reading = read
      return read
    }
    return nil
  }

  /// Whether ``nextHistoryRead(at:rooms:bytes:)`` has something to give.
  @inline(__always)
  func wantsHistoryRead(at now: Now) -> Bool {
    guard history.hasSupplies, isOpen, history.reading == nil else { return false }
    return history.spaces.indices.contains { index in
      history.spaces[at: index].supply.map { $0.pausedUntil <= now.monotonic } ?? false
    }
  }

  /// Takes what was read; of a read that is not wanted any more it is dropped.
  mutating func supply(_ changes: [Change], for read: HistoryRead, cut: VersionVector) {
    guard isOpen, history.reading == read, history.supplied == nil else { return }
    let changes = changes.filter { !cut.covers($0.dot) }
    if !read.after.covers(cut) { tellCut(of: read.space) }
    guard !changes.isEmpty else {
      // All of it was given up meanwhile: the next read says what is left.
      history.reading = nil
      return
    }
    history.supplied = changes
  }

  /// Reads again after a while.
  mutating func pause(_ read: HistoryRead, at now: Now) {
    guard history.reading == read, history.supplied == nil else { return }
    history.reading = nil
    history.spaces[read.space]?.supply?.pausedUntil =
      now.monotonic + Limits.historyRetryMilliseconds
  }

  mutating func nextHistory(at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>) -> Frame? {
    if let space = history.reading?.space, history.supplied != nil,
      let cut = rooms[space]?.members.cut, let link = spaces[space],
      !link.members.told.cut.covers(cut)
    {
      // A part that skips what was given up meanwhile has no gap for who knows.
      tellCut(of: space)
      return nextConfirmations(at: now, rooms: rooms)
    }
    guard let read = history.reading, let changes = history.supplied.take() else { return nil }
    history.reading = nil
    guard let supply = history.spaces[read.space]?.supply, let room = rooms[read.space] else {
      return nil
    }
    var sent = supply.sent
    sent.merge(read.after)
    sent.merge(room.members.cut)
    for change in changes { sent[change.dot.replica] = change.dot.sequence }
    let isLast = sent.covers(room.history)
    history.spaces[present: read.space].supply = isLast ? nil : HistoryLink.Supply(sent: sent)
    if isLast { history.hasSupplies = history.spaces.values.contains { $0.supply != nil } }
    return .history(HistoryPart(space: read.space, changes: changes, isLast: isLast))
  }
}
