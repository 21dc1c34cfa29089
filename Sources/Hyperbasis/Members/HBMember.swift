import Foundation

/// A store that a space lists: nothing is given up that it may not have yet.
///
/// A space has members from the first ``HBStorage/setRetention(_:spaceId:)`` on. One member is one store, so a
/// device is listed twice where its store took a new ``HBStorage/actorId``.
public struct HBMember: Identifiable, Hashable, Sendable {
  /// The store; the ``HBStorage/actorId`` of its changes.
  public let id: UUID
  /// What its device calls itself; nil where this storage never met it.
  public let name: String?
  /// Whether it is this very storage.
  public let isThisDevice: Bool
  /// Whether there is a link to it now.
  public let isConnected: Bool
  /// When it became a member or, where it is retired, when it ceased to be one.
  public let since: Date
  /// Whether nobody waits for it any more. If it comes back it joins anew.
  public let isRetired: Bool
  /// Whether something is kept for it now that would else be given up.
  public let isWaitedFor: Bool
  /// How many changes are here that it is not known to have; nil where it has told nothing since it became a
  /// member, as it was not met since.
  public let missingChanges: Int?
  /// The id under which its device goes on, where that is known: it took a new one, and this one can be retired
  /// unless a copy of its directory still uses it.
  public let successorId: UUID?
}

/// What of a space's past is kept longer than its ``HBRetention`` says, and for whom.
public struct HBHeldBack: Hashable, Sendable {
  /// Anchors that are deleted.
  public let deletedAnchors: Int
  /// Metadata keys that were removed from living anchors.
  public let removedKeys: Int
  /// Changes of the history; with a time span those that not all members are known to have.
  public let changes: Int
  /// The members that are not known to have all that is here, ascending by id.
  public let waitingFor: [HBMember]
  /// Whether this storage is no member itself, and so gives up nothing: it joins when it meets one.
  public let waitsToJoin: Bool

  /// Whether nothing is held back.
  public var isEmpty: Bool { deletedAnchors == 0 && removedKeys == 0 && changes == 0 }
}
