import HyperbasisCore

/// What a space could have given up, and has not.
package struct HeldBack: Equatable, Sendable {
  package var hidden = HiddenWrites()
  /// Changes of the history: with a time span those that not all members are known to have.
  package var changes: UInt64 = 0
  /// The members that are waited for, ascending; all of them where this replica is none.
  package var members: [ReplicaID] = []
  /// Whether this replica is none of the members, and so gives up nothing.
  package var isNoMember = false

  package init() {}
}

extension Engine {
  /// What of a space is kept for the sake of members, beyond what its retention keeps; nothing where it keeps
  /// everything, and nil for a space that is not held. O(registers).
  package func heldBack(in space: SpaceID, at now: Now) -> HeldBack? {
    guard let index = rooms.index(of: space) else { return nil }
    let state = rooms[at: index].state
    var held = HeldBack()
    guard state.hasMembers, let age = state.retention.milliseconds else { return held }
    let time =
      age == 0 ? Timestamp(bits: .max) : Timestamp(milliseconds: now.wall - min(now.wall, age))
    held.hidden = state.hiddenWrites(before: time)
    held.isNoMember = state.member(local.replica).map { $0.membership == .retired } ?? true
    held.members = held.isNoMember ? state.activeMembers : waitsFor(in: space)
    var given = rooms[at: index].members.cut
    if age > 0 { given.merge(known(toAllMembersOf: space)) }
    held.changes = rooms[at: index].history.count(beyond: given)
    return held
  }

  /// How many changes of a space are here that a member is not known to have; nil where it has told nothing
  /// since it became one.
  package func lag(of member: ReplicaID, in space: SpaceID) -> UInt64? {
    guard let index = rooms.index(of: space), let entry = rooms[at: index].state.member(member)
    else { return nil }
    if member == local.replica { return 0 }
    let vector = rooms[at: index].state.vector
    return rooms[at: index].told(by: entry).map { vector.count(beyond: $0.vector) }
  }

  /// What all members that are not retired told that they have.
  private func known(toAllMembersOf space: SpaceID) -> VersionVector {
    var least = rooms[space]!.state.vector
    for member in rooms[space]!.state.members
    where member.replica != local.replica && member.membership != .retired {
      guard let told = rooms[space]!.told(by: member) else { return VersionVector() }
      least = least.least(told.vector)
    }
    return least
  }
}

extension Retention {
  /// How long the past is kept; nil for ever.
  fileprivate var milliseconds: UInt64? {
    switch self {
    case .everything: nil
    case .seconds(let seconds):
      seconds.multipliedReportingOverflow(by: 1_000).overflow ? .max : seconds * 1_000
    case .latest: 0
    }
  }
}
