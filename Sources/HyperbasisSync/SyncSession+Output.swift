import HyperbasisCore

extension SyncSession {
  /// The next frame for the peer, encoded; nil when there is nothing to send now.
  ///
  /// Order: greetings and requests, then whole changes of every space, then batches in turn, then
  /// the own vector of spaces where all else was sent, then histories, and a ping when nothing was
  /// sent for a while.
  package mutating func nextFrame(
    at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>, tuning: Tuning, takesBlobs: Bool = true
  ) -> [UInt8]? {
    guard let frame = pull(at: now, rooms: rooms, tuning: tuning, takesBlobs: takesBlobs) else {
      return nil
    }
    lastSent = now.monotonic
    return encode(frame)
  }

  private mutating func pull(
    at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>, tuning: Tuning, takesBlobs: Bool
  ) -> Frame? {
    if helloIsDue {
      helloIsDue = false
      return .hello(local)
    }
    if let farewell {
      self.farewell = nil
      return .bye(farewell)
    }
    guard isOpen else { return nil }
    if let frame = nextHave(at: now, rooms: rooms, urgent: true) ?? nextWant()
      ?? nextDemand(at: now, rooms: rooms) ?? nextDirect(at: now) ?? nextChange(rooms: rooms)
    {
      return frame
    }
    // History that waits to be read is sent before maps.
    let takesBlobs = takesBlobs && !wantsHistoryRead(at: now)
    return nextBatch(rooms: rooms, budget: tuning.batchBytes)
      ?? nextHave(at: now, rooms: rooms, urgent: false)
      ?? nextConfirmations(at: now, rooms: rooms) ?? nextHistoryRequest() ?? nextHistory(
        at: now, rooms: rooms)
      ?? nextMapFrame(
        at: now, rooms: rooms, partBytes: takesBlobs ? tuning.blobPartBytes : nil)
      ?? (now.monotonic >= lastSent + Limits.pingAfterMilliseconds ? .ping : nil)
  }

  private mutating func nextWant() -> Frame? {
    for index in spaces.indices {
      switch spaces[at: index].request {
      case .due(let since):
        spaces[at: index].request = .sent
        // What another peer sent is no part of the state, in which anchors are found.
        let byIDs = spaces[at: index].needsIDs || spaces[at: index].resumed != nil
        spaces[at: index].askedForIDs = byIDs
        return .want(spaces.keys[index], since: since, byIDs: byIDs)
      case .snapshotDue:
        spaces[at: index].request = .snapshot
        return .wantSnapshot(spaces.keys[index])
      case .none, .sent, .snapshot, .live: continue
      }
    }
    return nil
  }

  private mutating func nextHave(
    at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>, urgent: Bool
  ) -> Frame? {
    for index in spaces.indices {
      let space = spaces.keys[index]
      guard let due = spaces[at: index].haveDue, due <= now.monotonic, urgent == (due == 0),
        let room = rooms.index(of: space)
      else { continue }
      if let members = nextMembers(of: index, rooms[at: room].state) { return members }
      spaces[at: index].haveDue = nil
      let vectors = (state: rooms[at: room].state.vector, history: rooms[at: room].history)
      if let told = spaces[at: index].told, told == vectors { continue }
      spaces[at: index].told = vectors
      return .have(
        space, vectors.state, rooms[at: room].state.digest, history: vectors.history)
    }
    return nil
  }

  private mutating func nextChange(rooms: SortedMap<SpaceID, SpaceRoom>) -> Frame? {
    for index in spaces.indices {
      guard case .live(let position) = spaces[at: index].supply?.mode,
        let room = rooms.index(of: spaces.keys[index]),
        position < rooms[at: room].recent.end,
        let change = spaces[at: index].nextChange(
          of: rooms[at: room].recent, upTo: rooms[at: room].state.vector)
      else { continue }
      return .change(spaces.keys[index], change)
    }
    return nil
  }

  private mutating func nextBatch(
    rooms: SortedMap<SpaceID, SpaceRoom>, budget: Int
  ) -> Frame? {
    for step in 0..<spaces.count {
      let index = (turn + step) % spaces.count
      let space = spaces.keys[index]
      guard case .stream(let base) = spaces[at: index].supply?.mode,
        let room = rooms.index(of: space)
      else { continue }
      turn = index + 1
      let sent = spaces[at: index].supply!.sent
      let part = rooms[at: room].state.part(after: sent, budget: budget)
      let horizon = rooms[at: room].state.vector
      let known = spaces[at: index].supply!.namedWithin
      let names = known.flatMap { WriteNamer(of: part, of: rooms[at: room].state, within: $0) }
      let batch = Batch(
        space: space, base: base, covers: part.covers, horizon: horizon, cells: part.cells,
        names: names)
      let isWhole = part.covers.covers(horizon)
      spaces[at: index].supply = SpaceLink.Supply(
        sent: Defect.sentBeforeSent.isPlanted ? horizon : part.covers,
        mode: isWhole ? .live(position: rooms[at: room].recent.end) : .stream(base: nil),
        namedWithin: known)
      return .batch(batch)
    }
    return nil
  }
}

extension SpaceLink {
  /// The next change that the peer does not have, and does not get from its author. Where changes are missing before it,
  /// a catch-up goes on instead, and there is none.
  ///
  /// Precondition: the peer is sent changes as they come.
  fileprivate mutating func nextChange(
    of recent: RecentChanges, upTo vector: VersionVector
  ) -> Change? {
    guard case .live(var position) = supply?.mode else { return nil }
    while position < recent.end {
      guard position >= recent.start else { break }
      let dot = recent[position].dot
      let known = supply!.sent[dot.replica]
      guard dot.sequence <= known + 1 else { break }
      position += 1
      supply!.mode = .live(position: position)
      guard dot.sequence == known + 1 else { continue }
      supply!.sent[dot.replica] = dot.sequence
      if routes.theirs.isEmpty || !routes.theirs.contains(dot.replica) {
        return recent[position - 1]
      }
    }
    if position < recent.end { catchUp(to: vector, at: recent.end) }
    return nil
  }

  /// Goes on with a catch-up, from what the peer is sure to have: what it gets from its authors may be under way. If that is
  /// all, there is nothing to send.
  private mutating func catchUp(to vector: VersionVector, at position: Int) {
    var sent = supply!.sent
    for author in routes.theirs { sent[author] = vector[author] }
    if sent.covers(vector) {
      supply!.sent = sent
      supply!.mode = .live(position: position)
      return
    }
    for author in routes.theirs {
      supply!.sent[author] = min(supply!.sent[author], theirs?[author] ?? 0)
    }
    supply!.mode = .stream(base: supply!.sent)
    if supply!.namedWithin != nil { supply!.namedWithin = supply!.sent }
  }
}
