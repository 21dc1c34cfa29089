import HyperbasisCore

/// The name of a link, given by the driver.
package struct LinkID: Hashable, Comparable, Sendable {
  package let raw: UInt64

  package init(_ raw: UInt64) {
    self.raw = raw
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.raw < right.raw
  }
}

/// One space as the engine holds it.
package struct SpaceRoom: Sendable {
  package internal(set) var state: SpaceState
  package internal(set) var recent: RecentChanges
  /// How far the whole changes are known; the state's vector covers it.
  package internal(set) var history: VersionVector
  /// The link that is asked for what is missing: one at a time.
  var catchUpFrom: (link: LinkID, progress: UInt64)?
  /// What an interrupted catch-up had gathered.
  var orphan: CatchUp?
  /// The link that is asked for whole changes: one at a time.
  var historyFrom: (link: LinkID, progress: UInt64)?
  var map = MapRoom()
  /// What members are known to have; `cut` is how far the own history was given up.
  package internal(set) var members = Confirmations()
  var retention: RetentionRoom
  /// The link that is asked for a snapshot: one at a time.
  package internal(set) var joining: (link: LinkID, progress: UInt64)?
  /// The snapshots that took the place of the state since the start.
  package internal(set) var joins = Joins()

  init(_ space: StoredSpace, tuning: Tuning) {
    state = space.state
    history = space.history
    members.cut = space.cut
    retention = RetentionRoom(marks: space.marks)
    // What waited when the store was closed is looked at first.
    if space.state.hasMembers { retention.due = 0 }
    recent = RecentChanges(limit: tuning.recentBytes)
  }
}

/// Sizes that only the speed of the engine depends on; tests make them small to reach every path.
package struct Tuning: Equatable, Sendable {
  /// Bytes at which a batch of a delta is closed.
  package var batchBytes = Limits.batchBytes
  /// Bytes of recent whole changes kept per space for live peers.
  package var recentBytes = Limits.recentBytes
  /// Bytes of the chunks of maps: another number is another form, which only tests may speak.
  package var mapChunkBytes = Limits.mapChunkBytes
  /// Bytes of a blob in one frame.
  package var blobPartBytes = Limits.blobPartBytes

  package init() {}
}

/// A replica with its spaces and its links: a value without I/O, clock or random source.
///
/// A driver feeds it and pulls from it in turns:
///
/// ```swift
/// try engine.edit(space, [.name("Kitchen")], at: now)       // or receive, open, close, tick
/// if let writes = engine.takeWrites() { try store.commit(writes); engine.committed() }
/// while let event = engine.nextEvent() { ... }
/// while let bytes = engine.nextFrame(for: link, at: now) { ... }
/// ```
///
/// Invariant: nothing is told to a peer or an observer before it is durable, so events and frames
/// are not given out while writes wait. When they cannot be made durable, ``rollBack(to:reason:at:)``.
package struct Engine: Sendable {
  package let local: Hello
  package let tuning: Tuning
  /// The spaces that are held.
  package internal(set) var rooms = SortedMap<SpaceID, SpaceRoom>() {
    didSet { stirs.count += 1 }
  }
  var links = SortedMap<LinkID, LinkRoom>()
  private var stirs = Stirs()
  var clock: HybridClock
  /// The monotonic milliseconds at which a peer last refused a stamp of ours as too far ahead.
  var refusedForClock: UInt64?
  /// When a renewal may begin, until the clock was there.
  var holdDeadline: UInt64?
  var held: [HeldRequest] = []
  /// When to look whether what is to come from its authors did.
  var directDeadline: UInt64?
  var blobs = BlobDesk()
  private var events: [Event] = []
  /// How many of the events were given out.
  private var toldEvents = 0
  var pending = SortedMap<SpaceID, PendingWrites>()
  private(set) var isCommitting = false
  /// Spaces of which observers want to be told what they became; see ``watch(_:)``.
  private var watched: [SpaceID] = []

  /// Peers whose last open link was ended for another that is still being greeted, with the monotonic
  /// milliseconds at which they count as gone if it does not come about.
  var changingLinks = SortedMap<ReplicaID, (peer: Peer, deadline: UInt64)>()

  struct LinkRoom: Sendable {
    /// Whatever changes it may give it something to send.
    var session: SyncSession {
      didSet { rest = Rest() }
    }
    /// Whether observers were told that the link ended.
    var isReported = false
    fileprivate var rest = Rest()

    init(session: SyncSession) {
      self.session = session
    }

    /// The next frame; nil is remembered.
    fileprivate mutating func nextFrame(
      at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>, stirs: Stirs, tuning: Tuning,
      takesBlobs: Bool
    ) -> [UInt8]? {
      if rest.since == stirs, now.monotonic < rest.until { return nil }
      let frame = session.nextFrame(at: now, rooms: rooms, tuning: tuning, takesBlobs: takesBlobs)
      if frame == nil, takesBlobs { rest = Rest(since: stirs, until: session.nextOutput ?? .max) }
      return frame
    }

    /// When the session is to be looked at again, for its frames only where they are taken.
    @inline(__always)  // Called in place, a session is not copied to be asked.
    fileprivate func nextDeadline(stirs: Stirs, isSending: Bool) -> UInt64 {
      let tick = session.nextTick ?? .max
      guard isSending else { return tick }
      return min(tick, rest.since == stirs ? rest.until : session.nextOutput ?? .max)
    }
  }

  /// How often rooms were changed.
  struct Stirs: Equatable, Sendable {
    var count: UInt64 = 0
  }

  /// When a session was last found to have nothing to send: it has not until it or a room is changed, or
  /// until a time in monotonic milliseconds. It saves looking, and means nothing else.
  struct Rest: Sendable {
    var since = Stirs(count: .max)
    var until: UInt64 = 0
  }

  struct PendingWrites: Sendable {
    var touched = Touched()
    var changes: [Change] = []
    /// The slot numbers of anchors that are no more.
    var removed: [Int] = []
    /// Whether there are other marks of what all members had.
    var hasMarks = false

    mutating func note(_ touched: Touched, _ changes: [Change]) {
      self.touched.formUnion(touched)
      self.changes.append(contentsOf: changes)
    }
  }

  package init(local: Hello, spaces: [StoredSpace] = [], tuning: Tuning = Tuning()) {
    self.local = local
    self.tuning = tuning
    let known = Defect.clockForgottenAtStart.isPlanted ? [] : spaces
    clock = HybridClock(last: known.map(\.state.lastTimestamp).max() ?? .zero)
    for space in spaces { rooms[space.state.id] = SpaceRoom(space, tuning: tuning) }
    watchMaps()
  }

  // MARK: Spaces

  /// Starts to hold a space, empty until a peer or an edit fills it. Idempotent.
  package mutating func join(_ space: SpaceID, at now: Now) {
    guard rooms[space] == nil else { return }
    let empty = StoredSpace(state: SpaceState(id: space), history: VersionVector())
    rooms[space] = SpaceRoom(empty, tuning: tuning)
    pending[space, default: PendingWrites()].touched.formUnion(Touched())
    for link in links.keys where !Defect.joinNotAnnounced.isPlanted {
      links[link]?.session.announce(space)
    }
    requestMissing(space, at: now)
  }

  // MARK: Durability

  /// What must be made durable before the turn's events and frames come out; nil when nothing.
  package mutating func takeWrites() -> [SpaceWrites]? {
    precondition(!isCommitting, "one turn at a time")
    guard !pending.isEmpty else { return nil }
    isCommitting = true
    return pending.indices.map { index in
      let room = rooms.index(of: pending.keys[index])!
      var taken = rooms[at: room].state.writes(
        touched: pending[at: index].touched, history: rooms[at: room].history,
        changes: pending[at: index].changes, removed: pending[at: index].removed,
        cut: rooms[at: room].members.cut)
      if pending[at: index].hasMarks { taken.marks = rooms[at: room].retention.marks }
      return taken
    }
  }

  package mutating func committed() {
    precondition(isCommitting, "writes were taken")
    isCommitting = false
    pending = SortedMap()
  }

  /// Returns to what is durable, after a commit failed: `spaces` as the store holds them.
  ///
  /// All links end, since what their peers sent was not kept; they start over from the vectors.
  package mutating func rollBack(to spaces: [StoredSpace], reason: String, at now: Now) {
    isCommitting = false
    pending = SortedMap()
    events.removeFirst(toldEvents)
    toldEvents = 0
    events.removeAll { event in
      switch event {
      case .changed, .became: !Defect.eventsSurviveRollback.isPlanted
      default: false
      }
    }
    // What the catch-ups gathered may build upon what is gone.
    for (space, link) in rooms.keys.flatMap({ space in links.keys.map { (space, $0) } }) {
      _ = links[present: link].session.abandonCatchUp(of: space)
    }
    if Defect.stateSurvivesRollback.isPlanted { return }
    rooms = SortedMap()
    for space in spaces { rooms[space.state.id] = SpaceRoom(space, tuning: tuning) }
    watchMaps()
    for link in links.keys { end(link, with: Farewell(.storage, reason), at: now) }
  }

  // MARK: Outputs

  /// The next event for observers; nil while writes wait or when there is none.
  package mutating func nextEvent() -> Event? {
    guard pending.isEmpty || Defect.eventsBeforeDurable.isPlanted, toldEvents < events.count
    else { return nil }
    defer {
      toldEvents += 1
      if toldEvents == events.count {
        events.removeAll(keepingCapacity: true)
        toldEvents = 0
      }
    }
    return events[toldEvents]
  }

  /// The next frame for a link, encoded; nil while writes wait or when there is none. Without
  /// `takesBlobs`, parts of maps are left for later.
  package mutating func nextFrame(
    for link: LinkID, at now: Now, takesBlobs: Bool = true
  ) -> [UInt8]? {
    guard pending.isEmpty || Defect.framesBeforeDurable.isPlanted,
      let index = links.index(of: link)
    else { return nil }
    return links[at: index].nextFrame(
      at: now, rooms: rooms, stirs: stirs, tuning: tuning, takesBlobs: takesBlobs)
  }

  /// Whether the session of a link has ended and said all: the driver may close the link.
  package func isFinished(_ link: LinkID) -> Bool {
    links.index(of: link).map { links[at: $0].session.isFinished } ?? true
  }

  /// Whether the session of a link has ended, said or not.
  package func hasEnded(_ link: LinkID) -> Bool {
    links.index(of: link).map { links[at: $0].isReported } ?? true
  }

  /// Ascending; links that ended stay until ``close(_:reason:at:)``.
  package var linkIDs: [LinkID] { links.keys }

  /// The monotonic milliseconds at which ``tick(at:)`` and the frames should be looked at again.
  ///
  /// Frames count only on links for which `canSend` says yes: where the driver takes none, time alone
  /// brings nothing.
  package func nextDeadline(canSend: (LinkID) -> Bool = { _ in true }) -> UInt64? {
    var next = min(
      nextBlobDeadline ?? .max, nextMembersDeadline ?? .max, holdDeadline ?? .max,
      directDeadline ?? .max)
    for index in changingLinks.indices { next = min(next, changingLinks[at: index].deadline) }
    for index in links.indices {
      let isSending = canSend(links.keys[index])
      next = min(next, links[at: index].nextDeadline(stirs: stirs, isSending: isSending))
    }
    return next == .max ? nil : next
  }

  // MARK: Applying

  /// Returns whether the change was new.
  mutating func apply(
    _ change: Change, to space: SpaceID, origin: Event.Origin, at now: Now
  ) throws(ApplyError) -> Bool {
    guard let room = rooms.index(of: space), let touched = try rooms[at: room].state.apply(change)
    else { return false }
    clock.observe(change.stamp.timestamp)
    if origin == .local || !Defect.notForwarded.isPlanted {
      rooms[at: room].recent.append(change)
    }
    // Behind a gap it is no part of the history yet, and is fetched later.
    let isLogged = rooms[at: room].history.extend(by: change.dot)
    note(touched, changes: isLogged ? [change] : [], in: space, origin: origin, at: now)
    return true
  }

  mutating func apply(
    _ delta: Delta, to space: SpaceID, origin: Event.Origin, at now: Now
  ) throws(ApplyError) {
    guard let before = rooms[space]?.state.vector,
      let touched = try rooms[space]?.state.apply(delta)
    else { return }
    guard rooms[present: space].state.vector != before else { return }
    clock.observe(rooms[present: space].state.lastTimestamp)
    if !Defect.ringKeptOverDelta.isPlanted { rooms[space]?.recent.interrupt() }
    note(touched, changes: [], in: space, origin: origin, at: now)
  }

  /// `gone` are anchors of which nothing is left, as they were, deleted.
  mutating func note(
    _ touched: Touched, changes: [Change], in space: SpaceID, origin: Event.Origin,
    gone: [Anchor] = [], at now: Now
  ) {
    pending[space, default: PendingWrites()].note(touched, changes)
    for index in links.indices {
      links[at: index].session.noteNews(of: space, after: haveDelay, at: now)
    }
    requestHistory(space, at: now)
    if touched.space {
      watchMap(of: space, at: now)
      reviewMembers(of: space, at: now)
    }
    noteRetention(of: space, at: now)
    guard !touched.isEmpty else { return }
    emit(.changed(space, touched, origin))
    guard watched.contains(space), let room = rooms.index(of: space) else { return }
    let record = touched.space ? rooms[at: room].state.record : nil
    let anchors = rooms[at: room].state.anchors(touched.anchors) + gone
    emit(.became(space, record, anchors, origin))
  }

  /// Has ``Event/became(_:_:_:_:)`` told of this space from now on, until ``unwatch(_:)``: what it
  /// was right after each input, which the state at the end of a turn does not tell.
  package mutating func watch(_ space: SpaceID) {
    if !watched.contains(space) { watched.append(space) }
  }

  package mutating func unwatch(_ space: SpaceID) {
    watched.removeAll { $0 == space }
  }

  /// Whether something waits to be made durable.
  var hasWrites: Bool { !pending.isEmpty }

  mutating func emit(_ event: Event) {
    events.append(event)
  }
}
