import HyperbasisSimulator
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A whole number from the environment.
private func environment(_ name: String) -> UInt64? {
  getenv(name).flatMap { UInt64(String(cString: $0)) }
}

/// Runs seeds through the simulator: the fixed ones, or the one of `HYPERBASIS_SEED`; and
/// `HYPERBASIS_SEEDS` more beyond them.
@Suite struct ConvergenceTests {
  static let seeds: [UInt64] =
    environment("HYPERBASIS_SEED").map { [$0] }
    ?? Array(1...(4 + (environment("HYPERBASIS_SEEDS") ?? 0)))

  /// Stops at the first seed that fails: its report says how to replay it.
  @Test func `every seed converges`() {
    for seed in Self.seeds {
      let report = Simulation.run(seed: seed)
      #expect(report.failure == nil, "\(report)")
      if environment("HYPERBASIS_SEED") != nil { print(report) }
      if report.failure != nil { return }
    }
  }
}
