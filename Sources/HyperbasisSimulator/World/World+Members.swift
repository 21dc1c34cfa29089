import HyperbasisCore
import HyperbasisSync

/// What a world does about members of spaces and what those keep of their past.
extension World {
  /// A step that says what a space keeps, or has nobody wait for a peer any more.
  func keep(_ action: Step.Action, in space: SpaceID, at node: Node, _ time: Now) {
    let change: Change?
    if action.kind == .retain {
      let retention: Retention =
        switch action.value % 6 {
        case 0: .everything
        case 1: .seconds(UInt64(action.value) % 5)
        default: .latest
        }
      change = node.engine.retain(retention, in: space, at: time)
    } else {
      let other = nodes[action.anchor % nodes.count]
      change = node.engine.retire(other.replica, from: space, at: time)
    }
    guard let change else { return }
    counts.edits += 1
    node.edits.append((space, change))
  }

  /// The spaces with members at a peer, and those that it joins, with how often it joined each. None is copied where
  /// there are none.
  func membered(at node: Node) -> [(state: SpaceState, joins: Int)] {
    node.ask { engine in
      engine.rooms.indices
        .filter { engine.rooms[at: $0].state.hasMembers || engine.rooms[at: $0].joining != nil }
        .map { (engine.rooms[at: $0].state, engine.rooms[at: $0].joins.count) }
    }
  }

  /// Notes what a peer had before that it joined just now.
  func noteJoins(of known: [(state: SpaceState, joins: Int)], at node: Node) {
    for (before, joins) in known {
      guard let now = node.ask({ $0.rooms[before.id]?.joins }), now.count > joins else { continue }
      node.joined.append((before, now.reached))
    }
  }

  /// The edits of a turn, with those that the engine made by itself as others joined, or as it joined; of
  /// each space in the order in which they were made.
  func allEdits(of node: Node, with writes: [SpaceWrites]) -> [(space: SpaceID, change: Change)] {
    var edits = node.edits
    for write in writes where write.spaceRecord.contains(where: { Member($0) != nil }) {
      let known = node.edits.filter { $0.space == write.space }.map(\.change.dot.sequence)
      for row in write.changes
      where row.change.dot.replica == node.replica && !known.contains(row.change.dot.sequence) {
        edits.append((write.space, row.change))
      }
    }
    if edits.count > node.edits.count {
      edits.sort { $0.change.dot.sequence < $1.change.dot.sequence }
    }
    return edits
  }

  /// The anchors that a change brings back, of which its author had given up something.
  func rebirths(by change: Change, in space: SpaceID, at node: Node) -> [Model.Rebirth] {
    guard let state = node.ask({ $0.rooms[space]?.state }), state.hasMembers else { return [] }
    return change.operations.compactMap { operation in
      guard case .existence(let anchor, let existence) = operation, existence.deleted == nil
      else { return nil }
      return Model.Rebirth(
        anchor: anchor, coverage: Coverage(state.vector),
        held: Set(state.record(of: anchor).map(\.operation.register)))
    }
  }

  /// Notes what a peer that joined others has given up, and what those had that it did not bring back.
  func note(_ join: (before: SpaceState, reached: VersionVector), at node: Node) {
    let (before, reached) = join
    model.giveUp(before, beyond: reached)
    for rebirth in rebirths(by: before, beyond: reached, at: node) {
      model.revive(rebirth, in: before.id)
    }
    guard let state = node.ask({ $0.rooms[before.id]?.state }) else { return }
    for anchor in before.anchors(includingDeleted: true).map(\.id) {
      let left = before.record(of: anchor).filter { cell in
        !reached.covers(cell.stamp.dot)
          && state.stamp(of: cell.operation.register).map { $0 < cell.stamp } ?? true
      }
      model.leaveOut(left.map(\.operation.register), of: before, beyond: reached)
    }
  }

  /// The anchors that a peer kept as it joined others, of which these had given up something.
  private func rebirths(
    by before: SpaceState, beyond reached: VersionVector, at node: Node
  ) -> [Model.Rebirth] {
    guard let state = node.ask({ $0.rooms[before.id]?.state }) else { return [] }
    return before.anchors(includingDeleted: false).compactMap { anchor in
      guard let existence = before.stamp(of: .existence(anchor.id)),
        !reached.covers(existence.dot), state.stamp(of: .existence(anchor.id)) == existence
      else { return nil }
      return Model.Rebirth(
        anchor: anchor.id, coverage: Coverage(reached),
        held: Set(state.record(of: anchor.id).map(\.operation.register)))
    }
  }
}
