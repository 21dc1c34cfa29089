import Foundation

/// A device that this storage is connected to, or was since it was opened.
public struct HBPeerInfo: Identifiable, Hashable, Sendable {
  /// The peer's store; the ``HBStorage/actorId`` of its changes.
  public let id: UUID
  /// What the peer calls itself, for people.
  public let name: String
  /// Whether there is a link to it now.
  public let isConnected: Bool
  /// When it was last heard.
  public let lastContact: Date

  /// The peer's ``HBStorage/actorId``, as events have it.
  public var actorId: String { id.uuidString }
}

/// How far a peer and this storage are with one space, as far as the peer told.
public struct HBSyncStatus: Identifiable, Hashable, Sendable {
  /// The peer, as it was when this was told.
  public let peer: HBPeerInfo
  /// Changes that are here and that the peer has not confirmed.
  public let peerIsBehindBy: Int
  /// Changes that the peer has and that are not here.
  public let isBehindPeerBy: Int

  /// The peer's id.
  public var id: UUID { peer.id }
  /// Whether both have the same changes; true also of a peer that is gone and had them.
  public var isInSync: Bool { peerIsBehindBy == 0 && isBehindPeerBy == 0 }
  /// When the peer was last heard.
  public var lastContact: Date { peer.lastContact }
}
