import Foundation

/// What changed in a space, as told by ``HBStorage/changes(spaceId:)``.
///
/// ```swift
/// for await change in storage.changes(spaceId: space.id) {
///   for anchor in change.anchors where anchor.isNew { print(anchor.id, change.origin) }
/// }
/// ```
public struct HBChange: Sendable, Equatable {
  /// The space that changed.
  public let spaceId: UUID
  /// Each anchor that changed, once; sorted by id.
  public let anchors: [Anchor]
  /// The space's own name, map or life, where that changed.
  public let space: Space?
  /// Who made it visible here. Several after a reader fell behind, in the order of first occurrence.
  public let origins: [Origin]

  /// Where a change came from; of several, the last.
  public var origin: Origin { origins[origins.count - 1] }

  /// One anchor before and after.
  public struct Anchor: Sendable, Equatable, Identifiable {
    /// The anchor's id.
    public let id: UUID
    /// Nil for an anchor that was not there.
    public let before: HBAnchor?
    /// With `deletedAt` for one that was deleted; nil for one that is gone with its space or with
    /// ``HBStorage/clearLocalStorage()``.
    public let after: HBAnchor?

    /// Whether the anchor became visible, by creation or restoration.
    public var isNew: Bool { before?.isDeleted ?? true && !isDeleted }
    /// Whether the anchor is no longer visible.
    public var isDeleted: Bool { after?.isDeleted ?? true }
  }

  /// The space's own name, map and life before and after.
  public struct Space: Sendable, Equatable {
    /// Nil for a space that was not there.
    public let before: HBSpace?
    /// Nil for a space that was deleted.
    public let after: HBSpace?
  }

  /// Who made a change visible on this device.
  public enum Origin: Sendable, Hashable {
    /// This storage.
    case local
    /// A peer, which may have had it from another one.
    case peer(id: UUID, name: String)
  }
}

extension HBChange {
  /// What a reader that fell behind is told instead of several changes: each anchor once, with its
  /// first state before and its last one after.
  static func merged(_ changes: [HBChange]) -> HBChange {
    var anchors: [UUID: Anchor] = [:]
    var space: Space?
    var origins: [Origin] = []
    for change in changes {
      for anchor in change.anchors {
        let before = anchors[anchor.id].map(\.before) ?? anchor.before
        anchors[anchor.id] = Anchor(id: anchor.id, before: before, after: anchor.after)
      }
      if let new = change.space {
        space = Space(before: space.map(\.before) ?? new.before, after: new.after)
      }
      for origin in change.origins where !origins.contains(origin) { origins.append(origin) }
    }
    return HBChange(
      spaceId: changes[0].spaceId, anchors: anchors.values.sorted { $0.id.bits < $1.id.bits },
      space: space, origins: origins)
  }
}
