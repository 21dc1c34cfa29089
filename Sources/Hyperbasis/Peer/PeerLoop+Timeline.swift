import Foundation
import HyperbasisCore
import HyperbasisNet
import HyperbasisStore

/// What ``HBStorage`` asks of the history, in one turn each.
extension PeerLoop {
  /// Bytes of changes read in one turn.
  private static let historyBytes = 262_144

  /// Some of the changes beyond `start`, from each author without gaps; none when there are no more,
  /// and of a space that is unknown or deleted.
  func changes(of space: SpaceID, after start: VersionVector) throws(HBStorageError) -> [Change] {
    commit()
    try checkReadable(space)
    guard shownState(of: space) != nil, let room = engine.rooms[space] else { return [] }
    do throws(StoreError) {
      return try store.changes(
        of: space, after: start, upTo: room.history, bytes: PeerLoop.historyBytes)
    } catch {
      throw HBStorageError(error)
    }
  }

  /// The anchor with this id in whichever space that is not deleted, purged ones included.
  func find(_ id: AnchorID) throws(HBStorageError) -> (space: SpaceID, anchor: Anchor)? {
    if let located = try locate(id) { return located }
    for space in engine.rooms.keys {
      if let anchor = shownState(of: space)?.anchor(id) { return (space, anchor) }
    }
    return nil
  }

  func events(of anchor: AnchorID, in space: SpaceID) throws(HBStorageError) -> [HBAnchorEvent] {
    commit()
    try checkReadable(space)
    guard let slot = engine.rooms[space]?.state.slotNumber(of: anchor) else { return [] }
    var projection = EventProjection(space: space)
    do throws(StoreError) {
      return try store.changes(of: space, slot: slot)
        .flatMap { projection.events(of: $0) }
        .filter { $0.anchorId == UUID(anchor) }
    } catch {
      throw HBStorageError(error)
    }
  }

  /// Returns the anchor as it is then.
  func rollBack(_ id: AnchorID, toVersion version: Int) throws(HBStorageError) -> HBAnchor {
    guard let (space, current) = try find(id) else {
      throw .notFound(type: "anchor", id: UUID(id))
    }
    let events = try events(of: id, in: space)
    guard events.first?.type == .created else {
      throw .reconstructionFailed(anchorId: UUID(id))
    }
    guard events.contains(where: { $0.version == version }) else {
      throw .versionNotFound(anchorId: UUID(id), version: version)
    }
    let past = events.prefix { $0.version <= version }
    let transform = past.compactMap(\.transform).last ?? []
    let metadata = past.compactMap(\.metadata).last ?? [:]
    var anchor = HBAnchor(current, in: space, from: scope)
    anchor.transform = transform
    anchor.metadata = metadata
    let edits = AnchorPlan(value: anchor, base: nil, current: current, scope: scope)
    let restored = Existence(created: current.created, restored: WallClock.nanoseconds)
    try write([.existence(id, restored)] + edits.operations(), to: space, date: nil)
    return HBAnchor(engine.rooms[space]!.state.anchor(id)!, in: space, from: scope)
  }
}
