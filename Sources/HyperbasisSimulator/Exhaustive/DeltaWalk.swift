import HyperbasisCore

/// All deltas of one stamp order after which every change is known.
///
/// The sender knows some changes of each author, the receiver knows others, together they know all;
/// and the base is any vector that the receiver covers, since it may have learned more after it
/// asked. Deltas that lead to less are those of smaller stamp orders.
struct DeltaWalk {
  private let oracle: MergeOracle
  private var targets: [MergeWorld.Target]
  /// How far each author can be known, in every combination.
  private let vectors: [[Int]]
  /// By vector.
  private var states: [SpaceState] = []
  private(set) var deltas = 0
  private(set) var failure: String?

  init(_ order: StampOrder) {
    oracle = MergeOracle(order)
    targets = order.items.map { _ in .both }
    vectors = order.counts.reduce([[]]) { vectors, count in
      vectors.flatMap { vector in (0...count).map { vector + [$0] } }
    }
  }

  mutating func explore() {
    choose(0)
  }

  private mutating func choose(_ index: Int) {
    guard index < targets.count else { return exploreVectors() }
    for target in MergeWorld.Target.allCases where failure == nil {
      targets[index] = target
      choose(index + 1)
    }
  }

  private mutating func exploreVectors() {
    do { states = try vectors.map(state) } catch {
      failure = "\(error)"
      return
    }
    for (receiver, known) in vectors.enumerated() {
      for (sender, theirs) in vectors.enumerated()
      where (0..<StampOrder.authors).allSatisfy({ author in
        max(known[author], theirs[author]) == oracle.order.counts[author]
      }) {
        for (base, start) in vectors.enumerated()
        where failure == nil && zip(start, known).allSatisfy({ $0 <= $1 }) {
          deltas += 1
          guard let text = fault(sender, receiver, base) else { continue }
          failure =
            oracle.text(targets) + "one that knows \(known) is sent the delta since \(start) "
            + "of one that knows \(theirs)\n\(text)"
        }
      }
    }
  }

  private func state(_ known: [Int]) throws(ApplyError) -> SpaceState {
    var state = SpaceState(id: MergeWorld.space)
    for (index, item) in oracle.order.items.enumerated()
    where item.sequence <= known[item.author] {
      // In the order of stamps no replica has a gap, since its stamps ascend.
      _ = try state.apply(oracle.changes[index][targets[index].rawValue - 1])
    }
    return state
  }

  /// What is wrong when `receiver` is given the delta of `sender` since `base`.
  private func fault(_ sender: Int, _ receiver: Int, _ base: Int) -> String? {
    let delta = states[sender].delta(since: states[base].vector)
    var state = states[receiver]
    do {
      _ = try state.apply(delta)
      if let text = oracle.fault(in: state, targets, oracle.order.counts) { return text }
      guard try state.apply(delta).isEmpty else { return "the delta is new twice" }
    } catch { return "\(error)" }
    return state.digest == states.last!.digest ? nil : "another order, another digest"
  }
}
