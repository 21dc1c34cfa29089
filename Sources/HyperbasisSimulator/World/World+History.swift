import HyperbasisCore
import HyperbasisSync

/// Histories are read from the disk for peers, and the disk answers later.
extension World {
  /// Has the disk read for a link that sent all else.
  func readHistory(for wire: Wire, at node: Node) {
    let link = LinkID(UInt64(wire.number))
    guard let read = node.engine.nextHistoryRead(for: link, at: time(at: node)) else { return }
    let kept = node.disk.historyVector(of: read.space)
    guard read.upTo.entries.allSatisfy({ $0.sequence <= kept[$0.replica] }) else {
      return fail("history", at: node, "it is read for a peer before it is durable")
    }
    let delay = disks.within(options.commitDelay) * (now < node.slowUntil ? 20 : 1)
    schedule(.read(node.number, boot: node.boot, wire, read), in: delay)
  }

  /// The disk answers, or fails to.
  func finishRead(_ node: Node, _ wire: Wire, _ read: HistoryRead) {
    let fails = !isHealed && disks.chance(options.commitFailure)
    let changes = fails ? [] : node.disk.read(read)
    trace.note(
      fails ? .readFailed : .read, at: now, node.number, UInt64(changes.count))
    var reached = read.after
    // What was given up since the read was asked for is not there any more.
    reached.merge(node.disk.cut(of: read.space))
    for change in changes where !reached.covers(change.dot) && !reached.extend(by: change.dot) {
      return fail("history", at: node, "\(change.dot.sequence) is kept twice or after a gap")
    }
    let isGone = changes.isEmpty && reached.covers(read.upTo)
    guard fails || !changes.isEmpty || isGone else {
      return fail("history", at: node, "nothing is kept of what its vector covers")
    }
    give(.read(wire, read, fails ? nil : changes), to: node)
  }

  func supply(_ changes: [Change]?, for read: HistoryRead, on wire: Wire, at node: Node) {
    let link = LinkID(UInt64(wire.number))
    if let changes {
      node.engine.supply(changes, for: read, on: link)
    } else {
      node.engine.postpone(read, on: link, at: time(at: node))
    }
  }
}
