import HyperbasisCore
import HyperbasisNet
import HyperbasisStore

/// What is to be written to one anchor; what is nil or absent keeps its value.
package struct AnchorEdit: Sendable {
  package var transform: Transform?
  package var position: (x: Float, y: Float, z: Float)?
  /// Nil removes the key.
  package var metadata: [(key: Key, value: Value?)] = []

  package init() {}
}

extension PeerLoop {
  // MARK: Spaces

  /// - Throws: `PeerError.unknownSpace`, `store` for one that is damaged.
  package func state(of space: SpaceID) throws(PeerError) -> SpaceState {
    if let room = engine.rooms[space] { return room.state }
    do throws(StoreError) { try checkUndamaged(space) } catch { throw PeerError(error) }
    throw .unknownSpace("\(space)")
  }

  /// Holds a new space and gives it a name.
  ///
  /// - Throws: `PeerError.invalid` when the space is held already or the name is not allowed.
  package func createSpace(_ space: SpaceID, name: String) throws(PeerError) {
    let bytes = name.utf8.count
    guard bytes > 0 else { throw .invalid("a space needs a name") }
    guard bytes <= Limits.nameBytes else {
      throw .invalid("a space name of \(bytes) bytes; at most \(Limits.nameBytes) are allowed")
    }
    guard engine.rooms[space] == nil else {
      throw .invalid("space \(space) is in this store already")
    }
    try join(space)
    let existence = Existence(created: WallClock.nanoseconds)
    try edit(space, [.spaceExistence(existence), .name(Key(name))])
  }

  // MARK: Anchors

  /// Creates an anchor, or writes to the one that is there.
  ///
  /// - Throws: `PeerError` when the anchor is deleted, or the edit is beyond a limit.
  package func put(
    _ anchor: AnchorID, in space: SpaceID, _ edit: AnchorEdit
  ) throws(PeerError) {
    let state = try state(of: space)
    var operations: [Operation] = []
    if let known = state.anchor(anchor) {
      guard known.deleted == nil else { throw .anchorIsDeleted("\(anchor)") }
    } else {
      operations.append(.existence(anchor, Existence(created: WallClock.nanoseconds)))
    }
    try append(edit, to: anchor, in: state, into: &operations, createsTransform: true)
    try self.edit(space, operations)
  }

  /// Writes to an anchor that is there and not deleted.
  package func change(
    _ anchor: AnchorID, in space: SpaceID?, _ edit: AnchorEdit
  ) throws(PeerError) {
    let (state, known) = try find(anchor, in: space)
    guard known.deleted == nil else { throw .anchorIsDeleted("\(anchor)") }
    var operations: [Operation] = []
    try append(edit, to: anchor, in: state, into: &operations, createsTransform: false)
    try self.edit(state.id, operations)
  }

  /// Deletes an anchor; one that is deleted already stays as it is.
  package func delete(_ anchor: AnchorID, in space: SpaceID?) throws(PeerError) {
    let (state, known) = try find(anchor, in: space)
    guard known.deleted == nil else { return }
    let existence = Existence(created: known.created, deleted: WallClock.nanoseconds)
    try edit(state.id, [.existence(anchor, existence)])
  }

  /// Brings a deleted anchor back as it was; one that lives stays as it is.
  package func restore(_ anchor: AnchorID, in space: SpaceID?) throws(PeerError) {
    let (state, known) = try find(anchor, in: space)
    guard known.deleted != nil else { return }
    try edit(
      state.id,
      [
        .existence(anchor, Existence(created: known.created, restored: WallClock.nanoseconds))
      ])
  }

  /// The anchor and the state of its space.
  ///
  /// - Throws: `PeerError` when no space has it, or several do and none is named.
  package func find(
    _ anchor: AnchorID, in space: SpaceID?
  ) throws(PeerError) -> (SpaceState, Anchor) {
    let states = space == nil ? engine.rooms.values.map(\.state) : [try state(of: space!)]
    let found = states.compactMap { state in state.anchor(anchor).map { (state, $0) } }
    guard let first = found.first else {
      // It may be one of a damaged space that cannot be read.
      if space == nil, let damage = damaged.first {
        throw PeerError(damage.error(path: store.directory))
      }
      throw .unknownAnchor("\(anchor)")
    }
    guard found.count == 1 else { throw .ambiguousAnchor("\(anchor)") }
    return first
  }

  /// An id is that of one anchor: where it lives elsewhere it is none for a new one.
  ///
  /// - Throws: `PeerError.invalid`, or `store` where that space is damaged.
  package func checkLivesNowhereElse(
    _ anchor: AnchorID, than space: SpaceID
  ) throws(PeerError) {
    do throws(StoreError) { try checkIsNotSetAside(anchor) } catch { throw PeerError(error) }
    let other = engine.rooms.keys.first { other in
      other != space && shownState(of: other)?.anchor(anchor).map { $0.deleted == nil } ?? false
    }
    if let other { throw .invalid("anchor \(anchor) is in space \(other) already") }
  }

  private func append(
    _ edit: AnchorEdit, to anchor: AnchorID, in state: SpaceState,
    into operations: inout [Operation], createsTransform: Bool
  ) throws(PeerError) {
    let old = state.anchor(anchor)?.transform
    var transform = edit.transform ?? (old == nil && createsTransform ? .identity : nil)
    if let position = edit.position {
      do { transform = try (transform ?? old ?? .identity).moved(to: position) } catch {
        throw PeerError(error)
      }
    }
    if let transform { operations.append(.transform(anchor, transform)) }
    var seen: Set<Key> = []
    for (key, value) in edit.metadata {
      guard seen.insert(key).inserted else {
        throw .invalid("metadata key \(key.shown) is given twice")
      }
      do { try Value.check(value ?? .null, for: key) } catch { throw PeerError(error) }
      operations.append(.metadata(anchor, key, value))
    }
  }
}
