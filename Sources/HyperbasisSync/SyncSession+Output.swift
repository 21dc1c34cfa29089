import HyperbasisCore

extension SyncSession {
  /// The next frame for the peer; nil when there is nothing to send now.
  ///
  /// Order: greetings and requests, then whole changes of every space, then batches in turn, then
  /// the own vector of spaces where all else was sent, then histories, and a ping when nothing was
  /// sent for a while.
  package mutating func nextFrame(
    at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>, tuning: Tuning, takesBlobs: Bool = true
  ) -> Frame? {
    let frame = pull(at: now, rooms: rooms, tuning: tuning, takesBlobs: takesBlobs)
    if frame != nil { lastSent = now.monotonic }
    return frame
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
    // History that waits to be read is sent before maps.
    let takesBlobs = takesBlobs && !wantsHistoryRead(at: now)
    return nextHave(at: now, rooms: rooms, urgent: true) ?? nextWant() ?? nextChange(rooms: rooms)
      ?? nextBatch(rooms: rooms, budget: tuning.batchBytes)
      ?? nextHave(at: now, rooms: rooms, urgent: false)
      ?? nextHistoryRequest() ?? nextHistory(rooms: rooms)
      ?? nextMapFrame(
        at: now, rooms: rooms, partBytes: takesBlobs ? tuning.blobPartBytes : nil)
      ?? (now.monotonic >= lastSent + Limits.pingAfterMilliseconds ? .ping : nil)
  }

  private mutating func nextWant() -> Frame? {
    for (space, link) in zip(spaces.keys, spaces.values) {
      guard case .due(let since) = link.request else { continue }
      spaces[space]?.request = .sent
      return .want(space, since: since)
    }
    return nil
  }

  private mutating func nextHave(
    at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>, urgent: Bool
  ) -> Frame? {
    for (space, link) in zip(spaces.keys, spaces.values) {
      guard let due = link.haveDue, due <= now.monotonic, urgent == (due == 0),
        let room = rooms[space]
      else { continue }
      spaces[space]?.haveDue = nil
      let vectors = (state: room.state.vector, history: room.history)
      if let told = link.told, told == vectors { continue }
      spaces[space]?.told = vectors
      return .have(space, vectors.state, room.state.digest, history: vectors.history)
    }
    return nil
  }

  private mutating func nextChange(rooms: SortedMap<SpaceID, SpaceRoom>) -> Frame? {
    for (space, link) in zip(spaces.keys, spaces.values) {
      guard var supply = link.supply, case .live(var position) = supply.mode,
        let room = rooms[space]
      else { continue }
      defer { spaces[space]?.supply = supply }
      while position < room.recent.end {
        guard position >= room.recent.start else {
          supply.mode = .stream(base: supply.sent)
          break
        }
        let change = room.recent[position]
        let sent = supply.sent[change.dot.replica]
        if change.dot.sequence > sent + 1 {
          supply.mode = .stream(base: supply.sent)
          break
        }
        position += 1
        supply.mode = .live(position: position)
        if change.dot.sequence == sent + 1 {
          supply.sent[change.dot.replica] = change.dot.sequence
          return .change(space, change)
        }
      }
    }
    return nil
  }

  private mutating func nextBatch(
    rooms: SortedMap<SpaceID, SpaceRoom>, budget: Int
  ) -> Frame? {
    for step in 0..<spaces.count {
      let index = (turn + step) % spaces.count
      let space = spaces.keys[index]
      guard var supply = spaces.values[index].supply, case .stream(let base) = supply.mode,
        let room = rooms[space]
      else { continue }
      turn = index + 1
      let (cells, covers) = room.state.cells(after: supply.sent, budget: budget)
      let horizon = room.state.vector
      let batch = Batch(
        space: space, base: base, covers: covers, horizon: horizon, cells: cells)
      supply.sent = Defect.sentBeforeSent.isPlanted ? horizon : covers
      let isWhole = covers.covers(horizon)
      supply.mode = isWhole ? .live(position: room.recent.end) : .stream(base: nil)
      spaces[space]?.supply = supply
      return .batch(batch)
    }
    return nil
  }
}
