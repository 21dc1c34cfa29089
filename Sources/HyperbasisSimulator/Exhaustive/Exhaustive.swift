/// All small worlds, kind by kind, with the number of what was explored.
///
/// ```swift
/// Exhaustive.explore(operations: 4) { print($0) }
/// // merge, 1 edits: 3 orders of stamps, 9 states, 9 steps, for 18 executions
/// ```
package enum Exhaustive {
  /// Explores worlds of up to `operations` changes, the smallest first, and stops at the first that
  /// breaks a rule: a line that begins with `failure` has its execution.
  package static func explore(operations: Int, line: (String) -> Void) {
    guard exploreMerges(operations: operations, line: line) else { return }
    for size in sizes(operations: operations) {
      let world = EngineWorld.explore(size)
      line(
        "engines, \(size.description): \(world.states) states, \(world.steps) steps, "
          + "\(world.peerStates) states of single peers, for \(world.executions) executions")
      guard report(world.failure, line) else { return }
    }
  }

  /// Worlds of engines: those of the seconds first. A crash or an edit more takes minutes.
  private static func sizes(operations: Int) -> [SmallWorldSize] {
    var sizes = [
      size(edits: 1, mixesTurns: true), size(crashes: 1), size(edits: 1, refusals: 1),
    ]
    if operations >= 4 { sizes.append(size(edits: 2)) }
    guard operations >= 6 else { return sizes }
    sizes += [size(edits: 2, mixesTurns: true), size(edits: 1, crashes: 1)]
    sizes.append(size(places: [1, 0, 2], edits: 1))
    guard operations >= 7 else { return sizes }
    sizes += [size(places: [0, 1, 2], edits: 1), size(places: [0, 2, 1], edits: 1)]
    sizes += [size(edits: 1, crashes: 1, mixesTurns: true), size(edits: 2, refusals: 1)]
    return sizes
  }

  private static func size(
    places: [Int] = [0, 1], edits: Int = 0, crashes: Int = 0, refusals: Int = 0,
    mixesTurns: Bool = false
  ) -> SmallWorldSize {
    var size = SmallWorldSize()
    size.peers = places.count
    size.places = places
    size.edits = edits
    size.crashes = crashes
    size.refusals = refusals
    size.mixesTurns = mixesTurns
    return size
  }

  private static func exploreMerges(operations: Int, line: (String) -> Void) -> Bool {
    for changes in 1...max(1, operations) {
      var world = MergeWorld()
      world.explore(changes: changes)
      let counts = world.counts
      line(
        "merge, \(changes) edits: \(counts.stampOrders) orders of stamps, \(counts.states) states, "
          + "\(counts.steps) steps, for \(counts.executions) executions")
      guard report(world.failure, line) else { return false }
    }
    for changes in 1...max(1, min(operations, 4)) {
      var world = MergeWorld()
      world.explore(recorded: changes)
      line(
        "merge, \(changes) changes under times of the past: \(world.counts.stampOrders) orders of "
          + "stamps, \(world.counts.states) states, \(world.counts.steps) steps")
      guard report(world.failure, line) else { return false }
    }
    for changes in 1...max(1, min(operations - 2, 4)) {
      var world = MergeWorld()
      world.explore(deltas: changes)
      line("deltas, \(changes) edits: \(world.counts.deltas) deltas")
      guard report(world.failure, line) else { return false }
    }
    return true
  }

  /// Returns whether there is none.
  private static func report(_ failure: String?, _ line: (String) -> Void) -> Bool {
    if let failure { line("failure:\n\(failure)") }
    return failure == nil
  }
}
