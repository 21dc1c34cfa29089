import HyperbasisCore

/// A real peer that has stopped: what its store holds, to be checked as the disk of a simulated one.
package struct StoppedPeer: Sendable {
  package let name: String
  /// Whose changes are those of this peer.
  package let replica: ReplicaID
  package let states: [SpaceState]
  let histories: [SpaceHistory]

  /// What a store gives: its spaces, each with the whole changes that it keeps and their slots.
  package init(
    name: String, replica: ReplicaID, spaces: [(stored: StoredSpace, changes: [LoggedChange])]
  ) {
    let spaces = spaces.sorted { $0.stored.state.id < $1.stored.state.id }
    self.name = name
    self.replica = replica
    states = spaces.map(\.stored.state)
    histories = spaces.map { stored, changes in
      SpaceHistory(
        space: stored.state.id, state: stored.state.vector,
        anchors: StoppedPeer.anchorsBySlot(stored.state), vector: stored.history,
        changes: changes.sorted { $0.change.dot.sequence < $1.change.dot.sequence })
    }
  }

  /// The whole changes of one space that this peer made, the first one first.
  package func ownChanges(in space: SpaceID) -> [Change] {
    (histories.first { $0.space == space }?.changes ?? []).map(\.change)
      .filter { $0.dot.replica == replica }
  }

  private static func anchorsBySlot(_ state: SpaceState) -> [AnchorID] {
    var anchors = Array(repeating: AnchorID(0), count: state.anchorCount)
    for anchor in state.anchors(includingDeleted: true) {
      if let slot = state.slotNumber(of: anchor.id) { anchors[slot] = anchor.id }
    }
    return anchors
  }
}

/// The checkers of the simulation over the stores of real peers that have stopped.
///
/// The model is what each store holds of its own peer's changes: whoever else has more of them than
/// their author was told of something that was not durable.
package enum StoppedPeerCheckers {
  /// What is wrong, the first finding of each rule at each peer.
  package static func faults(in peers: [StoppedPeer]) -> [String] {
    var model = Model()
    var faults: [String] = []
    for peer in peers {
      for history in peer.histories {
        for row in history.changes where row.change.dot.replica == peer.replica {
          let fault = model.record(row.change, in: history.space)
          if let fault { faults.append("\(peer.name): \(fault)") }
        }
      }
    }
    for peer in peers {
      for (rule, fault) in eachFault(of: peer, model) {
        faults.append("\(peer.name): \(rule): \(fault)")
      }
    }
    let states = peers.map(\.states)
    let all = [
      ("convergence", ConvergenceChecker.fault(in: states)),
      ("lost edit", LossChecker.fault(in: states, model)),
      ("every change once", EveryChangeOnceChecker.fault(in: peers.map(\.histories), model)),
    ]
    return faults + all.compactMap { rule, fault in fault.map { "\(rule): \($0)" } }
  }

  private static func eachFault(
    of peer: StoppedPeer, _ model: Model
  ) -> [(rule: String, fault: String)] {
    var faults: [(String, String)] = []
    if let (rule, fault) = Checkers.fault(in: peer.states, model) { faults.append((rule, fault)) }
    for history in peer.histories {
      if let fault = HistoryChecker.fault(in: history, from: 0, model) {
        faults.append(("history", fault))
      }
    }
    for state in peer.states {
      if let fault = DigestChecker.fault(of: state) { faults.append(("same digest", fault)) }
    }
    do {
      if let fault = try ReplayChecker.fault(live: peer.states, peer.histories) {
        faults.append(("replay", fault))
      }
    } catch {
      faults.append(("replay", "the history has a gap: \(error)"))
    }
    return faults
  }
}
