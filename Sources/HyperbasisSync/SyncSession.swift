import HyperbasisCore

/// The time as the driver reads it: the engine has no clock of its own.
package struct Now: Sendable {
  /// Milliseconds that never go back, for timers.
  package var monotonic: UInt64
  /// Milliseconds since 1970, for timestamps.
  package var wall: UInt64
  /// 256ths of a millisecond beyond `wall`, from clocks that tell.
  package var fraction: UInt8

  package init(monotonic: UInt64, wall: UInt64, fraction: UInt8 = 0) {
    self.monotonic = monotonic
    self.wall = wall
    self.fraction = fraction
  }

  /// A stamp beyond this one is too far ahead.
  var clockBound: Timestamp { timestamp(after: Limits.clockAheadMilliseconds) }

  /// The last stamp that stays as it is where others are written anew.
  package var renewalBound: Timestamp { timestamp(after: Limits.renewalKeptMilliseconds) }

  /// Of a clock that is itself far in the future there is room for later ones.
  private func timestamp(after milliseconds: UInt64) -> Timestamp {
    Timestamp(milliseconds: min(wall, 1 << 47) + milliseconds, counter: .max)
  }
}

/// The protocol on one link: a value without I/O.
///
/// Bytes go in by ``receive(_:at:)`` and come out as actions of ``next(at:)``; what is to be sent is
/// pulled with ``nextFrame(at:rooms:)``, so a slow reader costs no memory here. All spaces share the
/// link. Nothing of it is remembered when the link ends: the next one starts from version vectors.
package struct SyncSession: Sendable {
  package enum Phase: Equatable, Sendable {
    /// The peer has not introduced itself.
    case greeting
    case open
    case ended(Farewell)
  }

  package private(set) var phase = Phase.greeting
  /// Who is there, once it introduced itself; also after the end.
  package private(set) var peer: Hello?
  package let opened: UInt64
  let local: Hello
  private var decoder = FrameDecoder(limit: Limits.helloBytes)
  private var encoder = FrameEncoder()
  var spaces = SortedMap<SpaceID, SpaceLink>()
  var history = HistoryExchange()
  var blobs = BlobLane()

  private(set) var lastReceived: UInt64
  var lastSent: UInt64
  /// Spaces that the peer told of.
  private var announced = 0
  var helloIsDue = true
  var farewell: Farewell?
  /// Which space may send the next batch, so that they take turns.
  var turn = 0

  package init(local: Hello, at now: Now) {
    self.local = local
    opened = now.monotonic
    lastReceived = now.monotonic
    lastSent = now.monotonic
  }

  /// What a received frame asks of the engine.
  package enum Action: Equatable, Sendable {
    case none
    case opened(Hello)
    case announced(SpaceID, VersionVector, Digest)
    case wanted(SpaceID, since: VersionVector, byIDs: Bool)
    case batch(Batch)
    case change(SpaceID, Change)
    case wantedHistory(SpaceID, since: VersionVector)
    case history(HistoryPart)
    case farewell(Farewell)
    case wantedBlob(BlobName)
    case blob(BlobName, BlobBody)
    case noBlob(BlobName)
    case map(SpaceID)
    case demanded(SpaceID, MemberRank)
    case admitted(SpaceID)
    case wantedSnapshot(SpaceID)
    case confirmed(SpaceID, Confirmations)
  }

  // MARK: Inputs

  /// After the end nothing is kept of what comes in.
  package mutating func receive(_ bytes: [UInt8], at now: Now) {
    if case .ended = phase { return }
    lastReceived = now.monotonic
    decoder.append(bytes)
  }

  /// Takes one frame out of what was received; nil when there is no whole one.
  ///
  /// - Throws: `Farewell` when the peer broke the protocol; the session has then ended with it.
  package mutating func next(at now: Now) throws(Farewell) -> Action? {
    if case .ended = phase { return nil }
    let received: Frame?
    do {
      received = try decoder.next()
    } catch {
      throw end(Farewell(.malformed, "the peer sent what cannot be read: \(error)"))
    }
    guard let frame = received else { return nil }
    do { return try transition(frame, at: now) } catch { throw end(error) }
  }

  /// A frame for the peer as bytes. They have to be sent before those of the next.
  mutating func encode(_ frame: Frame) -> [UInt8] {
    encoder.encode(frame)
  }

  /// Ends the session from this side; the farewell is sent if the link still can.
  @discardableResult
  package mutating func end(_ farewell: Farewell) -> Farewell {
    if case .ended = phase { return farewell }
    phase = .ended(farewell)
    self.farewell = farewell
    return farewell
  }

  /// - Throws: `Farewell` when the peer was silent for too long.
  package mutating func tick(at now: Now) throws(Farewell) {
    switch phase {
    case .ended: return
    case .greeting:
      guard now.monotonic >= opened + Limits.helloMilliseconds else { return }
      throw end(Farewell(.silent, "no greeting came in time"))
    case .open:
      guard now.monotonic >= lastReceived + Limits.silenceMilliseconds,
        !Defect.silenceIgnored.isPlanted
      else { return }
      throw end(Farewell(.silent, "nothing was heard for \(Limits.silenceMilliseconds) ms"))
    }
  }

  /// When ``tick(at:)`` has something to do without other input.
  @inline(__always)  // Called in place, a session is not copied to be asked.
  package var nextTick: UInt64? {
    SyncSession.nextTick(phase, opened: opened, lastReceived: lastReceived)
  }

  /// The same of a session of which this is known.
  @inline(__always)
  static func nextTick(_ phase: Phase, opened: UInt64, lastReceived: UInt64) -> UInt64? {
    switch phase {
    case .ended: nil
    case .greeting: opened + Limits.helloMilliseconds
    case .open: lastReceived + Limits.silenceMilliseconds
    }
  }

  /// When ``nextFrame(at:rooms:tuning:)`` has something to give without other input.
  @inline(__always)
  package var nextOutput: UInt64? {
    guard isOpen else { return nil }
    var next = lastSent + Limits.pingAfterMilliseconds
    for index in spaces.indices {
      next = min(
        next, spaces[at: index].haveDue ?? .max, spaces[at: index].mapDue ?? .max,
        spaces[at: index].members.newsDue ?? .max, spaces[at: index].members.demandDue ?? .max,
        spaces[at: index].routes.due ?? .max)
    }
    return next
  }

  @inline(__always)
  package var isOpen: Bool { phase == .open }

  /// Whether everything that an ended session had to say was pulled.
  @inline(__always)
  package var isFinished: Bool {
    if case .ended = phase { farewell == nil } else { false }
  }

  private mutating func transition(_ frame: Frame, at now: Now) throws(Farewell) -> Action {
    switch (phase, frame) {
    case (_, .bye(let farewell)):
      phase = .ended(farewell)
      return .farewell(farewell)
    case (.greeting, .hello(let hello)):
      try check(hello)
      phase = .open
      peer = hello
      decoder.limit = Limits.frameBytes
      return .opened(hello)
    case (.open, .have(let space, let vector, let digest, let history)):
      let known = spaces.index(of: space)
      if known.map({ spaces[at: $0].theirs == nil }) ?? true { announced += 1 }
      guard announced <= Limits.spaces else {
        throw Farewell(.malformed, "more than \(Limits.spaces) spaces announced")
      }
      spaces[space, default: SpaceLink()].theirs = vector
      spaces[present: space].notePeerHas(vector)
      if Defect.haveIsAnswered.isPlanted {
        (spaces[space]!.told, spaces[space]!.haveDue) = (nil, 0)
      }
      self.history.spaces[space, default: HistoryLink()].theirs = history
      return .announced(space, vector, digest)
    case (.open, .want(let space, let since, let byIDs)):
      return .wanted(space, since: since, byIDs: byIDs)
    case (.open, .batch(let batch)):
      if let last = batch.cells.lastTimestamp { try check(last, at: now) }
      return .batch(batch)
    case (.open, .change(let space, let change)):
      try check(change.stamp.timestamp, at: now)
      return .change(space, change)
    case (.open, .wantHistory(let space, let since)): return .wantedHistory(space, since: since)
    case (.open, .history(let part)):
      for change in part.changes { try check(change.stamp.timestamp, at: now) }
      return .history(part)
    case (.open, .ping): return .none
    case (.open, .wantBlob(let name)): return .wantedBlob(name)
    case (.open, .blob(let hash, let part)):
      return try blobs.gather(part, of: hash, at: now).map { .blob($0, $1) } ?? .none
    case (.open, .noBlob(let hash)):
      return blobs.answered(hash, at: now).map { .noBlob($0) } ?? .none
    case (.open, .map(let space, let news)):
      noteTheirMap(news, of: space)
      return .map(space)
    case (.open, .members(let space, let cells)):
      for cell in cells { try check(cell.stamp.timestamp, at: now) }
      spaces[space]?.members.shown = cells
      return .none
    case (.open, .join(let space, let rank)): return .demanded(space, rank)
    case (.open, .admitted(let space)): return .admitted(space)
    case (.open, .wantSnapshot(let space)): return .wantedSnapshot(space)
    case (.open, .snapshot(let space, let givenUp)):
      try check(givenUp.last, at: now)
      spaces[space]?.members.givenUp = givenUp
      return .none
    case (.open, .direct(let space, let replicas)):
      spaces[space]?.routes.theirs = Set(replicas)
      return .none
    case (.open, .confirmed(let space, let confirmations)): return .confirmed(space, confirmations)
    case (.greeting, _): throw Farewell(.malformed, "the peer did not introduce itself first")
    case (.open, .hello): throw Farewell(.malformed, "the peer introduced itself twice")
    case (.ended, _): return .none
    }
  }

  private func check(_ hello: Hello) throws(Farewell) {
    guard hello.replica != local.replica else {
      if hello.incarnation == local.incarnation { throw Farewell(.ownself, "this is myself") }
      throw Farewell(
        .identity, "\(hello.name.shown) runs on a copy of the store of \(local.name.shown)")
    }
    guard hello.versions.overlaps(local.versions) else {
      let theirs = "\(hello.versions.lowerBound)-\(hello.versions.upperBound)"
      let mine = "\(local.versions.lowerBound)-\(local.versions.upperBound)"
      let who = hello.versions.lowerBound > local.versions.upperBound ? "newer" : "older"
      throw Farewell(
        .version, "\(hello.name.shown) is \(who): it speaks protocol \(theirs), this peer \(mine)")
    }
  }

  private func check(_ timestamp: Timestamp, at now: Now) throws(Farewell) {
    guard timestamp > now.clockBound, !Defect.clockBoundIgnored.isPlanted
    else { return }
    let seconds = (timestamp.milliseconds - min(now.wall, 1 << 47)) / 1_000
    throw Farewell(
      .clock, "the clocks differ: \((peer?.name ?? "").shown) sent an edit \(seconds) s ahead")
  }
}
