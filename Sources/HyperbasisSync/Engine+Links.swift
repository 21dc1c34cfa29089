import HyperbasisCore

extension Engine {
  // MARK: Inputs

  /// A link came up; its bytes are exchanged from now on.
  package mutating func open(_ link: LinkID, at now: Now) {
    precondition(links[link] == nil, "links have names of their own")
    links[link] = LinkRoom(session: SyncSession(local: local, at: now))
    if links.count > Limits.links {
      end(link, with: Farewell(.busy, "more than \(Limits.links) links at once"), at: now)
    }
  }

  /// Bytes came in on a link. Unknown and ended links are ignored.
  package mutating func receive(_ bytes: [UInt8], on link: LinkID, at now: Now) {
    guard links.index(of: link) != nil else { return }
    links[present: link].session.receive(bytes, at: now)
    do {
      while let action = try links[present: link].session.next(at: now) {
        try perform(action, on: link, at: now)
      }
    } catch {
      end(link, with: error, at: now)
    }
  }

  /// The link is no more: closed by the transport, or by the driver once the session finished.
  package mutating func close(_ link: LinkID, reason: String, at now: Now) {
    end(link, with: Farewell(.leaving, reason), at: now)
    links[link] = nil
  }

  /// Ends a link from this side, with a farewell to the peer. Idempotent.
  package mutating func end(_ link: LinkID, with farewell: Farewell, at now: Now) {
    guard let room = links[link], !room.isReported else { return }
    links[present: link].isReported = true
    links[present: link].session.end(farewell)
    for space in rooms.keys {
      release(space, from: link, at: now)
      releaseHistory(space, from: link, at: now)
      releaseJoin(space, from: link)
      tellDirect(of: space, at: now)
    }
    releaseBlobs(from: link, at: now)
    let peer = room.session.peer.map(Peer.init)
    emit(.linkEnded(link, peer, farewell))
    if let peer, openLinks(to: peer.replica).isEmpty { leave(peer, farewell, at: now) }
  }

  /// The last open link to a peer ended. When that was for the sake of another one, whose greeting is
  /// on its way, the peer is not gone.
  private mutating func leave(_ peer: Peer, _ farewell: Farewell, at now: Now) {
    if farewell.reason == .duplicate {
      changingLinks[peer.replica] = (peer, now.monotonic + Limits.helloMilliseconds)
    } else {
      emit(.gone(peer, farewell))
    }
  }

  /// Does what time asks for: pings, silence, catch-ups that stall.
  package mutating func tick(at now: Now) {
    for index in links.indices where isTickDue(index, at: now) {
      do { try links[at: index].session.tick(at: now) } catch {
        end(links.keys[index], with: error, at: now)
      }
    }
    for (replica, change) in zip(changingLinks.keys, changingLinks.values)
    where now.monotonic >= change.deadline {
      changingLinks[replica] = nil
      emit(.gone(change.peer, Farewell(.duplicate, "the other link did not come about")))
    }
    for space in rooms.keys {
      guard let asked = rooms[present: space].catchUpFrom,
        now.monotonic >= asked.progress + Limits.catchUpStallMilliseconds,
        !Defect.stallsIgnored.isPlanted
      else { continue }
      rooms[present: space].catchUpFrom = nil
      requestMissing(space, at: now)
    }
    tickHistory(at: now)
    tickMaps(at: now)
    tickMembers(at: now)
    tickHold(at: now)
    tickDirect(at: now)
  }

  /// Whether time asks for something of the session of a link. Fields are read one by one: so none of it is copied.
  private func isTickDue(_ link: Int, at now: Now) -> Bool {
    let next = SyncSession.nextTick(
      links[at: link].session.phase, opened: links[at: link].session.opened,
      lastReceived: links[at: link].session.lastReceived)
    return next.map { $0 <= now.monotonic } ?? false
  }

  // MARK: Questions

  /// Milliseconds by which the stamps in the state are ahead of the wall clock; 0 when they are not.
  package func lead(at now: Now) -> UInt64 {
    clock.last.milliseconds > now.wall ? clock.last.milliseconds - now.wall : 0
  }

  /// The peers that a link is open to, each once, in the order of their replicas.
  package var peers: [Peer] {
    var peers = SortedMap<ReplicaID, Peer>()
    for room in links.values where room.session.isOpen {
      if let hello = room.session.peer { peers[hello.replica] = Peer(hello) }
    }
    return Array(peers.values)
  }

  /// The peer at the other end of an open link.
  package func peer(on link: LinkID) -> Peer? {
    guard let index = links.index(of: link), links[at: index].session.isOpen else { return nil }
    return links[at: index].session.peer.map(Peer.init)
  }

  /// How far a peer last said that it knows a space; nil when it does not hold it.
  package func vector(of space: SpaceID, at replica: ReplicaID) -> VersionVector? {
    openLinks(to: replica).compactMap { links[$0]?.session.vector(of: space) }.last
  }

  /// The spaces that peers told of and that are not held here, ascending.
  package var offeredSpaces: [SpaceID] {
    var offered = SortedMap<SpaceID, Bool>()
    for room in links.values where room.session.isOpen {
      for space in room.session.announcedSpaces where rooms[space] == nil {
        offered[space] = true
      }
    }
    return offered.keys
  }

  /// How many links to a peer are open. O(links).
  package func openLinkCount(to replica: ReplicaID) -> Int {
    links.indices.count { index in
      links[at: index].session.isOpen && links[at: index].session.peer?.replica == replica
    }
  }

  private func openLinks(to replica: ReplicaID) -> [LinkID] {
    links.indices.filter { index in
      links[at: index].session.isOpen && links[at: index].session.peer?.replica == replica
    }
    .map { links.keys[$0] }
  }

  // MARK: Actions

  private mutating func perform(
    _ action: SyncSession.Action, on link: LinkID, at now: Now
  ) throws(Farewell) {
    switch action {
    case .none: break
    case .opened(let hello): greet(hello, on: link, at: now)
    case .announced(let space, let vector, let digest):
      try check(vector, of: space)
      tellMap(of: space, on: link)
      compare(space, vector, digest, on: link, at: now)
      requestHistory(space, at: now)
    case .wanted(let space, let since, let byIDs):
      try check(since, of: space)
      serve(space, since: since, byIDs: byIDs, on: link, at: now)
    case .batch(let batch):
      try check(batch.covers, of: batch.space)
      try check(batch.horizon, of: batch.space)
      try gather(batch, on: link, at: now)
    case .change(let space, let change):
      try check(change.dot, of: space)
      receive(change, in: space, on: link, at: now)
    case .wantedHistory(let space, let since):
      try check(since, of: space)
      serveHistory(of: space, since: since, on: link, at: now)
    case .history(let part):
      try take(part, on: link, at: now)
    case .farewell(let farewell):
      if farewell.reason == .clock { noteRefusal(at: now) }
      throw farewell
    case .wantedBlob(let name):
      let isHere = rooms[name.space]?.map.has(name.hash) ?? false
      try links[present: link].session.blobs.asked(name, isHere: isHere)
    case .blob(let name, let body): receive(body, as: name, on: link, at: now)
    case .noBlob(let name): lack(name, on: link, at: now)
    case .map: requestBlobs(at: now)
    case .demanded(let space, let rank): take(demandOf: rank, of: space, on: link, at: now)
    case .admitted(let space): startOver(space, on: link, at: now)
    case .wantedSnapshot(let space): try takeIn(peerOn: link, of: space, at: now)
    case .confirmed(let space, let confirmations):
      try take(confirmations, of: space, on: link, at: now)
    }
  }

  /// Refuses a vector that would make this store unable to go on.
  ///
  /// Nobody can know more of this replica than it does itself, unless its store was restored from a
  /// copy, or the peer lies; taking it over would put later edits beyond what is known of them.
  func check(_ vector: VersionVector, of space: SpaceID) throws(Farewell) {
    guard let room = rooms.index(of: space) else { return }
    let known = rooms[at: room].state.vector
    let new = vector.entries.count { known[$0.replica] == 0 }
    try check(own: vector[local.replica], newReplicas: new, known: known)
  }

  /// The same of the vector that has this change alone: one is not made for every change.
  private func check(_ dot: Dot, of space: SpaceID) throws(Farewell) {
    guard let room = rooms.index(of: space) else { return }
    let known = rooms[at: room].state.vector
    try check(
      own: dot.replica == local.replica ? dot.sequence : 0,
      newReplicas: known[dot.replica] == 0 ? 1 : 0, known: known)
  }

  private func check(
    own sequence: UInt64, newReplicas new: Int, known: VersionVector
  ) throws(Farewell) {
    guard sequence <= known[local.replica] || Defect.identityUnchecked.isPlanted else {
      throw Farewell(
        .identity,
        "a peer has edits of \(local.name.shown) that its own store lacks: was it put back as an image? "
          + "begin with an empty directory, and do not repair it")
    }
    let own = known[local.replica] == 0 ? 1 : 0
    guard known.entries.count + new + own <= Limits.replicas else {
      throw Farewell(.malformed, "more than \(Limits.replicas) replicas in one space")
    }
  }

  /// One link per pair of peers: the peer with the smaller replica id keeps the newest and ends the
  /// others, so both sides agree without a word. A link to an earlier incarnation is dead.
  private mutating func greet(_ hello: Hello, on link: LinkID, at now: Now) {
    let others = openLinks(to: hello.replica).filter { $0 != link }
    let isDecider = local.replica < hello.replica && !Defect.nobodyEndsLinks.isPlanted
    for (index, other) in others.enumerated() {
      let isRestarted =
        links[present: other].session.peer?.incarnation != hello.incarnation
        && !Defect.restartedLinkKept.isPlanted
      let isSurplus = others.count - index >= Limits.linksPerReplica
      guard isRestarted || isDecider || isSurplus else { continue }
      end(other, with: Farewell(.duplicate, "another link to the same peer stays"), at: now)
    }
    let isKnown = changingLinks[hello.replica] != nil
    changingLinks[hello.replica] = nil
    if others.isEmpty && !isKnown { emit(.connected(Peer(hello))) }
    for space in rooms.keys { links[present: link].session.announce(space) }
  }

  private mutating func compare(
    _ space: SpaceID, _ vector: VersionVector, _ digest: Digest, on link: LinkID, at now: Now
  ) {
    guard let state = rooms[space]?.state else {
      if let peer = peer(on: link) { emit(.offered(space, peer)) }
      return
    }
    links[present: link].session.noteNewsSinceTold(
      of: space, state: state.vector, history: rooms[present: space].history, at: now)
    guard reviewMember(link, of: space, at: now) else { return }
    links[present: link].session.introduceConfirmations(of: space, at: now)
    if let peer = peer(on: link) { noteConfirmed(vector, by: peer.replica, of: space, at: now) }
    if let peer = peer(on: link) {
      emit(.told(space, peer))
      // What this replica lacks though its vector claims it comes when it joins.
      let isComparable = !state.hasMembers || ownsMembership(of: state)
      if isComparable && vector == state.vector && digest != state.digest {
        emit(.diverged(space, peer))
      }
    }
    // All that a live peer knows was pushed before it told so, but for what is to come from its authors: what else is
    // missing was lost here.
    guard links[present: link].session.isLive(space), !state.vector.covers(vector) else {
      return requestMissing(space, at: now)
    }
    if comesDirectly(vector, of: space, beyond: state.vector) {
      awaitDirect(space, besides: link, at: now)
    } else {
      askAnew(space, on: link, at: now)
    }
  }

  private func ownsMembership(of state: SpaceState) -> Bool {
    state.member(local.replica).map { $0.membership != .retired } ?? false
  }

  private mutating func receive(
    _ change: Change, in space: SpaceID, on link: LinkID, at now: Now
  ) {
    guard rooms.index(of: space) != nil, let peer = links[present: link].session.peer,
      isMember(link, of: space)
    else { return }
    do {
      _ = try apply(change, to: space, origin: .peer(peer.replica), at: now)
      links[present: link].session.notePeerHas(change.dot, in: space)
    } catch {
      // Before the peer's catch-up is whole a gap is no surprise: its batches will fill it.
      if links[present: link].session.isLive(space), !Defect.gapNotAskedFor.isPlanted {
        askAnew(space, on: link, at: now)
      }
    }
  }
}
