import HyperbasisCore

/// Who wrote knowing a write wins over it, whoever writes that anew as it joins others.
enum KnowledgeChecker {
  /// All peers show the same, so one speaks for all.
  static func fault(in states: [SpaceState], _ model: Model) -> String? {
    for state in states {
      let coverage = Coverage(state)
      for index in model.histories.indices where model.histories[index].space == state.id {
        guard let shown = model.expected(index, coverage),
          state.stamp(of: model.histories[index].register)?.dot == shown.dot,
          let text = fault(of: shown, model.histories[index], coverage, model)
        else { continue }
        return text
      }
    }
    return nil
  }

  private static func fault(
    of shown: Model.Write, _ history: Model.RegisterHistory, _ coverage: Coverage, _ model: Model
  ) -> String? {
    guard isOwn(shown.operation), let entry = model.entry(shown.dot, in: history.space) else {
      return nil
    }
    let dot = root(of: shown.dot, shown.operation, in: history.space, model)
    guard dot != shown.dot, let root = history.writes.first(where: { $0.dot == dot }) else {
      return nil
    }
    let hidden = history.writes.first {
      isLater($0, than: root) && shown.isGreater(than: $0) && coverage.covers($0)
        && !entry.known.covers($0) && isKnown(root, by: $0, in: history.space, model)
        && $0.operation != shown.operation && !$0.isGivenUp && !isMadeAnew($0, history, model)
    }
    return hidden.map {
      "\(history.register): \(shown.dot.shown) is \(dot.shown) made anew, and hides \($0.dot.shown), which knew that"
    }
  }

  /// Edits that an app gives one and the same date of the past have no order.
  private static func isLater(_ write: Model.Write, than root: Model.Write) -> Bool {
    Timestamp(bits: write.timestamp).tick > Timestamp(bits: root.timestamp).tick
  }

  /// Whether a replica that joins writes it anew for its own sake: of members and of what is kept it says what its
  /// sponsor does.
  private static func isOwn(_ operation: Operation) -> Bool {
    switch operation {
    case .retention, .member: false
    default: true
    }
  }

  /// The write that was first made anew.
  private static func root(
    of dot: Dot, _ operation: Operation, in space: SpaceID, _ model: Model
  ) -> Dot {
    guard let entry = model.entry(dot, in: space), !entry.origins.isEmpty,
      let index = entry.change.operations.firstIndex(where: { $0.register == operation.register }),
      let former = entry.origins[index]
    else { return dot }
    return root(of: former, operation, in: space, model)
  }

  /// Whether somebody made a write anew, or an earlier one that says the same: of two who join again apart from each
  /// other nobody knows whose edit is the later.
  private static func isMadeAnew(
    _ write: Model.Write, _ history: Model.RegisterHistory, _ model: Model
  ) -> Bool {
    history.writes.contains { other in
      guard other.dot != write.dot, other.operation == write.operation,
        let entry = model.entry(other.dot, in: history.space), entry.known.covers(write)
      else { return false }
      return root(of: other.dot, other.operation, in: history.space, model) != other.dot
    }
  }

  /// Whether somebody wrote by themselves, with that write at hand.
  private static func isKnown(
    _ root: Model.Write, by write: Model.Write, in space: SpaceID, _ model: Model
  ) -> Bool {
    guard let entry = model.entry(write.dot, in: space), entry.origins.isEmpty else { return false }
    return entry.known.covers(root)
  }
}

extension Coverage {
  fileprivate func covers(_ write: Model.Write) -> Bool { covers(write.replica, write.sequence) }
}

extension Dot {
  fileprivate var shown: String { "\(replica):\(sequence)" }
}
