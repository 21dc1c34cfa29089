import HyperbasisCore
import HyperbasisSync

extension PeerLoop {
  /// How far this store and the connected peers are from holding the same.
  var syncProgress: SyncProgress {
    var progress = SyncProgress()
    let peers = engine.peers
    progress.peers = peers.count
    if joinsOfferedSpaces {
      let offered = engine.offeredSpaces.filter { !settings.leftSpaces.contains($0) }
      progress.missing += UInt64(offered.count)
    }
    for (space, room) in zip(engine.rooms.keys, engine.rooms.values) {
      let own = room.state.vector
      progress.arrived += own.entries.reduce(0) { $0 + $1.sequence }
      for peer in peers {
        guard let theirs = engine.vector(of: space, at: peer.replica) else { continue }
        progress.missing += own.count(beyond: theirs) + theirs.count(beyond: own)
      }
    }
    return progress
  }
}
