import HyperbasisCore
import HyperbasisNet
import HyperbasisStore

/// What a peer knows of itself and of others.
package struct PeerStatus: Sendable {
  package struct Met: Sendable {
    package let device: DeviceID
    package let replica: ReplicaID
    package let name: String
    package let isConnected: Bool
    /// `HOST:PORT` where it was reached; empty when it always dialled us.
    package let address: String
  }

  package let store: String
  package let device: DeviceID
  package let replica: ReplicaID
  /// How the store came to that replica id; nil while it has its first one.
  package let identityChange: IdentityChange?
  package let name: String
  /// The port listened on; nil before the network began.
  package let port: UInt16?
  package let discovery: (state: String, reason: String)
  /// Connected peers first, then those met before, the latest first.
  package let peers: [Met]
  /// Spaces that peers have and this store does not hold.
  package let offered: [SpaceID]
}

extension PeerLoop {
  package var status: PeerStatus {
    PeerStatus(
      store: store.directory, device: store.device, replica: store.replica,
      // It is for people; that it cannot be read must not hide the rest.
      identityChange: try? store.identityChange(), name: engine.local.name, port: network.port,
      discovery: network.discoveryState,
      peers: metPeers, offered: offeredSpaces)
  }

  private var metPeers: [PeerStatus.Met] {
    let connected = engine.peers
    // The list of peers is for people; that it cannot be read must not hide the rest.
    let known = (try? store.knownPeers()) ?? []
    let there = connected.map { peer in
      PeerStatus.Met(
        device: peer.device, replica: peer.replica, name: peer.name, isConnected: true,
        address: network.dialledAddress(of: peer.replica, in: engine)
          ?? known.first { $0.replica == peer.replica }?.address ?? "")
    }
    // Of a device that went on under another id the last one counts.
    var seen = Set(connected.map(\.device))
    let before = known.filter { seen.insert($0.device).inserted }
    return there
      + before.map { peer in
        PeerStatus.Met(
          device: peer.device, replica: peer.replica, name: peer.name, isConnected: false,
          address: peer.address)
      }
  }
}

extension PeerNetwork {
  /// A word for scripts and a line for people.
  var discoveryState: (state: String, reason: String) {
    switch status {
    case .starting, .running, .unavailable: (status.word, status.description)
    case .stopped:
      (port == nil ? "off" : "disabled", port == nil ? "the network is off" : "started without it")
    }
  }
}
