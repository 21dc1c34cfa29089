import Foundation
import HyperbasisCore

/// The operations that a save of a space comes to: only what the app changed.
struct SpacePlan {
  /// The value that is saved.
  let value: HBSpace
  /// What this storage last handed out or wrote for the space, for values built afresh.
  let base: HBSpace?
  /// The space as it is here; its existence is nil where nobody made it yet.
  let current: SpaceRecord
  /// The value's world map, stored already; nil for a space without one.
  let map: MapReference?
  let scope: EditScope

  /// Whether a save may have to write the world map, so that its bytes are needed.
  ///
  /// A value built afresh without one says nothing of the map, unless that was taken out of it since.
  static func concernsMap(_ space: HBSpace, in scope: EditScope) -> Bool {
    space.edits.worldMap.isUnsaved(in: scope)
      || space.edits.isFresh(in: scope) && space.worldMapSize > 0
  }

  /// As ``concernsMap(_:in:)``.
  private var concernsName: Bool {
    value.edits.name.isUnsaved(in: scope) || value.edits.isFresh(in: scope) && value.name != nil
  }

  /// What is known of the space after the save; to be taken before its edits are marked as saved.
  func baseAfter(keeping map: WorldMap) -> HBSpace {
    let writesMap = base == nil || SpacePlan.concernsMap(value, in: scope)
    return HBSpace(
      stored: value.id, name: base == nil || concernsName ? value.name : base?.name,
      worldMap: writesMap ? map : base?.worldMap ?? .bytes(Data()),
      createdAt: value.createdAt, updatedAt: value.updatedAt, from: scope)
  }

  /// - Throws: `HBStorageError.notFound` for a value that was loaded or saved before the space was
  ///   deleted,
  ///   `encodingFailed` for a name beyond the limit.
  func operations() throws(HBStorageError) -> [Operation] {
    if let bytes = value.name?.utf8.count, bytes > Limits.nameBytes {
      let reason = "a space name of \(bytes) bytes; at most \(Limits.nameBytes) are allowed"
      throw .encodingFailed(underlying: HBValueFailure.name(reason: reason))
    }
    guard let existence = current.existence else {
      let made = Existence(created: value.createdAt.nanoseconds)
      return [.spaceExistence(made)] + everything
    }
    if existence.deleted != nil {
      guard value.edits.isNew else { throw .notFound(type: "space", id: value.id) }
      let restored = Existence(
        created: existence.created, restored: value.updatedAt.nanoseconds)
      // The map that it had is dropped on every device.
      let noMap = map == nil && current.map != nil ? [Operation.worldMap(nil)] : []
      return [.spaceExistence(restored)] + everything + noMap
    }
    var operations: [Operation] = []
    if changesName { operations.append(name) }
    if changesMap { operations.append(.worldMap(map)) }
    return operations
  }

  private var name: Operation { .name(value.name.map { Key($0) }) }

  private var everything: [Operation] {
    (value.name == nil ? [] : [name]) + (map == nil ? [] : [.worldMap(map)])
  }

  /// What was taken out of a value built afresh is removed, whoever knew it; see ``AnchorPlan``.
  private var changesMap: Bool {
    guard SpacePlan.concernsMap(value, in: scope) else { return false }
    guard value.edits.isFresh(in: scope), let base, let map else { return true }
    return base.worldMap.storedHash != map.manifest.bytes
  }

  /// As ``changesMap``.
  private var changesName: Bool {
    guard concernsName else { return false }
    guard value.edits.isFresh(in: scope), let base, let name = value.name else { return true }
    return base.name.map { Key($0) } != Key(name)
  }
}
