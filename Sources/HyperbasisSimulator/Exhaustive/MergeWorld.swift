import HyperbasisCore

/// Every small world of the merge: three replicas, two registers, a few changes.
///
/// ```swift
/// var world = MergeWorld()
/// world.explore(changes: 4)
/// print(world.failure ?? "\(world.counts.states) states")
/// ```
///
/// A *state* is a list of changes (who made each, which of the two registers it writes or both, and
/// how the stamps stand to each other, ties included) that one replica knows all of. A *step* is
/// the delivery of one change. All lists of `changes` changes are visited, and each is reached by
/// every step that leads to it, from a state in which any one author's last change is missing.
///
/// Why this is every delivery order, although each state is built but once for each last step:
///
/// - A merge sees the receiver's state and the change, and of stamps only how they compare. So three
///   replicas are three independent walks through these states; what they do to each other is to
///   decide which orders of stamps there can be (a change that was made after another was received
///   has the greater stamp), and all orders are visited. That a clock gives a greater stamp than all
///   it has seen is checked in every state.
/// - Each channel is first in, first out by author, whatever the route; so the last step into a state
///   is the last change of one of three authors, and the state before it is one of those visited with
///   one change fewer. There every way to get to it was found to give the same: the same vector,
///   cells, order of the log and digest, which is all that a later merge or delta can see. (The log
///   also holds superseded entries. They are skipped when it is read and dropped beyond 64.)
/// - All orders of replica ids are visited since authors are numbered by their ids.
///
/// Expected values come from ``StampOrder/isGreater(_:than:)``, over all writes that are known.
package struct MergeWorld {
  /// What a change writes.
  enum Target: Int, CaseIterable {
    case transform = 1
    case key = 2
    case both = 3

    static let anchor = AnchorID(0xA)

    /// Precondition: it is one register.
    var register: Register {
      switch self {
      case .transform: .transform(Target.anchor)
      case .key: .metadata(Target.anchor, "k")
      case .both: preconditionFailure("two registers")
      }
    }

    func contains(_ other: Target) -> Bool { rawValue & other.rawValue != 0 }
  }

  package struct Counts: Equatable, Sendable {
    package var stampOrders = 0
    package var states = 0
    package var steps = 0
    package var deltas = 0
    /// Sequences of making and delivering that these states and steps stand for.
    package var executions: UInt128 = 0
  }

  static let space = SpaceID(0x5)

  package private(set) var counts = Counts()
  /// The first execution that breaks a rule, as text; nothing is explored after it.
  package private(set) var failure: String?
  private let fault: MergeFault?

  package init(fault: MergeFault? = nil) {
    self.fault = fault
  }

  // MARK: Exploring

  /// Visits every list of exactly `changes` edits.
  ///
  /// What is said above holds once all smaller numbers were explored.
  package mutating func explore(changes: Int) {
    for order in StampOrder.edits(changes) where failure == nil {
      counts.executions += order.executions * power(changes)
      explore(order)
    }
  }

  /// Visits every list of exactly `changes` changes under any times of the past.
  package mutating func explore(recorded changes: Int) {
    for order in StampOrder.records(changes) where failure == nil {
      explore(order)
    }
  }

  private mutating func explore(_ order: StampOrder) {
    counts.stampOrders += 1
    counts.states += Int(power(order.items.count))
    var walk = MergeWalk(order, fault: fault)
    walk.explore()
    counts.steps += walk.steps
    failure = walk.failure
  }

  /// Visits every delta that leads to a list of exactly `changes` edits: each vector of the sender,
  /// each of the receiver, each base that the receiver covers.
  package mutating func explore(deltas changes: Int) {
    for order in StampOrder.edits(changes) where failure == nil {
      counts.stampOrders += 1
      counts.states += Int(power(changes))
      var walk = DeltaWalk(order)
      walk.explore()
      counts.deltas += walk.deltas
      failure = walk.failure
    }
  }

  /// The number of ways to choose what each change writes.
  private func power(_ changes: Int) -> UInt128 {
    (0..<changes).reduce(1) { power, _ in power * UInt128(Target.allCases.count) }
  }
}
