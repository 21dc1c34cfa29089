/// What a run of a simulation showed.
public struct SimulationReport: Sendable {
  /// What there was of each.
  public struct Counts: Equatable, Sendable {
    /// What happened in virtual time.
    public internal(set) var events = 0
    /// Changes that peers made.
    public internal(set) var edits = 0
    /// Writes to registers in those changes.
    public internal(set) var operations = 0
    /// Writes that came to other peers and were applied there: operations times the peers that
    /// received them.
    public internal(set) var applications = 0
    /// Frames sent, pings left out.
    public internal(set) var frames = 0
    /// Frames that ask for a space, of all frames.
    public internal(set) var requests = 0
    /// Frames that ask for a space's history, of all frames.
    public internal(set) var historyRequests = 0
    /// Bytes of all frames.
    public internal(set) var bytes = 0
    /// Manifests and chunks of world maps that peers got from others.
    public internal(set) var blobs = 0
    /// Links that were dialled.
    public internal(set) var links = 0
    /// Commits that a disk refused.
    public internal(set) var failedCommits = 0
    /// Faults by kind.
    public internal(set) var faults: [Fault.Kind: Int] = [:]
    /// Virtual milliseconds of the whole course.
    public internal(set) var milliseconds: UInt64 = 0
    /// Virtual milliseconds from the healing of the network to equal states.
    public internal(set) var convergenceMilliseconds: UInt64 = 0

    /// Nothing yet.
    public init() {}

    /// Adds what was counted in another world.
    public mutating func add(_ other: Counts) {
      events += other.events
      edits += other.edits
      operations += other.operations
      applications += other.applications
      frames += other.frames
      requests += other.requests
      historyRequests += other.historyRequests
      bytes += other.bytes
      blobs += other.blobs
      links += other.links
      failedCommits += other.failedCommits
      for kind in Fault.Kind.allCases { faults[kind, default: 0] += other.faults[kind] ?? 0 }
      milliseconds += other.milliseconds
      convergenceMilliseconds += other.convergenceMilliseconds
    }
  }

  /// What was run.
  public let plan: SimulationCase
  /// What is wrong; nil when every rule held and the peers converged.
  public let failure: SimulationFailure?
  /// 16 hex digits, the same for the same case in every process.
  public let traceHash: String
  /// What there was of each.
  public let counts: Counts
  /// The end of the trace of a failed run.
  public let lastLines: [String]

  /// The seed of the case.
  public var seed: UInt64 { plan.seed }
  /// The options of the case.
  public var options: SimulationOptions { plan.options }

  /// The command that runs the same world again, where its seed alone or its options make it.
  public var replayCommand: String {
    options == .drawn(from: seed)
      ? "hyperbasis simulate --seed \(seed)"
      : "hyperbasis simulate --seed \(seed) --options '\(options)'"
  }
}

extension SimulationReport: CustomStringConvertible {
  /// One line of a world that is well; else what is wrong, the options, the end of the trace and the
  /// command that runs it again.
  public var description: String { description(replayedBy: replayCommand) }

  /// The same, with another command that runs it again.
  package func description(replayedBy command: String) -> String {
    guard let failure else {
      let faults = Fault.Kind.allCases.compactMap { kind in
        counts.faults[kind].map { ", \($0) \(kind)" }
      }
      return "seed \(seed): converged \(counts.convergenceMilliseconds) ms after the faults; "
        + "\(counts.events) events, \(counts.edits) edits, \(counts.bytes) B, "
        + "\(counts.frames) frames, \(counts.blobs) blobs, \(counts.links) links, "
        + "\(counts.failedCommits) failed commits\(faults.joined()); trace \(traceHash)"
    }
    let lines = ([Simulation.traceColumns] + lastLines).map { "  " + $0 }.joined(separator: "\n")
    return "seed \(seed): \(failure)\noptions: \(options)\n\(lines)\nreplay: \(command)"
  }
}
