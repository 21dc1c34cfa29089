import HyperbasisCore

/// Every course of a small world of real engines: all orders of delivery, all crash points.
///
/// ```swift
/// var size = SmallWorldSize()
/// size.edits = 2
/// size.crashes = 1
/// let world = EngineWorld.explore(size)
/// print(world.failure ?? "\(world.states) states")
/// ```
///
/// Breadth first, each state of the world once: two states are the same when every peer holds the
/// same and the same frames are under way, so what can follow is the same too. Then it is seen that
/// the graph of states has no circle. So each course comes to rest, frames cease, and the courses
/// can be counted. The first failure is one with the fewest events.
///
/// What is a choice: which frame is delivered next, and whether more is received before the turn is
/// stored; when each edit happens, where and to which register; when a disk has stored, when the
/// engine hears of it; when news are told that wait for quiet; when a broken link is noticed, and how
/// much of what was under way still arrives; when a link is made anew; at which moment a crash comes.
/// What is none: frames come whole and in order on a link; all that can be sent is sent at the end of
/// a turn; clocks stand still, so that all stamps tie that may; nothing takes so long that a peer
/// counts as silent or a catch-up as stalled.
package struct EngineWorld {
  /// Different states of the world.
  package private(set) var states = 0
  package private(set) var steps = 0
  /// Different states of single peers.
  package private(set) var peerStates = 0
  /// Courses from the start to where all edits and faults were used and all is at rest.
  package private(set) var executions = 0.0
  /// The first execution that breaks a rule, as text.
  package private(set) var failure: String?

  private var world: SmallWorld
  private var numbers: [SmallState: Int32] = [:]
  private var found: [SmallState] = []
  /// By state: from which it was first reached.
  private var origins: [Int32] = []
  /// The successors of all states one after the other, and by state where its own begin.
  private var edges: [Int32] = []
  private var firstEdges: [Int] = [0]

  /// Stops at the first state that breaks a rule, and at `most` states, which is a failure as well.
  package static func explore(_ size: SmallWorldSize, most: Int = 20_000_000) -> EngineWorld {
    var exploration = EngineWorld(size)
    exploration.explore(most: most)
    return exploration
  }

  private init(_ size: SmallWorldSize) {
    world = SmallWorld(size)
  }

  private mutating func explore(most: Int) {
    _ = visit(world.start, from: 0)
    var index = 0
    while index < found.count, failure == nil {
      expand(Int32(index))
      index += 1
      if found.count > most { failure = "more than \(most) states" }
    }
    states = found.count
    steps = edges.count
    peerStates = world.table.peers.count
    if failure == nil { countExecutions() }
  }

  private mutating func expand(_ number: Int32) {
    let state = found[Int(number)]
    var isAtRest = true
    for successor in world.successors(of: state) {
      if let fault = successor.fault {
        return fail(at: number, last: successor.event, fault)
      }
      isAtRest = isAtRest && !successor.event.isOwn
      edges.append(visit(successor.state, from: number))
    }
    firstEdges.append(edges.count)
    if isAtRest, let fault = world.faultAtRest(state) { fail(at: number, last: nil, fault) }
  }

  private mutating func visit(_ state: SmallState, from origin: Int32) -> Int32 {
    if let number = numbers[state] { return number }
    let number = Int32(found.count)
    numbers[state] = number
    found.append(state)
    origins.append(origin)
    return number
  }

  /// Takes the states in an order in which each comes after all that lead to it; a circle leaves some
  /// over.
  private mutating func countExecutions() {
    var missing = [Int32](repeating: 0, count: found.count)
    for edge in edges { missing[Int(edge)] += 1 }
    var ways = [Double](repeating: 0, count: found.count)
    ways[0] = 1
    var ready = [0]
    var taken = 0
    while let number = ready.popLast() {
      taken += 1
      let own = edges[firstEdges[number]..<firstEdges[number + 1]]
      if own.isEmpty { executions += ways[number] }
      for edge in own {
        ways[Int(edge)] += ways[number]
        missing[Int(edge)] -= 1
        if missing[Int(edge)] == 0 { ready.append(Int(edge)) }
      }
    }
    guard taken < found.count, let circle = missing.firstIndex(where: { $0 > 0 }) else { return }
    fail(at: Int32(circle), last: nil, "from here on frames need not cease")
  }

  private mutating func fail(at number: Int32, last: SmallEvent?, _ fault: String) {
    var path = [number]
    while let origin = path.last.map({ origins[Int($0)] }), path.last != 0 { path.append(origin) }
    path.reverse()
    var lines: [String] = []
    for (from, to) in zip(path, path.dropFirst()) {
      let step = world.successors(of: found[Int(from)]).first { $0.state == found[Int(to)] }
      if let step { lines.append(world.text(step.event)) }
    }
    if let last { lines.append(world.text(last)) }
    failure = (lines + [fault]).joined(separator: "\n")
  }
}
