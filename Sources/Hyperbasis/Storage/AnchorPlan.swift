import Foundation
import HyperbasisCore

/// The operations that a save of an anchor comes to: only what the app changed.
///
/// `Docs/API.md`, "Saves are three-way", has the rules.
struct AnchorPlan {
  /// The value that is saved.
  let value: HBAnchor
  /// What this storage last handed out or wrote for the anchor, for values built afresh.
  let base: SaveBase?
  /// The anchor as the space has it; nil when it has none.
  let current: Anchor?
  let scope: EditScope
  /// Whether anchors that are deleted may be given up, so that the space has nothing of them.
  var mayBeGone = false

  /// Every register at most once; what the state has already is dropped when they are applied.
  ///
  /// - Throws: `HBStorageError.encodingFailed` naming the field that cannot be saved, `notFound` for an anchor that
  ///   was here, and whose deletion is given up.
  func operations() throws(HBStorageError) -> [Operation] {
    guard let current else {
      if mayBeGone, isOfKnownAnchor { throw .notFound(type: "anchor", id: value.id) }
      return try creation()
    }
    return value.edits.isFresh(in: scope)
      ? try differences(to: current) : try edits(over: current)
  }

  private var id: AnchorID { AnchorID(value.id) }

  /// Whether the app has the anchor from this storage: to make it anew would undo its deletion. A value built afresh
  /// may, where this device deleted it.
  private var isOfKnownAnchor: Bool {
    !value.edits.isFresh(in: scope) || base.map { !$0.value.isDeleted } ?? false
  }

  /// An anchor that is new to the space: all of it.
  private func creation() throws(HBStorageError) -> [Operation] {
    let existence = Existence(
      created: value.createdAt.nanoseconds, deleted: value.deletedAt?.nanoseconds)
    var operations: [Operation] = [.existence(id, existence), try transform()]
    for key in value.metadata.keys { operations.append(try metadata(Key(key))) }
    return operations
  }

  /// A value built afresh: what differs from the base; without one, all that it has.
  private func differences(to current: Anchor) throws(HBStorageError) -> [Operation] {
    var operations: [Operation] = []
    if changesExistence { operations.append(contentsOf: existence(over: current)) }
    let base = self.base?.value
    if base.map({ !$0.transform.isIdentical(to: value.transform) }) ?? true {
      operations.append(try transform())
    }
    for (key, new) in value.metadata {
      if let old = base?.metadata.exactValue(for: key), old.isIdentical(to: new) { continue }
      operations.append(try metadata(Key(key)))
    }
    let removed = WrittenFields(value.edits, in: scope).removedKeys(of: value, over: self.base)
    for key in removed { operations.append(.metadata(id, key, nil)) }
    return operations
  }

  /// Of a value built afresh: it was deleted or restored, or the base is otherwise.
  private var changesExistence: Bool {
    if value.edits.existence.isUnsaved(in: scope) { return true }
    return base.map { $0.value.isDeleted != value.isDeleted } ?? value.isDeleted
  }

  /// A value that was loaded: the edits that no copy of it has saved.
  private func edits(over current: Anchor) throws(HBStorageError) -> [Operation] {
    var operations: [Operation] = []
    if value.edits.existence.isUnsaved(in: scope) {
      operations.append(contentsOf: existence(over: current))
    }
    if value.edits.transform.isUnsaved(in: scope) { operations.append(try transform()) }
    for key in value.edits.unsavedKeys(in: scope) { operations.append(try metadata(key)) }
    return operations
  }

  /// Nothing where the anchor is deleted, or alive, already.
  private func existence(over current: Anchor) -> [Operation] {
    guard value.isDeleted != (current.deleted != nil) else { return [] }
    let existence =
      value.deletedAt.map { Existence(created: current.created, deleted: $0.nanoseconds) }
      ?? Existence(created: current.created, restored: value.updatedAt.nanoseconds)
    return [.existence(id, existence)]
  }

  private func transform() throws(HBStorageError) -> Operation {
    do { return .transform(id, try Transform(value.transform)) } catch {
      throw HBStorageError(error)
    }
  }

  private func metadata(_ key: Key) throws(HBStorageError) -> Operation {
    let given = value.metadata.exactValue(for: key.text)
    // Before it is converted, which takes stack for each level.
    if given?.isDeeper(than: Limits.valueDepth) ?? false {
      throw HBStorageError(ValueError.tooDeep(key))
    }
    let new = given?.value
    do { try Value.check(new ?? .null, for: key) } catch { throw HBStorageError(error) }
    return .metadata(id, key, new)
  }
}
