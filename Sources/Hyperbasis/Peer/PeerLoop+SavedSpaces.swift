import Foundation
import HyperbasisCore
import HyperbasisNet

/// What ``HBStorage`` does to spaces, in one turn each.
extension PeerLoop {
  /// The spaces that somebody made and nobody deleted, by their creation, then id.
  func shownSpaces() -> [(id: SpaceID, record: SpaceRecord)] {
    engine.rooms.keys.compactMap { id in shownRecord(of: id).map { (id, $0) } }
      .sorted { ($0.1.existence!.created, $0.0) < ($1.1.existence!.created, $1.0) }
  }

  /// Nil for a space that is unknown, deleted, or that nobody made yet.
  func shownRecord(of space: SpaceID) -> SpaceRecord? {
    guard let record = shownState(of: space)?.record, record.existence != nil else { return nil }
    return record
  }

  /// Writes what the app changed in the value, which is known from then on.
  ///
  /// - Throws: `HBStorageError`; nothing is written then.
  func save(_ space: HBSpace, map: MapReference?, peer: LocalPeer) throws(HBStorageError) {
    let id = SpaceID(space.id)
    try checkReadable(id)
    let base = base(of: space.id)?.value
    let record = (engine.rooms[id]?.state ?? SpaceState(id: id)).record
    let plan = SpacePlan(value: space, base: base, current: record, map: map, scope: scope)
    let known = record.existence == nil ? nil : record.updated
    try write(plan.operations(), to: id, date: date(of: space.updatedAt, after: known))
    let kept = map.map { WorldMap.stored(KeptWorldMap($0, at: peer)) } ?? .bytes(Data())
    notes.note(plan.baseAfter(keeping: kept))
    notes.mark(space.edits.tokens, in: scope)
  }

  /// Deletes a space on every device; one that is unknown or deleted already stays as it is.
  func deleteSpace(_ id: SpaceID) throws(HBStorageError) {
    try checkReadable(id)
    guard let state = shownState(of: id) else { return }
    let now = WallClock.nanoseconds
    let created = state.record.existence?.created ?? now
    try write(
      [.spaceExistence(Existence(created: created, deleted: now))], to: id, date: nil)
  }
}

extension PeerLoop {
  /// The map of a space that is here whole: the one in force, or the last before it.
  private func openMap(of space: SpaceID, _ record: SpaceRecord) -> MapReference? {
    guard record.map != nil else { return nil }
    return engine.mapProgress(of: space)?.isWhole == true ? record.map : maps.wholes[space]
  }

  func transferProgress(of space: SpaceID) -> HBTransferProgress {
    let progress = shownState(of: space) == nil ? nil : engine.mapProgress(of: space)
    return HBTransferProgress(
      completedBytes: Int(progress?.verifiedBytes ?? 0),
      totalBytes: Int(progress?.reference.byteCount ?? 0), isComplete: progress?.isWhole ?? true)
  }

  /// A space as apps get it; its world map is read through `peer` when it is asked for.
  func space(_ id: SpaceID, _ record: SpaceRecord, peer: LocalPeer) -> HBSpace {
    HBSpace(
      stored: UUID(id), name: record.name,
      worldMap: openMap(of: id, record).map { .stored(KeptWorldMap($0, at: peer)) }
        ?? .bytes(Data()),
      createdAt: Date(nanoseconds: record.existence?.created ?? 0),
      updatedAt: Date(nanoseconds: record.updated), from: scope)
  }
}
