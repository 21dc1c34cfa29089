/// A run of real engines in a simulated world: what happens depends on the seed alone.
///
/// ```swift
/// let report = Simulation.run(seed: 7)
/// print(report)  // seed 7: converged, ...
/// ```
public enum Simulation {
  /// Runs one world through its faults and its healing and checks it all the while.
  ///
  /// Without `options` they are drawn from the seed. Precondition: there are 2 to 16 peers, and at
  /// least one space and one anchor.
  public static func run(
    seed: UInt64, options: SimulationOptions? = nil
  ) -> SimulationReport {
    let chosen = options ?? SimulationOptions.drawn(from: seed)
    precondition((2...16).contains(chosen.peers), "2 to 16 peers")
    precondition(chosen.spaces > 0 && chosen.anchors > 0, "something to edit")
    let world = World(seed: seed, options: chosen, isTraced: false)
    world.run()
    var lastLines: [String] = []
    if world.fault != nil {
      let again = World(seed: seed, options: chosen, isTraced: true)
      again.run()
      lastLines = again.lines!.suffix(60)
    }
    return SimulationReport(
      seed: seed, options: chosen, isDrawn: options == nil, failure: world.fault,
      traceHash: world.trace.text, counts: world.counts, lastLines: lastLines)
  }
}

/// What a run of a simulation showed.
public struct SimulationReport: Sendable {
  public struct Counts: Equatable, Sendable {
    public internal(set) var events = 0
    public internal(set) var edits = 0
    /// Frames sent, pings left out.
    public internal(set) var frames = 0
    /// Frames that ask for a space, of all frames.
    public internal(set) var requests = 0
    /// Frames that ask for a space's history, of all frames.
    public internal(set) var historyRequests = 0
    public internal(set) var bytes = 0
    /// Manifests and chunks of world maps that peers got from others.
    public internal(set) var blobs = 0
    public internal(set) var links = 0
    public internal(set) var cuts = 0
    public internal(set) var crashes = 0
    public internal(set) var partitions = 0
    public internal(set) var failedCommits = 0
    /// Virtual milliseconds from the healing of the network to equal states.
    public internal(set) var convergenceMilliseconds: UInt64 = 0
  }

  public let seed: UInt64
  public let options: SimulationOptions
  private let isDrawn: Bool
  /// What is wrong and when; nil when every rule held and the peers converged.
  public let failure: String?
  /// 16 hex digits, the same for the same seed and options in every process.
  public let traceHash: String
  public let counts: Counts
  /// The end of the trace of a failed run.
  public let lastLines: [String]

  init(
    seed: UInt64, options: SimulationOptions, isDrawn: Bool, failure: String?, traceHash: String,
    counts: Counts, lastLines: [String]
  ) {
    self.seed = seed
    self.options = options
    self.isDrawn = isDrawn
    self.failure = failure
    self.traceHash = traceHash
    self.counts = counts
    self.lastLines = lastLines
  }
}

extension SimulationReport: CustomStringConvertible {
  public var description: String {
    guard let failure else {
      return "seed \(seed): converged \(counts.convergenceMilliseconds) ms after the faults; "
        + "\(counts.events) events, \(counts.edits) edits, \(counts.bytes) B, \(counts.frames) frames, \(counts.blobs) blobs, \(counts.links) links, "
        + "\(counts.cuts) cuts, \(counts.crashes) crashes, \(counts.partitions) partitions, "
        + "\(counts.failedCommits) failed commits; trace \(traceHash)"
    }
    let replay =
      isDrawn
      ? "HYPERBASIS_SEED=\(seed) swift test --filter SimulatorTests"
      : "Simulation.run(seed: \(seed), options:) with the options above"
    let lines = lastLines.map { "  " + $0 }.joined(separator: "\n")
    return "seed \(seed): \(failure)\noptions: \(options)\n\(lines)\nreplay: \(replay)"
  }
}
