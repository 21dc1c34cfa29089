/// What a space keeps of the past.
package enum Retention: Hashable, Sendable {
  /// All changes, and all that was deleted.
  case everything
  /// What is younger than so many seconds.
  case seconds(UInt64)
  /// What it is now, and nothing else.
  case latest
}

/// What a replica is in a space that has members.
package enum Membership: Hashable, Sendable {
  /// Known when the space got members: nothing had been given up before.
  case founder
  /// Written in later, by a member that gave it all of the space.
  case joined
  /// The same, by an earlier write.
  case kept(Dot)
  /// Nobody waits for it any more; it can join again.
  case retired
}

/// A replica in a space's list of members.
package struct Member: Hashable, Sendable {
  package let replica: ReplicaID
  package let membership: Membership
  /// The write that says so.
  package let stamp: Stamp

  /// What the replica's vector covers once it has joined; nil for a founder, and a retired one.
  package var joinedBy: Dot? {
    switch membership {
    case .founder, .retired: nil
    case .joined: stamp.dot
    case .kept(let dot): dot
    }
  }

  /// The same entry as a new write says it again.
  var kept: Membership { joinedBy.map { .kept($0) } ?? membership }
}

extension SpaceState {
  /// Everything where nobody wrote another.
  package var retention: Retention {
    guard let row = spaceRegisters.retention,
      case .retention(let written) = cells.operation(at: row)
    else { return .everything }
    return written
  }

  /// Whether the space has members: changes are then exchanged with those alone, and old writes may
  /// have been given up.
  package var hasMembers: Bool { !spaceRegisters.members.isEmpty }

  /// Ascending by replica, the retired ones as well. O(members).
  package var members: [Member] { spaceRegisters.members.map { member(at: $0.register) } }

  /// The members that are not retired, ascending. O(members).
  package var activeMembers: [ReplicaID] {
    members.filter { $0.membership != .retired }.map(\.replica)
  }

  /// A replica's entry in the list of members; nil when it has none. O(log members).
  package func member(_ replica: ReplicaID) -> Member? {
    spaceRegisters.member(replica).map(member(at:))
  }

  /// The last writes of the list of members, as others are shown them.
  package var memberCells: [Cell] { spaceRegisters.members.map { cells[$0.register] } }

  private func member(at register: Int) -> Member {
    guard let member = Member(cells[register]) else {
      preconditionFailure("a register of a member")
    }
    return member
  }
}

extension Member {
  /// Nil for a cell of another register.
  package init?(_ cell: Cell) {
    guard case .member(let replica, let membership) = cell.operation else { return nil }
    self.init(replica: replica, membership: membership, stamp: cell.stamp)
  }
}
