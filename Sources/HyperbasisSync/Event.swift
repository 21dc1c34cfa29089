import HyperbasisCore

/// What observers are told, in the order in which it became durable.
package enum Event: Equatable, Sendable {
  case connected(Peer)
  /// The last link to the peer ended.
  case gone(Peer, Farewell)
  case changed(SpaceID, Touched, Origin)
  /// What a watched space became by the change told just before: its record where that changed, and
  /// the anchors that did.
  case became(SpaceID, SpaceRecord?, [Anchor], Origin)
  /// A peer told how far it knows a space that is held here.
  case told(SpaceID, Peer)
  /// A link ended; also told for links whose peer never introduced itself.
  case linkEnded(LinkID, Peer?, Farewell)
  /// Equal vectors and another digest: a fault here or there.
  case diverged(SpaceID, Peer)
  /// A peer told of a space that is not held here.
  case offered(SpaceID, Peer)
  /// More of a space's map was checked and stored, or another map is in force.
  case mapProgress(SpaceID, MapProgress)

  package enum Origin: Equatable, Sendable {
    case local
    case peer(ReplicaID)
  }
}

/// A peer as it introduced itself.
package struct Peer: Hashable, Sendable {
  package let replica: ReplicaID
  package let device: DeviceID
  package let name: String

  init(_ hello: Hello) {
    replica = hello.replica
    device = hello.device
    name = hello.name
  }
}
