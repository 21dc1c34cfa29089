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
  static func concernsMap(_ space: HBSpace, base: HBSpace?, in scope: EditScope) -> Bool {
    guard space.edits.isFresh(in: scope) else { return space.edits.worldMap.isUnsaved(in: scope) }
    return space.worldMapSize > 0 || base?.worldMapSize ?? 0 > 0
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
      return [.spaceExistence(restored)] + everything
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

  private var changesMap: Bool {
    guard SpacePlan.concernsMap(value, base: base, in: scope) else { return false }
    guard value.edits.isFresh(in: scope), let base else { return true }
    return base.worldMap.storedHash != map?.manifest.bytes
  }

  private var changesName: Bool {
    guard value.edits.isFresh(in: scope) else { return value.edits.name.isUnsaved(in: scope) }
    guard let base else { return value.name != nil }
    return base.name.map { Key($0) } != value.name.map { Key($0) }
  }
}
