import HyperbasisCore

/// All states of one stamp order in which every change is known, each reached by every last step.
struct MergeWalk {
  private let oracle: MergeOracle
  private let fault: MergeFault?
  /// By the choice of what each change writes, as a number in base three.
  private var digests: [Digest?]
  private(set) var steps = 0
  private(set) var failure: String?

  /// What was chosen and delivered so far.
  private var targets: [MergeWorld.Target]
  private var delivered: [Int] = []
  private var choice = 0

  init(_ order: StampOrder, fault: MergeFault?) {
    oracle = MergeOracle(order)
    self.fault = fault
    targets = order.items.map { _ in .both }
    digests = [Digest?](
      repeating: nil, count: order.items.reduce(1) { count, _ in count * 3 })
  }

  mutating func explore() {
    for author in 0..<StampOrder.authors where oracle.order.counts[author] > 0 {
      var path = oracle.order.delivery(first: author + 1, omitting: author)
      path.append(oracle.order.index(author: author, sequence: oracle.order.counts[author]))
      deliver(path[...], to: SpaceState(id: MergeWorld.space))
    }
  }

  /// Chooses what the next change writes in every way, and delivers it.
  private mutating func deliver(_ path: ArraySlice<Int>, to state: SpaceState) {
    guard let index = path.first else { return check(state) }
    let weight = (0..<index).reduce(1) { weight, _ in weight * 3 }
    for (number, target) in MergeWorld.Target.allCases.enumerated() where failure == nil {
      targets[index] = target
      choice += number * weight
      delivered.append(index)
      deliver(oracle.changes[index][number], then: path.dropFirst(), to: state)
      delivered.removeLast()
      choice -= number * weight
    }
  }

  private mutating func deliver(
    _ change: Change, then path: ArraySlice<Int>, to state: SpaceState
  ) {
    var next = state
    steps += path.isEmpty ? 1 : 0
    do {
      guard try apply(change, to: &next) else { return fail("a new change counts as known") }
    } catch { return fail("\(error)") }
    deliver(path, to: next)
  }

  /// Returns whether it was new.
  private func apply(_ change: Change, to state: inout SpaceState) throws(ApplyError) -> Bool {
    if let fault { return try fault.apply(change, to: &state) != nil }
    return try state.apply(change) != nil
  }

  private mutating func check(_ state: SpaceState) {
    if let text = oracle.fault(in: state, targets, oracle.order.counts) { return fail(text) }
    var again = state
    for index in delivered {
      let change = oracle.changes[index][targets[index].rawValue - 1]
      if (try? apply(change, to: &again)) != false {
        return fail("\(oracle.name(index)) is new twice")
      }
    }
    let digest = again.digest
    if let other = digests[choice], other != digest { return fail("another order, another digest") }
    digests[choice] = digest
    checkClock(state)
  }

  /// Whatever the wall clock says, the next edit has a greater stamp than all that is known.
  private mutating func checkClock(_ state: SpaceState) {
    let greatest = oracle.changes.map { $0[0].stamp.timestamp }.max()!
    for wall in [0, greatest.milliseconds] {
      var clock = HybridClock(last: state.lastTimestamp)
      if clock.next(now: wall) <= greatest { return fail("an edit would have an earlier stamp") }
    }
  }

  private mutating func fail(_ text: String) {
    let order = delivered.map(oracle.name).joined(separator: ", then ")
    failure = "\(oracle.text(targets))a replica comes to know \(order)\n\(text)"
  }
}
