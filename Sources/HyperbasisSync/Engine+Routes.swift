import HyperbasisCore

/// Whose changes come on links of their own: see `Docs/Decisions/0012-an-edit-comes-from-its-author.md`.
extension Engine {
  /// Milliseconds after news until a peer is told how far we are: the more peers, the later, so that what all of them
  /// are told grows as their number does.
  var haveDelay: UInt64 {
    let parts = (links.count + Limits.promptLinks - 1) / Limits.promptLinks
    return Limits.haveDelayMilliseconds * UInt64(max(1, parts))
  }

  /// Whether all that a vector has beyond ours is by replicas whose changes come here on links of their own.
  func comesDirectly(_ vector: VersionVector, of space: SpaceID, beyond known: VersionVector)
    -> Bool
  {
    vector.entries.allSatisfy { entry in
      entry.sequence <= known[entry.replica]
        || links.indices.contains { isDirect($0, of: space, for: entry.replica) }
    }
  }

  private func isDirect(_ link: Int, of space: SpaceID, for replica: ReplicaID) -> Bool {
    links[at: link].session.peer?.replica == replica && links[at: link].session.isOpen
      && links[at: link].session.isLive(space)
  }

  /// What a peer knows is to come from its authors. If it does not, the peer is asked.
  mutating func awaitDirect(_ space: SpaceID, besides link: LinkID, at now: Now) {
    // What came up meanwhile is not awaited for longer.
    guard links[present: link].session.spaces[present: space].routes.askDue == nil else { return }
    let due = now.monotonic + Limits.directMilliseconds
    links[present: link].session.spaces[present: space].routes.askDue = due
    directDeadline = min(directDeadline ?? .max, due)
  }

  /// Asks peers for what did not come from its authors in time.
  mutating func tickDirect(at now: Now) {
    guard let deadline = directDeadline, deadline <= now.monotonic else { return }
    directDeadline = nil
    for (link, space) in links.keys.flatMap({ link in rooms.keys.map { (link, $0) } }) {
      guard let theirs = links[present: link].session.vector(of: space),
        let due = links[present: link].session.spaces[space]?.routes.askDue
      else { continue }
      guard due <= now.monotonic else {
        directDeadline = min(directDeadline ?? .max, due)
        continue
      }
      links[present: link].session.spaces[present: space].routes.askDue = nil
      if links[present: link].session.isLive(space),
        !rooms[present: space].state.vector.covers(theirs)
      {
        askAnew(space, on: link, at: now)
      }
    }
  }

  /// A peer's changes of a space come here on its own link from now on, or do no more: the others are told.
  ///
  /// It is for speed alone. Who tells of more than has come is asked for it, whatever it was told.
  mutating func tellDirect(of space: SpaceID, at now: Now) {
    let live = Set(
      links.indices.compactMap { index in
        links[at: index].session.isOpen && links[at: index].session.isLive(space)
          ? links[at: index].session.peer?.replica : nil
      }
    ).sorted()
    for index in links.indices {
      links[at: index].session.noteDirect(live, of: space, after: haveDelay, at: now)
    }
  }
}
