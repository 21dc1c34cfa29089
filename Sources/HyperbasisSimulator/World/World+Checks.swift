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
    checkObserver(of: node)
    checkApp(node)
    if let text = BoundsChecker.fault(node, peers: nodes.count) {
      fail("bounds", at: node, text)
    }
  }

  /// What must hold when all was told.
  func checkObserver(of node: Node) {
    if let text = node.observer.fault(node.states) { fail("observers", at: node, text) }
  }

  /// After each turn: the clock is moved by what became part of the state, and by nothing else.
  func checkClock(of node: Node) {
    let (last, lead) = node.ask { engine in
      var last: UInt64 = 0
      for index in engine.rooms.indices {
        last = max(last, engine.rooms[at: index].state.lastTimestamp.milliseconds)
      }
      return (last, engine.lead(at: Now(monotonic: 0, wall: 0)))
    }
    node.heard = max(node.heard, last)
    if lead > node.heard {
      fail("clock", at: node, "it was moved by what is not in the state")
    }
  }

  /// What must hold of a peer once all is quiet.
  func checkAtRest(_ node: Node) {
    check(node, anew: true)
    if let text = MapChecker.fault(in: node.engine) { fail("maps", at: node, text) }
    // Copies of an engine take no turn while it waits for its disk.
    guard failure == nil, node.number == witness, node.writes == nil else { return }
    let time = time(at: node)
    if let text = StrangerChecker.fault(of: node.engine, at: time) {
      fail("stranger", at: node, text)
    }
    if let text = AskingChecker.fault(of: node.engine, at: time) { fail("asking", at: node, text) }
    for state in node.states {
      if let text = DigestChecker.fault(of: state) { fail("same digest", at: node, text) }
    }
  }

  private func historyFault(at node: Node, anew: Bool) -> String? {
    let kept = node.disk.histories
    for history in kept {
      let start = anew || history.hasMembers ? 0 : node.checkedChanges[history.space] ?? 0
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
    if let text = KnowledgeChecker.fault(in: peers[0], model) { fail("knowledge", text) }
    let histories = nodes.map(\.disk.histories)
    if let text = EveryChangeOnceChecker.fault(in: histories, model) { fail("history", text) }
    for (node, states) in zip(nodes, peers) where node.writes == nil {
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
