/// A run of real engines in a simulated world: what happens depends on the case alone.
///
/// ```swift
/// let report = Simulation.run(seed: 7)
/// print(report)  // seed 7: converged, ...
/// ```
public enum Simulation {
  /// Runs one world through its faults and its healing and checks it all the while.
  ///
  /// Without `options` they are drawn from the seed. Precondition: the options are possible.
  public static func run(
    seed: UInt64, options: SimulationOptions? = nil
  ) -> SimulationReport {
    run(SimulationCase(seed: seed, options: options))
  }

  /// Runs one case. A failed one is run a second time, with a trace of its end.
  public static func run(_ plan: SimulationCase) -> SimulationReport {
    run(plan, app: nil)
  }

  static func run(_ plan: SimulationCase, app: AppRules?) -> SimulationReport {
    let world = World(plan, app: app)
    world.run()
    let lines = world.failure == nil ? [] : trace(of: plan, app: app, lines: 60)
    return SimulationReport(
      plan: plan, failure: world.failure, traceHash: world.trace.hash.text, counts: world.counts,
      lastLines: lines)
  }

  /// The last lines of what happens in a case, each of the columns ``traceColumns``.
  public static func trace(of plan: SimulationCase, lines: Int) -> [String] {
    trace(of: plan, app: nil, lines: lines)
  }

  private static func trace(of plan: SimulationCase, app: AppRules?, lines: Int) -> [String] {
    let world = World(plan, app: app, traceLines: lines)
    world.run()
    return world.trace.lines!.suffix(lines)
  }

  /// The columns of a line of a trace, separated by tabs: milliseconds after the start, the peer's
  /// number, what happened, a number that says more of it, and how many bytes it was about.
  public static var traceColumns: String { Trace.columns }
}

/// What went wrong in a simulated world.
public struct SimulationFailure: Equatable, Sendable {
  /// The rule that was broken, such as `convergence` or `lost edit`.
  public let checker: String
  /// Virtual milliseconds after the start.
  public let milliseconds: UInt64
  /// At which peer; nil for what is of several.
  public let peer: Int?
  /// What was seen.
  public let detail: String
}

extension SimulationFailure: CustomStringConvertible {
  /// As `lost edit at 4210 ms, peer 2: ...`.
  public var description: String {
    let whose = peer.map { ", peer \($0)" } ?? ""
    return "\(checker) at \(milliseconds) ms\(whose): \(detail)"
  }
}
