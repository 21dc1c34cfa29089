import HyperbasisCore
import HyperbasisSync

/// Where the checkers are called: they look at everything and share no code with what they check.
extension World {
  /// What must hold at any moment at a peer that is between two turns; `anew` compares what was
  /// compared before as well.
  func check(_ node: Node, anew: Bool = false) {
    guard node.isUp else { return }
    let states = node.states
    if let (checker, text) = Checkers.fault(in: states, model) { fail(checker, at: node, text) }
    if let text = MapChecker.fault(in: node.maps) { fail("maps", at: node, text) }
    if let text = historyFault(at: node, anew: anew) { fail("history", at: node, text) }
    for state in states {
      if let text = node.observer.fault(state) { fail("observers", at: node, text) }
    }
    checkApp(node)
    if let text = BoundsChecker.fault(node, peers: nodes.count) {
      fail("bounds", at: node, text)
    }
  }

  private func historyFault(at node: Node, anew: Bool) -> String? {
    let kept = node.disk.histories
    for history in kept {
      let start = anew ? 0 : node.checkedChanges[history.space] ?? 0
      if let text = HistoryChecker.fault(in: history, from: start, model) { return text }
      node.checkedChanges[history.space] = history.changes.count
    }
    let rooms = node.engine.rooms
    for history in kept where rooms[history.space]?.history != history.vector {
      return "the vector that is told is not the one that is kept"
    }
    return nil
  }

  /// What must hold of all of them in the end.
  func checkEnd() {
    let peers = nodes.map(\.states)
    if let text = ConvergenceChecker.fault(in: peers) { fail("convergence", text) }
    if let text = MapChecker.fault(in: nodes, model) { fail("maps", text) }
    if let text = LossChecker.fault(in: peers, model) { fail("lost edit", text) }
    let histories = nodes.map(\.disk.histories)
    if let text = EveryChangeOnceChecker.fault(in: histories, model) { fail("history", text) }
    for (node, states) in zip(nodes, peers) {
      do {
        let reloaded = try node.disk.load().map(\.state)
        if let text = ReloadChecker.fault(live: states, reloaded: reloaded) {
          fail("reload", at: node, text)
        }
      } catch {
        fail("reload", at: node, "the disk cannot be loaded: \(error)")
      }
    }
    // All have the same changes and the same state: one speaks for all.
    do {
      if let text = try ReplayChecker.fault(live: peers[0], nodes[0].disk.histories) {
        fail("replay", at: nodes[0], text)
      }
    } catch {
      fail("replay", at: nodes[0], "the history has a gap: \(error)")
    }
  }

  /// Whether every peer has the whole changes of all that its state covers; where disks were replaced,
  /// some may be gone for good, and all must have the same.
  var hasWholeHistories: Bool {
    guard nodes.allSatisfy(\.isUp) else { return false }
    let first = nodes[0].engine
    return nodes.allSatisfy { node in
      let rooms = node.engine.rooms
      return rooms.indices.allSatisfy { index in
        let room = rooms[at: index]
        return room.history == room.state.vector
          || model.hasLosses && room.history == first.rooms[at: index].history
      }
    }
  }
}
