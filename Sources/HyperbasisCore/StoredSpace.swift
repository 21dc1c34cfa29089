/// One space as a store holds it: its state, and how far its history of whole changes reaches.
///
/// Invariant: the state's vector covers the history's.
package struct StoredSpace: Sendable {
  package let state: SpaceState
  /// For each replica, the last of its changes that is kept whole; all before it are kept as well.
  package let history: VersionVector
  /// Up to where the history was given up: only what lies beyond is kept.
  package let cut: VersionVector

  /// Precondition: the state's vector covers `history`, and that covers `cut`.
  package init(
    state: SpaceState, history: VersionVector, cut: VersionVector = VersionVector()
  ) {
    precondition(state.vector.covers(history), "the state covers the history")
    precondition(history.covers(cut), "the history covers what was cut of it")
    self.state = state
    self.history = history
    self.cut = cut
  }
}
