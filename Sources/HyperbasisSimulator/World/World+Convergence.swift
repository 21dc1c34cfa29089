import HyperbasisCore
import HyperbasisSync

/// The second phase: the network is whole, and within a limit all is equal and quiet.
extension World {
  /// What is allowed from the healing of the network on.
  private var convergenceMilliseconds: UInt64 {
    // What was written anew can be ahead of other clocks by as much as peers take, and by their differences.
    counts.faults[.wrongClock] == nil ? 120_000 : 420_000
  }
  private var convergenceFrames: Int { counts.faults[.wrongClock] == nil ? 400_000 : 1_400_000 }

  /// Waits until all peers show the same and nothing is under way to the disks.
  func converge() {
    let start = now
    let frames = counts.frames
    while failure == nil, !isConverged {
      advance(until: now + 50)
      if now - start > convergenceMilliseconds
        || counts.frames - frames > convergenceFrames
      {
        fail("liveness", "not converged in time: \(picture)")
      }
    }
    counts.convergenceMilliseconds = now - start
  }

  private var isConverged: Bool {
    guard nodes.allSatisfy({ $0.isUp && $0.writes == nil }), haveEqualVectors else {
      return false
    }
    return hasWholeHistories && linkFault() == nil && MapChecker.fault(in: nodes, model) == nil
  }

  private var haveEqualVectors: Bool {
    let first = nodes[0].engine.rooms
    return nodes.allSatisfy { node in
      let rooms = node.engine.rooms
      guard node.isUp, rooms.keys == first.keys else { return false }
      return rooms.indices.allSatisfy { rooms[at: $0].state.vector == first[at: $0].state.vector }
    }
  }

  private var picture: String {
    let peers = nodes.map { node in
      "peer \(node.number): "
        + node.states.map(ConvergenceChecker.picture).joined(separator: ", ")
        + historyFault(of: node)
    }
    let maps = MapChecker.fault(in: nodes, model) ?? "maps are well"
    return "\(linkFault() ?? "links are well"), \(maps); \(peers.joined(separator: "; "))"
  }

  /// How far a peer's histories reach where they are behind its states.
  private func historyFault(of node: Node) -> String {
    let faults = node.engine.rooms.values.filter { $0.history != $0.state.vector }
      .map { " with a history of \(ConvergenceChecker.picture($0.history))" }
    return faults.joined()
  }

  /// After convergence, and once links that died silently are found: everything is checked, and
  /// traffic ceases.
  func rest() {
    // What all have is told from peer to peer before it is given up.
    let hasMembers = nodes.contains { $0.states.contains(where: \.hasMembers) }
    advance(until: now + (hasMembers ? UInt64(nodes.count) * 15_000 + 20_000 : 15_000))
    let before = counts.frames
    advance(until: now + 20_000)
    guard failure == nil else { return }
    if counts.frames != before {
      fail("quiet", "\(counts.frames - before) frames after convergence")
    }
    if let text = linkFault() { fail("links", text) }
    for node in nodes where failure == nil {
      if let text = GivenUpChecker.fault(node, among: nodes) { fail("given up", at: node, text) }
    }
    editOnceMore()
    guard failure == nil else { return }
    for node in nodes { checkAtRest(node) }
    checkEnd()
    checkAppAtEnd()
  }

  /// So many that a small ring of recent changes drops some of them.
  private var lastEdits: Int { (201...1_000).contains(options.recentBytes) ? 12 : 1 }

  /// With all links live an edit is pushed from peer to peer: nobody has to ask for it.
  private func editOnceMore() {
    let before = counts.requests + counts.historyRequests
    let changes = changeFrames
    for number in 1...lastEdits {
      give(.rename(spaceIDs[0], Key("edit \(number)")), to: nodes[0])
      advance(until: now + (number == lastEdits ? 10_000 : 2_000))
    }
    if !haveEqualVectors { fail("liveness", "the last edit did not reach every peer") }
    // What cannot be pushed comes in two steps.
    if !hasWholeHistories { advance(until: now + 20_000) }
    if !hasWholeHistories { fail("liveness", "the last edit is not in every history") }
    // A ring of recent changes that holds nothing cannot push.
    if options.recentBytes > 200, counts.requests + counts.historyRequests != before {
      fail("forwarding", "the last edit was asked for, not pushed")
    }
    let isTree = options.topology == .chain || options.topology == .star
    if isTree, changeFrames - changes >= options.peers * lastEdits {
      fail("echo", "the last edit was sent to whom it came from")
    }
  }

  /// Peers that may dial each other have exactly one link, seen by both.
  private func linkFault() -> String? {
    for node in nodes {
      guard node.isUp else { return "peer \(node.number) is down" }
      for other in neighbours(of: node.number) {
        let open = node.ask { $0.openLinkCount(to: nodes[other].replica) }
        if open != 1 { return "peer \(node.number) has \(open) links to peer \(other)" }
      }
    }
    return nil
  }
}
