extension SpaceState {
  /// The space's own registers, as indices.
  struct SpaceRegisters: Sendable {
    var name: Int?
    var existence: Int?
    var map: Int?
    var retention: Int?
    /// Ascending by replica.
    var members: [(replica: ReplicaID, register: Int)] = []

    /// Each that was written, in the order name, existence, map, retention, members.
    func visit(_ body: (Int) -> Void) {
      if let name { body(name) }
      if let existence { body(existence) }
      if let map { body(map) }
      if let retention { body(retention) }
      for member in members { body(member.register) }
    }

    func member(_ replica: ReplicaID) -> Int? {
      let index = members.firstIndex(notBelow: { $0.replica < replica })
      guard index < members.count, members[index].replica == replica else { return nil }
      return members[index].register
    }

    /// The index of the register that an operation writes to. Precondition: it has no anchor.
    func index(of operation: Operation) -> Int? {
      switch operation {
      case .name: name
      case .spaceExistence: existence
      case .worldMap: map
      case .retention: retention
      case .member(let replica, _): member(replica)
      case .existence, .transform, .metadata: preconditionFailure("it has an anchor")
      }
    }

    /// Notes where the register is that an operation writes to. Precondition: it has no anchor, and the
    /// register was not written before.
    mutating func link(_ register: Int, to operation: Operation) {
      switch operation {
      case .name: name = register
      case .spaceExistence: existence = register
      case .worldMap: map = register
      case .retention: retention = register
      case .member(let replica, _):
        let index = members.firstIndex(notBelow: { $0.replica < replica })
        members.insert((replica, register), at: index)
      case .existence, .transform, .metadata: preconditionFailure("it has an anchor")
      }
    }
  }
}
