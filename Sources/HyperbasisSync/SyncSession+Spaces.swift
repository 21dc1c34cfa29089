import HyperbasisCore

/// What a session knows of one space.
struct SpaceLink: Sendable {
  /// How far the peer said that it is; nil when it does not have the space.
  var theirs: VersionVector?
  /// When to tell the peer our vector; 0 is at once.
  var haveDue: UInt64?
  /// The vectors last told.
  var told: (state: VersionVector, history: VersionVector)?
  var request = Request.none
  /// Whether the peer is to name all anchors by their ids, as one that it named by a write was not found.
  var needsIDs = false
  /// Whether it was told so by the last request.
  var askedForIDs = false
  var incoming: CatchUp?
  /// What an earlier catch-up gathered and our request continues: ours alone until the answer.
  var resumed: CatchUp?
  var supply: Supply?
  /// What the peer has of the space's map, and what it was told that we have.
  var theirMap: MapNews?
  var toldMap: MapNews?
  /// When to tell the peer what we have of the map.
  var mapDue: UInt64?
  var members = MemberLink()
  var routes = Routes()

  /// What we asked of the peer.
  enum Request: Equatable, Sendable {
    case none
    case due(since: VersionVector)
    case sent
    /// All of the space, to join it.
    case snapshotDue
    case snapshot
    /// The peer's catch-up is whole; every further change is pushed.
    case live
  }

  /// What the peer asked of us.
  struct Supply: Sendable {
    /// How far the peer is once it has read all that was sent.
    var sent: VersionVector
    var mode: Mode
    /// The vector by whose writes anchors are named: where the catch-up starts. Nil where the peer wants their ids.
    var namedWithin: VersionVector?

    enum Mode: Equatable, Sendable {
      /// `base` is where the catch-up starts, exactly as it was asked for; nil once it was told.
      case stream(base: VersionVector?)
      /// The position in `RecentChanges` of the next change to look at.
      case live(position: Int)
    }
  }
}

extension SpaceLink {
  /// The peer has this, so it is not sent. One that joins is sent all, since that takes the place of what it
  /// has.
  mutating func notePeerHas(_ vector: VersionVector) {
    if !members.isJoining { supply?.sent.merge(vector) }
  }
}

extension SyncSession {
  /// Tells the peer of a space on the next occasion.
  mutating func announce(_ space: SpaceID) {
    spaces[space, default: SpaceLink()].haveDue = 0
  }

  /// Tells the peer of a space on the next occasion, whatever it was told before.
  mutating func announceAnew(_ space: SpaceID) {
    guard let index = spaces.index(of: space) else { return }
    spaces[at: index].told = nil
    spaces[at: index].haveDue = 0
  }

  /// A vector of ours of the space advanced: the peer will be told when things are quiet.
  mutating func noteNews(
    of space: SpaceID, after delay: UInt64 = Limits.haveDelayMilliseconds, at now: Now
  ) {
    guard let index = spaces.index(of: space), spaces[at: index].theirs != nil,
      spaces[at: index].haveDue == nil
    else { return }
    spaces[at: index].haveDue = now.monotonic + delay
  }

  /// The peer told of the space for the first time: what came here since we told of it ourselves was
  /// not noted for the peer, and is told now.
  mutating func noteNewsSinceTold(
    of space: SpaceID, state: VersionVector, history: VersionVector, at now: Now
  ) {
    guard let index = spaces.index(of: space), let told = spaces[at: index].told,
      told != (state, history)
    else { return }
    noteNews(of: space, at: now)
  }

  /// The peer has this change, since it came from there.
  mutating func notePeerHas(_ dot: Dot, in space: SpaceID) {
    guard let index = spaces.index(of: space), !spaces[at: index].members.isJoining,
      let known = spaces[at: index].supply?.sent[dot.replica], known == dot.sequence - 1,
      !Defect.changesEchoed.isPlanted
    else { return }
    spaces[at: index].supply?.sent[dot.replica] = dot.sequence
  }

  /// The peer's vector where it has the space and nothing was asked of it yet.
  @inline(__always)  // Called in place, a session is not copied to be asked.
  func unaskedVector(of space: SpaceID) -> VersionVector? {
    guard isOpen, let index = spaces.index(of: space), spaces[at: index].request == .none
    else { return nil }
    return spaces[at: index].theirs
  }

  func vector(of space: SpaceID) -> VersionVector? {
    spaces.index(of: space).flatMap { spaces[at: $0].theirs }
  }

  var announcedSpaces: [SpaceID] {
    zip(spaces.keys, spaces.values).filter { $0.1.theirs != nil }.map(\.0)
  }

  func isLive(_ space: SpaceID) -> Bool {
    spaces.index(of: space).map { spaces[at: $0].request == .live } ?? false
  }

  mutating func ask(for space: SpaceID, since: VersionVector) {
    spaces[space, default: SpaceLink()].request = .due(since: since)
  }

  /// Asks for what lies beyond an interrupted catch-up.
  mutating func ask(for space: SpaceID, continuing gathered: CatchUp) {
    ask(for: space, since: gathered.covers)
    spaces[space]?.resumed = gathered
  }

  /// Forgets what was asked, so that it will be asked again; returns what was gathered.
  mutating func unask(_ space: SpaceID) -> CatchUp? {
    spaces[space]?.request = .none
    return abandonCatchUp(of: space)
  }

  mutating func serve(_ space: SpaceID, since: VersionVector, byIDs: Bool) {
    spaces[space, default: SpaceLink()].supply = SpaceLink.Supply(
      sent: since, mode: .stream(base: since), namedWithin: byIDs ? nil : since)
  }

  /// Takes an interrupted catch-up out, for another session to continue. Nobody continues a snapshot.
  mutating func abandonCatchUp(of space: SpaceID) -> CatchUp? {
    defer {
      spaces[space]?.incoming = nil
      spaces[space]?.resumed = nil
    }
    if isAskingForSnapshot(of: space) { return nil }
    return spaces[space]?.incoming ?? spaces[space]?.resumed
  }

  /// What came of a batch.
  enum Gathered {
    /// More has to come first.
    case part
    case whole(Delta)
    /// An anchor that the peer named by a write was not found: it is to be asked anew, for ids from now on.
    case notFound
  }

  /// Adds a batch; gives the delta when the catch-up is whole.
  ///
  /// A batch that was not asked for, or that belongs to what was given up meanwhile, is ignored: the
  /// answer to the last request follows it.
  /// - Throws: `CatchUpError` when it does not continue what came before.
  mutating func gather(
    _ batch: Batch, over state: SpaceState
  ) throws(CatchUpError) -> Gathered {
    switch spaces[batch.space]?.request {
    // A snapshot that is to be asked for anew may be on its way already.
    case .sent, .live, .snapshot, .snapshotDue: break
    case .none?, .due, nil: return .part
    }
    if batch.cells.hasUntold, spaces[batch.space]?.askedForIDs == true,
      !isAskingForSnapshot(of: batch.space)
    {
      // It was on its way when ids were asked for: it answers what was asked before.
      return spaces[batch.space]?.incoming == nil ? .part : .notFound
    }
    // Taken out, so that appending does not copy what was gathered before.
    var current = spaces[batch.space]?.incoming.take()
    if let base = batch.base {
      current = begin(at: base, horizon: batch.horizon, in: batch.space, known: state.vector)
    }
    guard var catchUp = current.take() else { return .part }
    guard try catchUp.append(batch, over: state) else {
      spaces[batch.space]?.needsIDs = !Defect.idsNotAskedFor.isPlanted
      return .notFound
    }
    guard catchUp.isWhole else {
      spaces[batch.space]?.incoming = catchUp
      return .part
    }
    spaces[batch.space]?.request = .live
    spaces[batch.space]?.notePeerHas(catchUp.horizon)
    return .whole(catchUp.delta)
  }

  /// The catch-up that a first batch continues or begins; nil when it begins beyond what is here.
  private mutating func begin(
    at base: VersionVector, horizon: VersionVector, in space: SpaceID, known: VersionVector
  ) -> CatchUp? {
    if let resumed = spaces[space]?.resumed, resumed.covers == base,
      horizon.covers(resumed.horizon) || Defect.resumedAnywhere.isPlanted
    {
      return spaces[space]?.resumed.take()
    }
    return known.covers(base) ? CatchUp(base: base) : nil
  }
}
