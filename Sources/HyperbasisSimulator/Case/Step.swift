import HyperbasisCore

/// One operation of a workload: what a peer is asked to do, and when.
///
/// Any step is legal in any world: numbers are taken modulo what there is, and what an action cannot do
/// to the state that it meets is turned into what it can, or into nothing.
package struct Step: Equatable, Sendable {
  /// Milliseconds after the start.
  package var time: Int
  package var node: Int
  package var space: Int
  package var past: Past
  /// More than one make a transaction.
  package var actions: [Action]

  /// What is done, to what, and with what: the numbers say more only for some kinds.
  package struct Action: Equatable, Sendable {
    package var kind: Kind
    package var anchor: Int
    package var key: UInt8
    package var value: UInt8
  }

  package enum Kind: UInt8, CaseIterable, Sendable {
    case create, move, set, unset, delete, restore
    /// As it was made: no rotation, no keys, alive.
    case rollback
    case rename, map, deleteSpace, restoreSpace, join
    /// All values of an anchor, and its transform, to others that look the same.
    case setAlike
    /// What the space keeps of its past.
    case retain
    /// Nobody waits for a peer any more.
    case retire
  }

  /// When it happened, for a step that is recorded afterwards, as an import does.
  package enum Past: UInt8, CaseIterable, Sendable {
    case now, thisMillisecond, millisecond, second, minute, quarter

    /// Milliseconds ago; nil for a step that happens when it is asked for.
    var milliseconds: UInt64? {
      switch self {
      case .now: nil
      case .thisMillisecond: 0
      case .millisecond: 1
      case .second: 1_000
      case .minute: 60_000
      case .quarter: 1_000_000
      }
    }
  }
}

extension Step {
  /// The operations of this step on a state; each register at most once, the first write wins.
  func operations(on state: SpaceState, wall: UInt64, _ options: SimulationOptions) -> [Operation] {
    let all = actions.flatMap { operations(for: $0, on: state, wall: Int64(wall), options) }
    guard actions.count > 1 else { return all }
    var seen = Set<Register>()
    return all.filter { seen.insert($0.register).inserted }
  }

  package static func anchorID(_ number: Int) -> AnchorID {
    AnchorID(UInt128(number + 1) &* 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
  }

  private func operations(
    for action: Action, on state: SpaceState, wall: Int64, _ options: SimulationOptions
  ) -> [Operation] {
    let id = Step.anchorID(action.anchor % options.anchors)
    let key = AwkwardValues.key(action.key)
    let transform = AwkwardValues.transform(action.key, action.value)
    switch action.kind {
    case .create:
      guard state.anchor(id) == nil else { return [.transform(id, transform)] }
      return [
        .existence(id, Existence(created: wall)), .transform(id, transform),
        .metadata(id, "kind", .string("wall")),
      ]
    case .move: return [.transform(id, transform)]
    case .set:
      let areLarge = options.largeValues.part > 0
      return [.metadata(id, key, AwkwardValues.value(action.value, areLarge: areLarge))]
    case .unset: return [.metadata(id, key, nil)]
    case .delete:
      guard let anchor = state.anchor(id), anchor.deleted == nil else { return [] }
      return [.existence(id, Existence(created: anchor.created, deleted: wall))]
    case .restore:
      guard let anchor = state.anchor(id), anchor.deleted != nil else { return [] }
      return [.existence(id, Existence(created: anchor.created, restored: wall))]
    case .rollback: return state.anchor(id).map { rollback($0, wall: wall) } ?? []
    case .rename: return [.name(action.value % 9 == 0 ? nil : key)]
    case .map:
      let map = action.value % 8 == 0 ? nil : Int(action.value) % SimulatedMap.numbers.count
      return [.worldMap(map.map(SimulatedMap.reference))]
    case .deleteSpace:
      let created = state.record.existence?.created ?? wall
      return [.spaceExistence(Existence(created: created, deleted: wall))]
    case .restoreSpace:
      let created = state.record.existence?.created ?? wall
      return [.spaceExistence(Existence(created: created, restored: wall))]
    case .join, .retain, .retire: return []
    case .setAlike: return state.anchor(id).map(Alike.operations) ?? []
    }
  }

  private func rollback(_ anchor: Anchor, wall: Int64) -> [Operation] {
    var operations: [Operation] = [.transform(anchor.id, .identity)]
    if anchor.deleted != nil {
      operations.append(
        .existence(anchor.id, Existence(created: anchor.created, restored: wall)))
    }
    return operations + anchor.metadata.entries.map { .metadata(anchor.id, $0.key, nil) }
  }
}
