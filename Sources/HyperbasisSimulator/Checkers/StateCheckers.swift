import HyperbasisCore

/// A rule that holds at every moment for what one peer shows of a space.
protocol StateChecker {
  static var name: String { get }
  /// What is wrong; nil when nothing is.
  static func fault(in state: SpaceState, _ model: Model) -> String?
}

enum Checkers {
  /// The first rule that a state breaks.
  ///
  /// What a register holds is looked at by `TruthChecker`. A state in which a register is behind the
  /// vector, or holds what is not covered, does not hold the greatest of what is covered either; so
  /// the rules that say this are asked only of a state that is wrong, since they know the better name
  /// for it. It saves three looks at a register out of four.
  static func fault(in states: [SpaceState], _ model: Model) -> (name: String, text: String)? {
    let all: [any StateChecker.Type] = [
      VectorChecker.self, WholenessChecker.self, TruthChecker.self, ResurrectionChecker.self,
    ]
    for state in states {
      let isSound =
        TruthChecker.fault(in: state, model) == nil && VectorChecker.lead(of: state, model) == nil
        && ResurrectionChecker.fault(in: state, model) == nil
      if isSound { continue }
      for checker in all {
        if let fault = checker.fault(in: state, model) { return (checker.name, fault) }
      }
    }
    return nil
  }
}

/// The vector is never ahead of the data: for every change that it covers, each register that the
/// change wrote holds that write or a greater one.
enum VectorChecker: StateChecker {
  static let name = "vector ahead of data"

  static func fault(in state: SpaceState, _ model: Model) -> String? {
    // There registers are given up; `TruthChecker` says which may be.
    if state.hasMembers { return lead(of: state, model) }
    let coverage = Coverage(state.vector)
    for entry in model.entries where entry.space == state.id {
      let stamp = entry.change.stamp
      guard coverage.covers(stamp.dot.replica.bits, stamp.dot.sequence) else { continue }
      for operation in entry.change.operations {
        guard let held = state.stamp(of: operation.register) else {
          return "\(describe(stamp)) is covered, \(operation.register) is empty"
        }
        let heldOrder = (held.timestamp.bits, held.dot.replica.bits, held.dot.sequence)
        let order = (stamp.timestamp.bits, stamp.dot.replica.bits, stamp.dot.sequence)
        if heldOrder < order {
          return "\(describe(stamp)) is covered, \(operation.register) holds \(describe(held))"
        }
      }
    }
    return lead(of: state, model)
  }

  /// What the vector covers and nobody made.
  static func lead(of state: SpaceState, _ model: Model) -> String? {
    for entry in state.vector.entries where entry.sequence > 0 {
      let dot = Dot(replica: entry.replica, sequence: entry.sequence)
      guard model.change(dot, in: state.id) != nil else {
        return "\(entry.replica):\(entry.sequence) is covered but was never durable at its author"
      }
    }
    return nil
  }
}

/// A change is visible whole or not at all: nothing is held of a change that is not covered.
enum WholenessChecker: StateChecker {
  static let name = "part of a change"

  static func fault(in state: SpaceState, _ model: Model) -> String? {
    let coverage = Coverage(state.vector)
    for history in model.histories where history.space == state.id {
      guard let stamp = state.stamp(of: history.register) else { continue }
      if !coverage.covers(stamp.dot.replica.bits, stamp.dot.sequence) {
        return "\(history.register) holds \(describe(stamp)), which is not covered"
      }
    }
    return nil
  }
}

/// Each register holds the greatest of all writes that the vector covers, by its stamp; what the
/// writes say is compared once, at the end, by `LossChecker`.
enum TruthChecker: StateChecker {
  static let name = "last write does not win"

  static func fault(in state: SpaceState, _ model: Model) -> String? {
    let coverage = Coverage(state)
    for index in model.histories.indices where model.histories[index].space == state.id {
      let right = model.expectedIndex(index, coverage)
      let held = state.stamp(of: model.histories[index].register)
      // Some may be held still, or no more.
      let isRight = (model.isOpen ? [true, false] : [true]).contains { withOpen in
        let right =
          withOpen ? right : model.expectedIndex(index, coverage, withOpen: false)
        return model.holds(right, held, index)
          || holdsNothing(model.histories[index].register, in: state)
            && model.isOvertaken(right, index, coverage)
          || mayBeHidden(index, right, held, in: state, model, coverage, withOpen)
      }
      guard isRight else {
        let expected = right.map { model.histories[index].writes[$0] }
        let holds = held.map { describe($0) } ?? "nothing"
        let right = expected.map { "\($0.timestamp) \($0.replica):\($0.sequence)" } ?? "nothing"
        return "\(model.histories[index].register) holds \(holds), right is \(right)"
      }
    }
    return nil
  }

  /// Whether there is no write, or one that removes a key.
  private static func holdsNothing(_ register: Register, in state: SpaceState) -> Bool {
    state.cell(register)?.operation.isRemoval ?? true
  }

  /// Whether nobody is shown what a register holds: where a space has members that may be given up.
  private static func mayBeHidden(
    _ history: Int, _ right: Int?, _ held: Stamp?, in state: SpaceState, _ model: Model,
    _ coverage: Coverage, _ withOpen: Bool
  ) -> Bool {
    guard state.hasMembers else { return false }
    if let held, model.isGivenUp(held, history) { return true }
    let register = model.histories[history].register
    let anchor: AnchorID
    switch register {
    case .metadata(let id, _):
      anchor = id
      let isRemoved = right.map { model.histories[history].writes[$0].operation.isRemoval } ?? true
      if isRemoved && holdsNothing(register, in: state) { return true }
    case .transform(let id), .existence(let id): anchor = id
    case .name, .spaceExistence, .worldMap, .retention, .member: return false
    }
    guard let existences = model.existenceHistory(of: anchor, in: state.id) else { return true }
    // Those who gave a deletion up show nothing of the anchor, whatever others do who never heard of it.
    let isAlive = [coverage, coverage.ofMembers].allSatisfy {
      let right = model.expected(existences, $0, withOpen: withOpen)
      guard case .existence(_, let existence) = right?.operation else { return false }
      return existence.deleted == nil
    }
    return !isAlive && state.anchor(anchor).map { $0.deleted != nil } ?? true
  }
}

extension Model {
  /// Whether a write lost against a greater one that was given up since.
  fileprivate func isOvertaken(_ right: Int?, _ history: Int, _ coverage: Coverage) -> Bool {
    guard let right else { return false }
    let writes = histories[history].writes
    return writes.contains {
      coverage.covers($0.replica, $0.sequence) && $0.isGreater(than: writes[right])
    }
  }

  /// Whether a register with this history holds the write at `right`. By index: a write is not copied to be
  /// compared.
  fileprivate func holds(_ right: Int?, _ held: Stamp?, _ history: Int) -> Bool {
    guard let right, let held else { return right == nil && held == nil }
    return histories[history].writes[right].sequence == held.dot.sequence
      && histories[history].writes[right].timestamp == held.timestamp.bits
      && histories[history].writes[right].replica == held.dot.replica.bits
  }
}

extension Model.Write {
  /// Whether whoever has had it has it still.
  fileprivate var isUnforgotten: Bool { forgottenBy.isEmpty && !isGivenUp && !mayBeGone }

  /// What it says of an anchor's existence.
  fileprivate var existence: Existence? {
    if case .existence(_, let existence) = operation { existence } else { nil }
  }
}

extension HyperbasisCore.Operation {
  /// Whether it removes a key.
  fileprivate var isRemoval: Bool {
    if case .metadata(_, _, nil) = self { true } else { false }
  }
}

/// What is deleted stays deleted until somebody restores it: an anchor that is shown alive is one of
/// which the greatest existence that is covered is no deletion.
enum ResurrectionChecker: StateChecker {
  static let name = "resurrection"

  static func fault(in state: SpaceState, _ model: Model) -> String? {
    let coverage = Coverage(state)
    let alive = state.anchors(includingDeleted: false).map(\.id)
    for anchor in alive {
      guard let history = model.existenceHistory(of: anchor, in: state.id) else {
        return "\(anchor) is shown, and nobody made it"
      }
      let mayBe = model.isOpen ? [true, false] : [true]
      let existences = mayBe.compactMap {
        model.expected(history, coverage, withOpen: $0)?.existence
      }
      if existences.isEmpty { return "\(anchor) is shown, and nobody made it" }
      if existences.allSatisfy({ $0.deleted != nil }) {
        return "\(anchor) is shown, and was deleted"
      }
    }
    return nil
  }
}

/// A causally later write wins, whatever the clocks say: an edit is what its author sees at once.
enum CausalityChecker {
  static func fault(of change: Change, in state: SpaceState) -> String? {
    for operation in change.operations
    where state.stamp(of: operation.register)?.dot != change.dot {
      return "\(operation.register) does not hold the edit \(change.dot.sequence)"
    }
    return nil
  }
}

/// All peers show the same: equal digests, equal anchors.
enum ConvergenceChecker {
  static func fault(in peers: [[SpaceState]]) -> String? {
    let shown = peers[0].map { $0.anchors(includingDeleted: !$0.hasMembers) }
    for (number, states) in peers.enumerated().dropFirst() {
      guard states.count == peers[0].count else { return "peer \(number) holds other spaces" }
      for (index, (mine, first)) in zip(states, peers[0]).enumerated() {
        if mine.digest != first.digest {
          return "digests: peer 0 \(picture(first)), peer \(number) \(picture(mine))"
        }
        if mine.anchors(includingDeleted: !mine.hasMembers) != shown[index] {
          return "equal digests, but other anchors at peer \(number)"
        }
        if mine.name.map({ Array($0.utf8) }) != first.name.map({ Array($0.utf8) }) {
          return "equal digests, but another name at peer \(number)"
        }
      }
    }
    return nil
  }

  /// A state as text: the vector by the last digits of each replica, and the digest.
  static func picture(_ state: SpaceState) -> String {
    "\(picture(state.vector)) \(state.digest)"
  }

  static func picture(_ vector: VersionVector) -> String {
    let entries = vector.entries.map { "\($0.replica.hex.suffix(4)):\($0.sequence)" }
    return "[\(entries.joined(separator: " "))]"
  }
}

/// No edit is lost that was durable at its author: every peer covers it, and what nobody wrote over
/// is what an app reads.
enum LossChecker {
  static func fault(in peers: [[SpaceState]], _ model: Model) -> String? {
    // The same at every peer, and so found once. Where the greatest was given up, those that lost against it may be.
    let greatest = model.histories.map { history in
      history.writes.indices.max { history.writes[$1].isGreater(than: history.writes[$0]) }
        .flatMap { history.writes[$0].isUnforgotten ? $0 : nil }
    }
    let lasts = model.entries.map { lastOperations(of: $0, greatest, model) }
    for (number, states) in peers.enumerated() {
      for state in states {
        let coverage = Coverage(state.vector)
        let anchors = Dictionary(
          uniqueKeysWithValues: state.anchors(includingDeleted: true).map { ($0.id, $0) })
        for index in model.entries.indices where model.entries[index].space == state.id {
          let dot = model.entries[index].change.stamp.dot
          if !coverage.covers(dot.replica.bits, dot.sequence) {
            if model.entries[index].mayBeLost { continue }
            return "peer \(number) lacks change \(dot.replica):\(dot.sequence)"
          }
          for operation in lasts[index] where !isVisible(operation, in: state, anchors) {
            return "peer \(number) does not show \(operation.register) of \(dot.sequence)"
          }
        }
      }
    }
    return nil
  }

  /// The operations of a change than which no write to their registers is greater; `greatest` has the
  /// index of the greatest write of each history.
  private static func lastOperations(
    of entry: Model.Entry, _ greatest: [Int?], _ model: Model
  ) -> [Operation] {
    let stamp = entry.change.stamp
    return zip(entry.change.operations, entry.registers).compactMap { operation, index in
      let own = Model.Write(
        timestamp: stamp.timestamp.bits, replica: stamp.dot.replica.bits,
        sequence: stamp.dot.sequence, operation: operation)
      let isLast =
        greatest[index].map {
          !model.histories[index].writes[$0].isGreater(than: own)
            && !own.isGreater(than: model.histories[index].writes[$0])
        } ?? false
      return isLast ? operation : nil
    }
  }

  private static func isVisible(
    _ operation: Operation, in state: SpaceState, _ anchors: [AnchorID: Anchor]
  ) -> Bool {
    switch operation {
    case .name(let name):
      return state.name.map { Array($0.utf8) } == name.map { Array($0.text.utf8) }
    case .spaceExistence(let existence): return state.record.existence == existence
    case .worldMap(let map): return state.record.map == map
    case .existence(let anchor, let existence):
      let shown = anchors[anchor]
      if state.hasMembers, shown == nil { return existence.deleted != nil }
      return shown?.created == existence.created && shown?.deleted == existence.deleted
    case .transform(let anchor, let transform):
      guard let shown = anchors[anchor], shown.deleted == nil || !state.hasMembers else {
        return true
      }
      return shown.transform == transform
    case .metadata(let anchor, let key, let value):
      guard let shown = anchors[anchor], shown.deleted == nil || !state.hasMembers else {
        return true
      }
      let entry = shown.metadata.entries.first { $0.key.text.utf8.elementsEqual(key.text.utf8) }
      return entry?.value == value
    case .retention(let retention): return state.retention == retention
    case .member(let replica, let membership):
      return state.member(replica)?.membership == membership
    }
  }
}

/// What a peer would load after a restart is what it shows now.
enum ReloadChecker {
  static func fault(live: [SpaceState], reloaded: [SpaceState]) -> String? {
    guard live.map(\.digest) == reloaded.map(\.digest), live.map(\.vector) == reloaded.map(\.vector)
    else { return "the reloaded state has another digest" }
    for (live, reloaded) in zip(live, reloaded) {
      let anchors = live.anchors(includingDeleted: true)
      guard live.floor == reloaded.floor, live.lastGivenUp == reloaded.lastGivenUp else {
        return "the reloaded state has another floor"
      }
      guard anchors == reloaded.anchors(includingDeleted: true),
        live.counts == reloaded.counts
      else { return "the reloaded state shows other anchors" }
      for anchor in anchors {
        guard live.slotNumber(of: anchor.id) == reloaded.slotNumber(of: anchor.id) else {
          return "anchor \(anchor.id) has another slot after a reload"
        }
      }
    }
    return nil
  }
}

private func describe(_ stamp: Stamp) -> String {
  "\(stamp.dot.replica):\(stamp.dot.sequence) at \(stamp.timestamp.bits)"
}
