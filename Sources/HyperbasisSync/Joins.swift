import HyperbasisCore

/// What became of a space each time that this replica joined it by a snapshot.
package struct Joins: Sendable {
  /// How often that was since the start.
  package private(set) var count = 0
  /// Of the last one: how far the snapshot reached.
  package private(set) var reached = VersionVector()
  /// Who gave it.
  package private(set) var sponsor: ReplicaID?
  /// Whether something was here before.
  package private(set) var hadState = false
  /// The anchors that lived here with edits which the snapshot did not have, and are deleted there: as they
  /// were here, ascending.
  package private(set) var offered: [Anchor] = []

  mutating func note(_ snapshot: Delta, from peer: ReplicaID, over before: SpaceState) {
    count += 1
    reached = snapshot.covers
    sponsor = peer
    hadState = !before.vector.entries.isEmpty
    offered = []
  }

  /// What was written anew, and what the state is by that.
  mutating func note(_ unsent: [Operation], of before: SpaceState, in now: SpaceState) {
    let edited = Set(unsent.compactMap(\.anchor))
    offered = before.anchors().filter { anchor in
      edited.contains(anchor.id) && now.anchor(anchor.id).map { $0.deleted != nil } ?? true
    }
  }
}
