/// All small worlds, kind by kind, with the number of what was explored.
///
/// ```swift
/// Exhaustive.explore(operations: 4) { print($0) }
/// // merge, 1 change: 9 states, 9 steps, ...
/// ```
package enum Exhaustive {
  /// Explores worlds of up to `operations` changes, the smallest first, and stops at the first that
  /// breaks a rule: a line that begins with `failure` has its execution.
  package static func explore(operations: Int, line: (String) -> Void) {
    guard exploreMerges(operations: operations, line: line) else { return }
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
