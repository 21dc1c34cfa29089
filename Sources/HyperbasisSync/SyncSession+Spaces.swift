import HyperbasisCore

/// What a session knows of one space.
struct SpaceLink: Sendable {
  /// How far the peer said that it is; nil when it does not have the space.
  var theirs: VersionVector?
  /// When to tell the peer our vector; 0 is at once.
  var haveDue: UInt64?
  /// The vector last told.
  var told: VersionVector?
  var request = Request.none
  var incoming: CatchUp?
  var supply: Supply?

  /// What we asked of the peer.
  enum Request: Equatable, Sendable {
    case none
    case due(since: VersionVector)
    case sent
    /// The peer's catch-up is whole; every further change is pushed.
    case live
  }

  /// What the peer asked of us.
  struct Supply: Sendable {
    /// How far the peer is once it has read all that was sent.
    var sent: VersionVector
    var mode: Mode

    enum Mode: Equatable, Sendable {
      case stream(begun: Bool)
      /// The position in `RecentChanges` of the next change to look at.
      case live(position: Int)
    }
  }
}

extension SyncSession {
  /// Tells the peer of a space on the next occasion.
  mutating func announce(_ space: SpaceID) {
    spaces[space, default: SpaceLink()].haveDue = 0
  }

  /// Our vector of the space advanced: the peer will be told when things are quiet.
  mutating func noteNews(of space: SpaceID, at now: Now) {
    guard let link = spaces[space], link.theirs != nil, link.haveDue == nil else { return }
    spaces[space]?.haveDue = now.monotonic + Limits.haveDelayMilliseconds
  }

  /// The peer has this change, since it came from there.
  mutating func notePeerHas(_ dot: Dot, in space: SpaceID) {
    guard let supply = spaces[space]?.supply, supply.sent[dot.replica] == dot.sequence - 1
    else { return }
    spaces[space]?.supply?.sent[dot.replica] = dot.sequence
  }

  /// The peer's vector where it has the space and nothing was asked of it yet.
  func unaskedVector(of space: SpaceID) -> VersionVector? {
    guard isOpen, let link = spaces[space], link.request == .none else { return nil }
    return link.theirs
  }

  func vector(of space: SpaceID) -> VersionVector? {
    spaces[space]?.theirs
  }

  var announcedSpaces: [SpaceID] {
    zip(spaces.keys, spaces.values).filter { $0.1.theirs != nil }.map(\.0)
  }

  func isLive(_ space: SpaceID) -> Bool {
    spaces[space]?.request == .live
  }

  mutating func ask(for space: SpaceID, since: VersionVector) {
    spaces[space, default: SpaceLink()].request = .due(since: since)
  }

  /// Forgets what was asked, so that it will be asked again.
  mutating func unask(_ space: SpaceID) {
    spaces[space]?.request = .none
    spaces[space]?.incoming = nil
  }

  mutating func serve(_ space: SpaceID, since: VersionVector) {
    spaces[space, default: SpaceLink()].supply = SpaceLink.Supply(
      sent: since, mode: .stream(begun: false))
  }

  /// Takes an interrupted catch-up out, for another session to continue.
  mutating func abandonCatchUp(of space: SpaceID) -> CatchUp? {
    defer { spaces[space]?.incoming = nil }
    return spaces[space]?.incoming
  }

  /// Adds a batch; returns the delta when the catch-up is whole.
  ///
  /// A batch that was not asked for, or that continues what was given up meanwhile, is ignored.
  /// - Throws: `CatchUpError` when it begins neither at `orphan`'s end nor within `known`, or does
  ///   not continue what came before.
  mutating func gather(
    _ batch: Batch, known: VersionVector, orphan: inout CatchUp?
  ) throws(CatchUpError) -> Delta? {
    guard let link = spaces[batch.space], link.request == .sent || link.request == .live else {
      return nil
    }
    // Taken out, so that appending does not copy what was gathered before.
    var current = spaces[batch.space]?.incoming.take()
    if let base = batch.base {
      if let old = orphan, old.covers == base, batch.horizon.covers(old.horizon) {
        current = orphan.take()
      } else if known.covers(base) {
        current = CatchUp(base: base)
      } else {
        throw .baseUnknown
      }
    }
    guard var catchUp = current.take() else { return nil }
    try catchUp.append(batch)
    guard catchUp.isWhole else {
      spaces[batch.space]?.incoming = catchUp
      return nil
    }
    spaces[batch.space]?.request = .live
    spaces[batch.space]?.supply?.sent.merge(catchUp.covers)
    return catchUp.delta
  }
}
