import HyperbasisCore

/// What became of a space each time that this replica joined it by a snapshot.
package struct Joins: Sendable {
  /// How often that was since the start.
  package private(set) var count = 0
  /// Of the last one: how far the snapshot reached.
  package private(set) var reached = VersionVector()
  /// Who gave it.
  package private(set) var sponsor: ReplicaID?
  /// Whether that took something's place: a state of a member, or edits that the snapshot did not have. A replica that
  /// had only what others had just becomes a member.
  package private(set) var isReturn = false
  /// The anchors that lived here with edits which the snapshot did not have, and are deleted there: as they
  /// were here, ascending.
  package private(set) var offered: [Anchor] = []

  mutating func note(_ snapshot: Delta, from peer: ReplicaID, over before: SpaceState) {
    count += 1
    reached = snapshot.covers
    sponsor = peer
    isReturn = before.hasMembers
    offered = []
  }

  /// What was written anew, and what the state is by that.
  mutating func note(_ unsent: [Operation], of before: SpaceState, in now: SpaceState) {
    isReturn = isReturn || !unsent.isEmpty
    let edited = Set(unsent.compactMap(\.anchor))
    offered = before.anchors().filter { anchor in
      edited.contains(anchor.id) && now.anchor(anchor.id).map { $0.deleted != nil } ?? true
    }
  }
}
