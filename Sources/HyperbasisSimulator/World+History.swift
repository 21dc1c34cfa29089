import HyperbasisCore
import HyperbasisSync

extension World {
  /// Has the disk read for a link that sent all else; the answer comes later.
  func readHistory(for wire: Int, at number: Int) {
    let side = wires[wire].side(of: number)
    guard wires[wire].streams[side].count < Wire.window else { return }
    let time = time(at: number)
    guard let read = nodes[number].engine!.nextHistoryRead(for: LinkID(UInt64(wire)), at: time)
    else { return }
    let delay = random.within(options.commitDelay)
    schedule(.read(number, boot: nodes[number].boot, wire: wire, read), in: delay)
  }

  /// The disk answers, or fails to.
  func finishRead(_ number: Int, wire: Int, _ read: HistoryRead) {
    let fails = !isHealed && random.chance(options.commitFailure)
    let changes = fails ? [] : nodes[number].disk.read(read)
    note(fails ? "read failed" : "read", number, UInt64(changes.count))
    var reached = read.after
    for change in changes where !reached.extend(by: change.dot) {
      return fail("peer \(number): history: \(change.dot.sequence) is kept twice or after a gap")
    }
    guard fails || !changes.isEmpty else {
      return fail("peer \(number): history: nothing is kept of what its vector covers")
    }
    give(.read(wire: wire, read, changes), to: number)
  }

  func supply(_ changes: [Change], for read: HistoryRead, on wire: Int, at number: Int) {
    let link = LinkID(UInt64(wire))
    if changes.isEmpty {
      nodes[number].engine!.postpone(read, on: link, at: time(at: number))
    } else {
      nodes[number].engine!.supply(changes, for: read, on: link)
    }
  }

  /// What is wrong with the histories of one peer that is between two turns; `anew` compares what was
  /// compared before as well.
  func historyFault(at number: Int, anew: Bool = false) -> String? {
    let kept = nodes[number].disk.histories
    for history in kept {
      let start = anew ? 0 : nodes[number].checkedChanges[history.space] ?? 0
      if let text = HistoryChecker.fault(in: history, from: start, model) { return text }
      nodes[number].checkedChanges[history.space] = history.changes.count
    }
    guard let rooms = nodes[number].engine?.rooms else { return nil }
    for history in kept where rooms[history.space]?.history != history.vector {
      return "history: the vector that is told is not the one that is kept"
    }
    return nil
  }

  /// Whether every peer has the whole changes of all that its state covers.
  var hasWholeHistories: Bool {
    nodes.allSatisfy { node in
      node.engine?.rooms.values.allSatisfy { $0.history == $0.state.vector } ?? false
    }
  }
}
