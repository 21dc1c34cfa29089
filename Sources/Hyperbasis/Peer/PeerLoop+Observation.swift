import Foundation
import HyperbasisCore
import HyperbasisNet
import HyperbasisSync

/// What ``HBStorage`` tells apps of, on the loop's thread.
extension PeerLoop {
  // MARK: Changes

  /// Tells of every change of a space from now on; returns the number for ``unwatch(_:)``.
  func watch(
    _ space: SpaceID, show: @escaping (SpaceRecord?) -> HBSpace?,
    tell: @escaping (ToldChange) -> Void, finish: @escaping () -> Void
  ) -> Int {
    let watch = SpaceWatch(
      space, state: shownState(of: space), scope: scope, show: show, tell: tell)
    engine.watch(space)
    let number = observe(
      { [unowned self] news in
        switch news {
        case .event(.became(space, let record, let anchors, let origin)):
          watch.became(record: record, anchors: anchors, origin: name(origin))
        case .cleared: watch.emptied()
        default: break
        }
      },
      finish: finish)
    watches[number] = watch
    return number
  }

  func unwatch(_ number: Int) {
    forget(observer: number)
    guard let space = watches.removeValue(forKey: number)?.space else { return }
    if !watches.values.contains(where: { $0.space == space }) { engine.unwatch(space) }
  }

  private func name(_ origin: Event.Origin) -> HBChange.Origin {
    switch origin {
    case .local: .local
    case .peer(let replica):
      .peer(id: UUID(replica), name: book.entries[replica]?.peer.name ?? "")
    }
  }

  // MARK: Peers

  /// Connected ones first, then those last heard first. What a device was before it went on under another id is none.
  var peerInfos: [HBPeerInfo] {
    let connected = Set(engine.peers.map(\.replica))
    let latest = book.latest { connected.contains($0) }
    return latest.map { self.info($0, isConnected: connected.contains($0.peer.replica)) }
      .sorted {
        ($0.isConnected ? 0 : 1, -$0.lastContact.timeIntervalSince1970, $0.id.uuidString)
          < ($1.isConnected ? 0 : 1, -$1.lastContact.timeIntervalSince1970, $1.id.uuidString)
      }
  }

  private func info(_ entry: PeerBook.Entry, isConnected: Bool) -> HBPeerInfo {
    HBPeerInfo(
      id: UUID(entry.peer.replica), name: entry.peer.name, isConnected: isConnected,
      lastContact: Date(nanoseconds: entry.lastContact))
  }

  /// One entry for each peer that told of the space.
  func syncStatus(of space: SpaceID) -> [HBSyncStatus] {
    let own = engine.rooms[space]?.state.vector ?? VersionVector()
    let infos = peerInfos
    return infos.compactMap { info in
      guard let vector = book.entries[ReplicaID(info.id)]?.vectors[space] else { return nil }
      return HBSyncStatus(
        peer: info, peerIsBehindBy: Int(clamping: own.count(beyond: vector)),
        isBehindPeerBy: Int(clamping: vector.count(beyond: own)))
    }
  }

  /// Changes made here that no peer is known to have.
  var pendingChanges: Int {
    pendingChanges(of: engine.local.replica) + (previousReplica.map(pendingChanges) ?? 0)
  }

  private func pendingChanges(of replica: ReplicaID) -> Int {
    zip(engine.rooms.keys, engine.rooms.values).reduce(0) { count, room in
      let (made, confirmed) = (room.1.state.vector[replica], book.confirmed(replica, in: room.0))
      return count + Int(clamping: made - min(made, confirmed))
    }
  }

  /// Keeps the book of peers, and joins what they offer where the configuration says so.
  func note(_ event: Event) {
    let now = WallClock.nanoseconds
    switch event {
    case .connected(let peer), .gone(let peer, _): book.met(peer, at: now)
    case .told(let space, let peer):
      guard let vector = engine.vector(of: space, at: peer.replica) else { return }
      book.told(peer, space, vector, at: now)
    case .changed(let space, _, .peer(let replica)):
      // What came from a peer is what it has.
      guard let peer = engine.peers.first(where: { $0.replica == replica }) else { return }
      var vector = book.entries[replica]?.vectors[space] ?? VersionVector()
      vector.merge(engine.vector(of: space, at: replica) ?? VersionVector())
      book.told(peer, space, vector, at: now)
    case .offered(let space, _):
      note(offer: space)
      guard joinsOfferedSpaces, !settings.leftSpaces.contains(space), mayHold(space) else {
        return
      }
      reactor.post { [self] in
        do { try join(space) } catch { tell(.notice("\(error)")) }
      }
    default: break
    }
  }

  /// Peers could make up any number of spaces; no more are kept than can be held.
  func note(offer space: SpaceID) {
    if offersWhenLastOn.count < Limits.spaces { offersWhenLastOn.insert(space) }
  }
}
