import HyperbasisCore

/// What is held back from peers, as they would refuse it: the clock was far ahead when it was written.
///
/// See `Docs/Decisions/0009-what-no-peer-takes-is-written-anew.md`.
extension Engine {
  /// Whether nothing is given to peers, since the store is to go on as another replica, which writes anew
  /// what no peer takes: this device's clock says that it has such stamps, and the clock of a peer that
  /// refused some says so too.
  package func isHolding(at now: Now) -> Bool {
    refusedForClock != nil && lead(at: now) > Limits.renewalMilliseconds
  }

  /// Whether the driver may have the store go on as another replica: peers have given what they have, or were
  /// long silent.
  package func isReadyToRenew(at now: Now) -> Bool {
    guard let since = refusedForClock, isHolding(at: now) else { return false }
    if now.monotonic < since + Limits.holdMilliseconds { return false }
    return !isAskingPeers || now.monotonic >= since + 6 * Limits.holdMilliseconds
  }

  /// Whether an answer to what was asked for is under way.
  package var isAskingPeers: Bool {
    rooms.values.contains { $0.catchUpFrom != nil || $0.historyFrom != nil || $0.joining != nil }
  }

  /// A peer refused a stamp of ours as too far ahead.
  mutating func noteRefusal(at now: Now) {
    refusedForClock = now.monotonic
    holdDeadline = now.monotonic + Limits.holdMilliseconds
  }

  // MARK: Answers

  /// Answers a request for a space: now, once the hold ends, or not, as the peer is no member.
  mutating func serve(
    _ space: SpaceID, since: VersionVector, byIDs: Bool, on link: LinkID, at now: Now
  ) {
    guard rooms[space] != nil else { return }
    guard isMember(link, of: space) else {
      return links[present: link].session.noteUnanswered(space)
    }
    if isHolding(at: now) { return hold(.state(space, since: since, byIDs: byIDs), on: link) }
    links[present: link].session.serve(space, since: since, byIDs: byIDs)
  }

  /// The same for whole changes.
  mutating func serveHistory(
    of space: SpaceID, since: VersionVector, on link: LinkID, at now: Now
  ) {
    guard let room = rooms.index(of: space) else { return }
    guard isMember(link, of: space) else {
      return links[present: link].session.noteUnanswered(space)
    }
    if isHolding(at: now) { return hold(.history(space, since: since), on: link) }
    let (known, cut) = (rooms[at: room].history, rooms[at: room].members.cut)
    links[present: link].session.serveHistory(of: space, since: since, known: known, cut: cut)
  }

  /// Where the clock was wrong while it said that the stamps are far ahead, what waited is answered.
  mutating func tickHold(at now: Now) {
    if let deadline = holdDeadline, deadline <= now.monotonic { holdDeadline = nil }
    guard !held.isEmpty, !isHolding(at: now) else { return }
    let requests = held
    held = []
    for request in requests where links.index(of: request.link) != nil {
      switch request.wanted {
      case .state(let space, let since, let byIDs):
        serve(space, since: since, byIDs: byIDs, on: request.link, at: now)
      case .history(let space, let since):
        serveHistory(of: space, since: since, on: request.link, at: now)
      }
    }
  }

  /// Of each link and space the last request stays.
  mutating func hold(_ wanted: HeldRequest.Wanted, on link: LinkID) {
    held.removeAll {
      links.index(of: $0.link) == nil || $0.link == link && $0.wanted.isAsked(with: wanted)
    }
    held.append(HeldRequest(link: link, wanted: wanted))
  }
}

/// A request of a peer that waits.
struct HeldRequest: Sendable {
  enum Wanted: Sendable {
    case state(SpaceID, since: VersionVector, byIDs: Bool)
    case history(SpaceID, since: VersionVector)

    /// Whether another request asks for the same.
    func isAsked(with other: Wanted) -> Bool {
      switch (self, other) {
      case (.state(let mine, _, _), .state(let other, _, _)): mine == other
      case (.history(let mine, _), .history(let other, _)): mine == other
      default: false
      }
    }
  }

  let link: LinkID
  let wanted: Wanted
}
