import HyperbasisCore

/// A merge that is wrong on purpose: an exploration that finds nothing in it is blind.
package enum MergeFault: CaseIterable, Sendable {
  /// Of writes with equal timestamps the one stays that came first.
  case noTieBreak
  /// The second change of a replica advances the vector, and its data are lost.
  case vectorAhead
  /// The vector stays where it is, so that a change is taken twice.
  case vectorBehind

  func apply(
    _ change: Change, to state: inout SpaceState
  ) throws(ApplyError) -> Touched? {
    let before = state
    guard let touched = try state.apply(change) else { return nil }
    let registers = [MergeWorld.Target.transform, .key].map(\.register)
    var cells = registers.compactMap { state.cell($0) }
    switch self {
    case .noTieBreak:
      cells = registers.compactMap { register in
        guard let old = before.cell(register), old.stamp.timestamp == change.stamp.timestamp else {
          return state.cell(register)
        }
        return old
      }
    case .vectorAhead:
      guard change.dot.sequence == 2 else { return touched }
      cells = registers.compactMap { before.cell($0) }
    case .vectorBehind:
      guard change.dot.sequence == 2 else { return touched }
      state = before
      return touched
    }
    state = try SpaceState(id: state.id, vector: state.vector, cells: cells)
    return touched
  }
}
