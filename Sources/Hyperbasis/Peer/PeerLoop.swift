import HyperbasisCore
import HyperbasisNet
import HyperbasisStore
import HyperbasisSync

/// Drives the engine: all that happens on the peer's one thread, in turns.
///
/// A turn takes what came in (bytes, calls, time), commits what the engine wrote in one transaction,
/// and only then answers calls, tells observers and sends frames.
///
/// Safe because: everything in it is touched only on the reactor's thread, or before that starts.
package final class PeerLoop: ReactorHandler, @unchecked Sendable {
  /// Unsent bytes of a link beyond which no more frames are made for it.
  static let backlogBytes = 262_144

  let reactor: Reactor
  /// Nil once the peer was stopped, which gives the directory back.
  private var openStore: Store?
  package var engine: Engine
  var network: PeerNetwork
  var maps = MapKeeper()
  /// Of the calls of this turn: each makes the answer, given why the disk refused the turn.
  private var replies: [(PeerError?) -> () -> Void] = []
  /// Closed in this turn; the network forgets them once it heard why their sessions ended.
  private var closedLinks: [HyperbasisNet.LinkID] = []
  private var observers: [Observer] = []
  private var nextObserver = 0
  var watches: [Int: SpaceWatch] = [:]
  var book = PeerBook()
  /// Whether every space that a peer offers is joined at once.
  let joinsOfferedSpaces: Bool
  /// Spaces that are set aside.
  package internal(set) var damaged: [DamagedSpace]
  /// Why a setting is not what it was.
  var unreadSetting: String?
  var settings = Settings()
  /// Whose the values are that are handed out.
  let scope: EditScope
  /// What was last handed out or written, for saves of values built afresh.
  let memory: SaveMemory
  /// What this turn adds to it.
  var notes = TurnNotes()
  /// Another one whenever the states of spaces went back to what the store holds, or were cleared.
  var statesSince = EditMoment.next()
  private var freed = FreedMemory()
  /// The last beginning of the network, for one that goes on as another replica.
  var lastStart: NetworkStart?
  /// How the network is to begin again once a renewal is done that ended it.
  var restart: NetworkStart?
  /// When a renewal may begin, in monotonic milliseconds; nil for at once.
  var renewalDue: UInt64?
  /// The port of the network while it was on.
  var lastPort: UInt16?
  /// What peers offered since the network began the last time, the first `Limits.spaces` of it.
  var offersWhenLastOn: Set<SpaceID> = []
  /// Who this store was before it got the present replica id by itself: its changes were made here too.
  var previousReplica: ReplicaID?
  /// Spaces of which members may be former selves of this store.
  var spacesToReview: Set<SpaceID> = []
  /// How often each space was joined by a snapshot, as far as that was told.
  var knownJoins: [SpaceID: Int] = [:]
  /// What was joined anew since the start, each with the last time.
  package internal(set) var rejoins = SortedMap<SpaceID, HBRejoin>()
  /// The complaint told last, so that one that recurs is told once.
  private var complaint: String?

  init(
    reactor: Reactor, store: Store, engine: Engine, damaged: [DamagedSpace],
    joinsOfferedSpaces: Bool, scope: EditScope, memory: SaveMemory
  ) {
    self.reactor = reactor
    self.joinsOfferedSpaces = joinsOfferedSpaces
    self.scope = scope
    self.memory = memory
    openStore = store
    self.damaged = damaged
    self.engine = engine
    network = PeerNetwork(reactor: reactor, replica: engine.local.replica)
  }

  private struct Observer {
    let number: Int
    let tell: (PeerNews) -> Void
    let finish: () -> Void
  }

  /// Precondition: the peer was not stopped.
  var store: Store {
    guard let openStore else { preconditionFailure("the store is open while the thread runs") }
    return openStore
  }

  /// Ends what outlives the thread: called once, after that has ended.
  func close() {
    openStore = nil
    for observer in observers { observer.finish() }
    observers = []
  }

  // MARK: Calls

  /// Runs a call in this turn; `reply` comes once what it wrote is durable.
  func call<Result: Sendable>(
    whenRefused refusal: Refusal, _ body: @escaping (PeerLoop) throws(PeerError) -> Result,
    reply: @escaping @Sendable (Swift.Result<Result, PeerError>) -> Void
  ) {
    let result = run(body)
    replies.append { [unowned self] failure in
      let answer: Swift.Result<Result, PeerError> =
        switch (failure, refusal) {
        case (nil, _), (_, .stands): result
        case (let failure?, .fails): .failure(failure)
        case (_, .isAskedAgain): run(body)
        }
      return { reply(answer) }
    }
  }

  private func run<Result>(
    _ body: (PeerLoop) throws(PeerError) -> Result
  ) -> Swift.Result<Result, PeerError> {
    do { return .success(try body(self)) } catch { return .failure(error) }
  }

  /// Makes one change; returns whether anything changed.
  ///
  /// - Throws: `PeerError.invalid` when the change exceeds a limit.
  @discardableResult
  package func edit(
    _ space: SpaceID, _ operations: [Operation], date: Int64? = nil
  ) throws(PeerError) -> Bool {
    try checkSize(of: operations, in: space)
    return engine.edit(space, operations, date: date, at: .current) != nil
  }

  /// Holds a space from now on. Idempotent.
  ///
  /// - Throws: `PeerError.invalid` when the store holds as many spaces as it may, `store` for one that
  ///   is damaged.
  package func join(_ space: SpaceID) throws(PeerError) {
    if engine.rooms[space] == nil {
      guard engine.rooms.count < Limits.spaces else {
        throw .invalid(
          "a store holds at most \(Limits.spaces) spaces, deleted ones included; use another directory, or "
            + "clear this one")
      }
      do throws(StoreError) { try checkMayHold(space) } catch { throw PeerError(error) }
    }
    engine.join(space, at: .current)
  }

  func end(_ link: HyperbasisSync.LinkID, with farewell: Farewell) {
    engine.end(link, with: farewell, at: .current)
  }

  /// Has `tell` called with all news and `finish` once there will be no more.
  func observe(
    _ tell: @escaping (PeerNews) -> Void, finish: @escaping () -> Void = {}
  ) -> Int {
    nextObserver += 1
    observers.append(Observer(number: nextObserver, tell: tell, finish: finish))
    return nextObserver
  }

  func forget(observer number: Int) {
    observers.removeAll { $0.number == number }
  }

  func tell(_ news: PeerNews) {
    for observer in observers { observer.tell(news) }
  }

  func complain(_ text: String) {
    if complaint != text { tell(.notice(text)) }
    complaint = text
  }

  // MARK: ReactorHandler

  package func linkOpened(_ link: HyperbasisNet.LinkID, role: LinkRole) {
    guard network.opened(link, role: role, engine: engine) else {
      reactor.close(link, afterFlush: false)
      return
    }
    engine.open(LinkID(link), at: .current)
  }

  package func linkReceived(_ link: HyperbasisNet.LinkID, _ bytes: [UInt8]) {
    engine.receive(bytes, on: LinkID(link), at: .current)
  }

  package func linkClosed(_ link: HyperbasisNet.LinkID, reason: CloseReason) {
    engine.close(LinkID(link), reason: "\(reason)", at: .current)
    closedLinks.append(link)
  }

  package func dialFailed(_ dial: DialID, error: DialError) {
    if let text = network.dialFailed(dial, error: error, at: MonotonicClock.now) {
      tell(.notice(text))
    }
  }

  package func turnEnded(at now: UInt64) {
    engine.tick(at: .current)
    seeToRenewal(at: .current)
    retireFormerSelves()
    commit()
    tellEvents()
    for link in closedLinks { network.closed(link, at: now) }
    closedLinks = []
    network.reconcile(with: engine, at: now)
    for notice in network.takeNotices() { tell(.notice(notice)) }
    sendFrames()
    serveHistory()
    workOnMaps()
    freed.giveBack()
  }

  package var nextDeadline: UInt64? {
    if hasHistoryToServe || maps.hasMore || maps.isCleaning && damaged.isEmpty { return 0 }
    if !spacesToReview.isEmpty { return 0 }
    let engineDeadline = engine.nextDeadline { hasRoom(HyperbasisNet.LinkID($0)) }
    return [engineDeadline, network.nextDeadline].compactMap { $0 }.min()
  }

  // MARK: The turn

  /// Makes durable what this turn wrote so far, and answers its calls.
  ///
  /// Before a call reads the store, which else would lack what the engine has already.
  func commit() {
    var failure: PeerError?
    if let writes = engine.takeWrites() {
      do {
        try store.commit(writes)
        engine.committed()
        for space in writes where !space.removed.isEmpty {
          forgetGone(in: space.space)
          freed.note(anchors: space.removed.count)
        }
      } catch {
        failure = PeerError(error)
        rollBack(after: error)
      }
    }
    settleNotes(areKept: failure == nil)
    let waiting = replies
    replies = []
    let answers = waiting.map { $0(failure) }
    // What was asked again is on disk.
    settleNotes(areKept: true)
    for answer in answers { answer() }
  }

  private func rollBack(after error: StoreError) {
    let storeFailed = "the store of \(engine.local.name.shown) failed"
    engine.rollBack(to: reload(), reason: storeFailed, at: .current)
    statesSince = .next()
    knownJoins = [:]
    tell(.notice("\(error)"))
  }

  func tellEvents() {
    while let event = engine.nextEvent() {
      switch event {
      case .connected(let peer): remember(peer)
      case .linkEnded(let link, _, let farewell):
        network.ended(link, farewell: farewell, at: MonotonicClock.now)
      case .changed(let space, let touched, _) where touched.space:
        mapRegisterChanged(of: space)
        noteMembers(of: space)
      case .mapProgress(let space, let progress): mapProgressed(progress, of: space)
      default: break
      }
      note(event)
      tell(.event(event))
    }
  }

  private func remember(_ peer: Peer) {
    let address = network.dialledAddress(of: peer.replica, in: engine)
    let known = KnownPeer(
      replica: peer.replica, device: peer.device, name: peer.name, address: address ?? "",
      met: Int64(WallClock.now))
    do { try store.remember(known) } catch { tell(.notice("\(error)")) }
  }

  /// Whether a link takes frames; when it does not, the reactor tells once it drained.
  private func hasRoom(_ link: HyperbasisNet.LinkID) -> Bool {
    reactor.unsentBytes(link) < PeerLoop.backlogBytes
  }

  func sendFrames() {
    for link in engine.linkIDs {
      sendFrames(on: link)
      if engine.isFinished(link) {
        reactor.close(HyperbasisNet.LinkID(link), afterFlush: true)
        engine.close(link, reason: "the session ended", at: .current)
      }
    }
  }

  func sendFrames(on link: HyperbasisSync.LinkID) {
    let wire = HyperbasisNet.LinkID(link)
    while hasRoom(wire) || engine.hasEnded(link),
      let frame = engine.nextFrame(for: link, at: .current, takesBlobs: hasBlobRoom(link))
    {
      reactor.send(frame, on: wire)
    }
  }

  /// Of a change of these operations, and of all that it comes to: what brings an anchor back in a space with members
  /// is joined by all else of it.
  ///
  /// - Throws: `PeerError.invalid` when it exceeds a limit.
  func checkSize(of operations: [Operation], in space: SpaceID) throws(PeerError) {
    _ = try PeerLoop.encodedBytes(of: operations)
    guard engine.canWrite(to: space) else {
      throw .invalid(
        "\(Limits.replicas) replicas have written to space \(space), which is as many as a space takes: export its "
          + "anchors, and import them into a new one")
    }
    guard let room = engine.rooms[space], room.state.hasMembers else { return }
    let effective = room.state.effective(operations)
    if !effective.isEmpty { _ = try PeerLoop.encodedBytes(of: effective) }
  }

  /// Bytes of a change of these operations.
  ///
  /// - Throws: `PeerError.invalid` when it exceeds a limit.
  static func encodedBytes(of operations: [Operation]) throws(PeerError) -> Int {
    do { return try Change.checkedLength(of: operations) } catch { throw .invalid("\(error)") }
  }
}

/// What becomes of a call where the disk refuses its turn, which takes back what was written in it.
package enum Refusal: Sendable {
  /// It fails.
  case fails
  /// It only reads: it is asked again, of what is durable.
  case isAskedAgain
  /// What it did is done, since it wrote nothing with the turn.
  case stands
}

/// What a peer tells its observers.
package enum PeerNews: Sendable {
  case event(Event)
  case discovery(DiscoveryStatus)
  /// The store was emptied.
  case cleared
  /// One line for people: something failed that no call can report.
  case notice(String)
}

extension Now {
  static var current: Now {
    let wall = UInt64(max(0, WallClock.nanoseconds))
    return Now(
      monotonic: MonotonicClock.now, wall: wall / 1_000_000,
      fraction: UInt8(wall % 1_000_000 * 256 / 1_000_000))
  }
}

extension HyperbasisSync.LinkID {
  init(_ link: HyperbasisNet.LinkID) { self.init(link.number) }
}

extension HyperbasisNet.LinkID {
  init(_ link: HyperbasisSync.LinkID) { self.init(link.raw) }
}
