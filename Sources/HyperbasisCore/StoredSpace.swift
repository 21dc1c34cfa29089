/// One space as a store holds it: its state, and how far its history of whole changes reaches.
///
/// Invariant: the state's vector covers the history's.
package struct StoredSpace: Sendable {
  package let state: SpaceState
  /// For each replica, the last of its changes that is kept whole; all before it are kept as well.
  package let history: VersionVector
  /// Up to where the history was given up: only what lies beyond is kept.
  package let cut: VersionVector
  /// What all members had at which times, the oldest first.
  package let marks: [RetentionMark]

  /// Precondition: the state's vector covers `history`, and that covers `cut`.
  package init(
    state: SpaceState, history: VersionVector, cut: VersionVector = VersionVector(),
    marks: [RetentionMark] = []
  ) {
    precondition(state.vector.covers(history), "the state covers the history")
    precondition(history.covers(cut), "the history covers what was cut of it")
    self.state = state
    self.history = history
    self.cut = cut
    // Those of a state that had more say nothing of this one.
    self.marks = marks.filter { state.vector.covers($0.stable) }
  }
}
