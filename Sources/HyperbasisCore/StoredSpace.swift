/// One space as a store holds it: its state, and how far its history of whole changes reaches.
///
/// Invariant: the state's vector covers the history's.
package struct StoredSpace: Sendable {
  package let state: SpaceState
  /// For each replica, the last of its changes that is kept whole; all before it are kept as well.
  package let history: VersionVector

  /// Precondition: the state's vector covers `history`.
  package init(state: SpaceState, history: VersionVector) {
    precondition(state.vector.covers(history), "the state covers the history")
    self.state = state
    self.history = history
  }
}
