import HyperbasisCore

extension Engine {
  /// Asks peers for a space: one of them for what is missing, the others once nothing is.
  ///
  /// An interrupted catch-up is continued at a peer that knows all that its sender knew; see
  /// `CatchUp`.
  mutating func requestMissing(_ space: SpaceID, at now: Now) {
    guard let room = rooms.index(of: space) else { return }
    let known = rooms[at: room].state.vector
    for link in links.keys {
      guard let theirs = links[present: link].session.unaskedVector(of: space),
        isMember(link, of: space)
      else { continue }
      if known.covers(theirs) {
        links[present: link].session.ask(for: space, since: known)
      } else if rooms[present: space].catchUpFrom == nil {
        rooms[present: space].catchUpFrom = (link, now.monotonic)
        if let orphan = rooms[present: space].orphan,
          theirs.covers(orphan.horizon) || Defect.resumedAnywhere.isPlanted
        {
          rooms[present: space].orphan = nil
          links[present: link].session.ask(for: space, continuing: orphan)
        } else {
          links[present: link].session.ask(for: space, since: known)
        }
      }
    }
  }

  /// Takes a batch; applies the catch-up once it is whole.
  mutating func gather(_ batch: Batch, on link: LinkID, at now: Now) throws(Farewell) {
    let space = batch.space
    guard let room = rooms.index(of: space), let peer = links[present: link].session.peer
    else { return }
    let isJoining = links[present: link].session.isAskingForSnapshot(of: space)
    guard isJoining || isMember(link, of: space) else { return }
    // What continues from somewhere is no snapshot, but belongs to what was served before.
    if isJoining, let base = batch.base, !base.entries.isEmpty { return }
    if rooms[present: space].catchUpFrom?.link == link {
      rooms[present: space].catchUpFrom = (link, now.monotonic)
    }
    if isJoining { rooms[present: space].joining = (link, now.monotonic) }
    if Defect.clockMovedByParts.isPlanted, let last = batch.cells.lastTimestamp {
      clock.observe(last)
    }
    do {
      let state = rooms[at: room].state
      switch try links[present: link].session.gather(batch, over: state) {
      case .part: return
      case .notFound: return askAnew(space, on: link, at: now)
      case .whole(let delta):
        if isJoining { return try join(space, by: delta, on: link, at: now) }
        try apply(delta, to: space, origin: .peer(peer.replica), at: now)
        tellDirect(of: space, at: now)
      }
    } catch let farewell as Farewell {
      throw farewell
    } catch {
      throw Farewell(.malformed, "the peer sent a catch-up that does not fit: \(error)")
    }
    if let orphan = rooms[present: space].orphan,
      rooms[present: space].state.vector.covers(orphan.covers)
    {
      rooms[present: space].orphan = nil
    }
    if rooms[present: space].catchUpFrom?.link == link { rooms[present: space].catchUpFrom = nil }
    requestMissing(space, at: now)
  }

  /// The link ended: what it had gathered is kept for another, and another is asked.
  mutating func release(_ space: SpaceID, from link: LinkID, at now: Now) {
    keep(links[present: link].session.abandonCatchUp(of: space), of: space)
    guard rooms[present: space].catchUpFrom?.link == link, !Defect.endedLinkStillAsked.isPlanted
    else { return }
    rooms[present: space].catchUpFrom = nil
    requestMissing(space, at: now)
  }

  /// The link ended on which a snapshot was to come: who else says that we are no member says it again.
  mutating func releaseJoin(_ space: SpaceID, from link: LinkID) {
    guard rooms[present: space].joining?.link == link else { return }
    rooms[present: space].joining = nil
    for other in links.keys where other != link {
      links[present: other].session.announceAnew(space)
    }
  }

  /// A change was missed on a link: the peer is asked anew.
  mutating func askAnew(_ space: SpaceID, on link: LinkID, at now: Now) {
    keep(links[present: link].session.unask(space), of: space)
    if rooms[present: space].catchUpFrom?.link == link { rooms[present: space].catchUpFrom = nil }
    requestMissing(space, at: now)
  }

  /// Keeps the larger of what two interrupted catch-ups had gathered.
  private mutating func keep(_ gathered: CatchUp?, of space: SpaceID) {
    guard let gathered, gathered.cellCount > rooms[present: space].orphan?.cellCount ?? 0 else {
      return
    }
    rooms[present: space].orphan = gathered
  }
}
