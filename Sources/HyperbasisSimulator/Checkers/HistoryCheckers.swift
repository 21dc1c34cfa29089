import HyperbasisCore

/// What a disk holds of a history is at every moment exactly what its vector says: of each author the
/// changes from the first on, each once, each as its author made it, under the anchors that it wrote
/// to. The vector never goes beyond that of the state beside it.
enum HistoryChecker {
  /// What the rows before `start` say was compared earlier.
  static func fault(in history: SpaceHistory, from start: Int, _ model: Model) -> String? {
    let state = Coverage(history.state)
    for entry in history.vector.entries where !state.covers(entry.replica.bits, entry.sequence) {
      return "\(entry.replica):\(entry.sequence) is beyond the state"
    }
    // Looked through one by one: for so few that is faster than a dictionary.
    var authors: [Author] = []
    // By index, and by the stored stamp: a row is not copied to be asked for its name.
    for index in history.changes.indices {
      let dot = history.changes[index].change.stamp.dot
      let known = authors.firstIndex(where: { $0.replica == dot.replica.bits })
      let author = known ?? authors.count
      if known == nil {
        let made = model.entries(by: dot.replica, in: history.space)
        authors.append(
          Author(replica: dot.replica.bits, made: made, reached: history.cut[dot.replica]))
      }
      let last = authors[author].reached
      guard dot.sequence == last + 1 else {
        return "\(dot.replica):\(dot.sequence) is kept after \(last)"
      }
      authors[author].reached = dot.sequence
      guard index >= start else { continue }
      guard last < authors[author].made.count,
        history.changes[index].change == model.entries[authors[author].made[Int(last)]].change
      else { return "\(dot.replica):\(dot.sequence) is not what its author made" }
      if let text = slotFault(of: history.changes[index], history) { return text }
    }
    let covered = history.vector.entries.filter { $0.sequence > history.cut[$0.replica] }
    let isKept = covered.allSatisfy { entry in
      authors.contains { $0.replica == entry.replica.bits && $0.reached == entry.sequence }
    }
    guard covered.count == authors.count, isKept else { return "its vector is not what is kept" }
    return nil
  }

  /// How far the rows of one author were looked at, and the model's entries of that author.
  private struct Author {
    let replica: UInt128
    let made: [Int]
    var reached: UInt64 = 0
  }

  /// The rows by which the changes of one anchor are found.
  private static func slotFault(of row: LoggedChange, _ history: SpaceHistory) -> String? {
    if history.hasMembers { return nil }
    var named = row.slots.map { $0 < history.anchors.count ? history.anchors[$0].bits : 0 }
    named.sort()
    var written: [UInt128] = []
    written.reserveCapacity(row.change.operations.count)
    for operation in row.change.operations {
      if let anchor = operation.anchor, written.last != anchor.bits { written.append(anchor.bits) }
    }
    written.sort()
    var last = 0
    for index in written.indices where written[index] != written[last] {
      last += 1
      written[last] = written[index]
    }
    guard named.elementsEqual(written.prefix(last + 1)) else {
      return "\(row.change.dot.sequence) is kept under other anchors than it writes to"
    }
    return nil
  }
}

/// Every converged disk holds every change that any peer made durable, once.
enum EveryChangeOnceChecker {
  private struct Name: Hashable {
    let replica: UInt128
    let sequence: UInt64
  }

  static func fault(in peers: [[SpaceHistory]], _ model: Model) -> String? {
    for (number, histories) in peers.enumerated() {
      for history in histories {
        let coverage = Coverage(history.vector)
        let made = model.entries.filter { entry in
          let dot = entry.change.stamp.dot
          let isHere = coverage.covers(dot.replica.bits, dot.sequence)
          return entry.space == history.space && !history.cut.covers(dot)
            && (isHere || !entry.historyMayBeLost)
        }
        .map(\.change)
        var kept = Set<Name>()
        for index in history.changes.indices {
          let dot = history.changes[index].change.stamp.dot
          guard kept.insert(Name(replica: dot.replica.bits, sequence: dot.sequence)).inserted else {
            return "peer \(number) keeps \(dot.replica):\(dot.sequence) twice"
          }
        }
        for change in made
        where !kept.contains(
          Name(replica: change.dot.replica.bits, sequence: change.dot.sequence))
        {
          return "peer \(number) has not \(change.dot.replica):\(change.dot.sequence) in history"
        }
        guard kept.count == made.count else { return "peer \(number) keeps what nobody made" }
      }
    }
    return nil
  }
}
