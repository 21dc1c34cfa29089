import HyperbasisCore
import HyperbasisSync

extension PeerLoop {
  /// How far this store and the connected peers are from holding the same.
  var syncProgress: SyncProgress {
    var progress = SyncProgress()
    let peers = engine.peers
    progress.peers = peers.count
    if joinsOfferedSpaces {
      let offered = offeredSpaces.filter { !settings.leftSpaces.contains($0) }
      progress.missing += UInt64(offered.count)
    }
    for space in engine.rooms.keys {
      guard let map = engine.mapProgress(of: space) else { continue }
      if !map.isWhole {
        if engine.isMapOffered(of: space) { progress.missing += 1 } else { progress.unheld += 1 }
      }
      progress.arrived += map.verifiedBytes
    }
    for (space, room) in zip(engine.rooms.keys, engine.rooms.values) {
      let own = room.state.vector
      progress.arrived += (own.entries + room.history.entries).reduce(0) { $0 + $1.sequence }
      for peer in peers {
        guard let theirs = engine.vector(of: space, at: peer.replica) else { continue }
        progress.missing += own.count(beyond: theirs) + theirs.count(beyond: own)
        let history = engine.history(of: space, at: peer.replica) ?? VersionVector()
        progress.missing +=
          room.history.count(beyond: history) + history.count(beyond: room.history)
      }
    }
    return progress
  }
}
