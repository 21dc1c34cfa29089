import HyperbasisCore
import HyperbasisStore
import HyperbasisSync

/// What is known of the devices behind replica ids: this one, those that are connected and those met before.
struct PeopleBook {
  let connected: Set<ReplicaID>
  private let own: Hello
  private let former: Set<ReplicaID>
  private let met: [KnownPeer]

  init(_ loop: PeerLoop) {
    own = loop.engine.local
    former = Set(loop.settings.former.map(\.replica))
    connected = Set(loop.engine.peers.map(\.replica))
    // The names are for people; that they cannot be read must not hide the rest.
    met = (try? loop.store.knownPeers()) ?? []
  }

  func name(of replica: ReplicaID) -> String? {
    let name =
      replica == own.replica || former.contains(replica)
      ? own.name : met.first { $0.replica == replica }?.name ?? ""
    return name.isEmpty ? nil : name
  }

  /// The replica as which a device goes on: its own where it was this one, or another of the same device that was
  /// met later, while this one is not connected.
  func successor(of replica: ReplicaID) -> ReplicaID? {
    guard replica != own.replica, !connected.contains(replica) else { return nil }
    if former.contains(replica) { return own.replica }
    guard let peer = met.first(where: { $0.replica == replica }) else { return nil }
    // The latest come first.
    return met.first { $0.device == peer.device && $0.met > peer.met }?.replica
  }
}
