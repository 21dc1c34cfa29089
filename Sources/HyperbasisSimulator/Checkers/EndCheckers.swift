import HyperbasisCore
import HyperbasisSync

/// What is waiting at a peer has a limit, whatever the others do.
enum BoundsChecker {
  /// Links to one peer that may be open or ending at once.
  private static let linksPerPeer = 8
  /// Bytes that one wire may hold: a window, and the frame that went beyond it.
  private static let wireBytes = Wire.window + 16 * 1_048_576

  static func fault(_ node: Node, peers: Int) -> String? {
    if node.engine.linkIDs.count > linksPerPeer * peers {
      return "\(node.engine.linkIDs.count) links are held at once"
    }
    for wire in node.wires where wire.streams.contains(where: { $0.count > wireBytes }) {
      return "\(wire.streams.map(\.count)) bytes wait on one wire"
    }
    return nil
  }
}

/// The history alone makes the state: all its changes, applied one by one, give what the peer shows.
enum ReplayChecker {
  /// Nothing is said of a history that lacks what was lost with a disk.
  static func fault(live: [SpaceState], _ histories: [SpaceHistory]) throws(ApplyError) -> String? {
    for (live, history) in zip(live, histories)
    where history.vector == live.vector && !live.hasMembers {
      var replayed = SpaceState(id: history.space)
      for row in history.changes { _ = try replayed.apply(row.change) }
      if live.digest != replayed.digest {
        return "the history of \(live.id) makes another state than is shown"
      }
    }
    return live.count == histories.count ? nil : "the histories are of other spaces"
  }
}

/// Where a space keeps the latest only and all its members are here, in step and quiet, nothing is left of what was
/// deleted.
enum GivenUpChecker {
  static func fault(_ node: Node, among nodes: [Node]) -> String? {
    let replicas = Set(nodes.map(\.replica))
    for state in node.states where state.hasMembers && state.retention == .latest {
      let areHere = state.members.allSatisfy {
        $0.membership == .retired || replicas.contains($0.replica)
      }
      let isWaiting = node.ask { !$0.waitsFor(in: state.id).isEmpty }
      let hidden = state.hiddenWrites(before: Timestamp(bits: .max))
      guard areHere, !isWaiting, hidden != HiddenWrites() else { continue }
      return
        "\(hidden.anchors) deleted anchors and \(hidden.keys) keys of \(state.id) are kept for nobody"
    }
    return nil
  }
}
