/// One world in full: the seed of its chances, its options, and the lists of what is asked of its peers
/// and of what goes wrong. The same case takes the same course everywhere.
///
/// ```swift
/// let found = SimulationCase(seed: 7)
/// try found.text.write(toFile: "seven.case", atomically: true, encoding: .utf8)
/// let again = try SimulationCase(text: String(contentsOfFile: "seven.case", encoding: .utf8))
/// print(Simulation.run(again))
/// ```
public struct SimulationCase: Equatable, Sendable {
  /// What delays, the sizes of turns and the like are drawn from.
  public let seed: UInt64
  /// The knobs of the world.
  public internal(set) var options: SimulationOptions
  package internal(set) var steps: [Step]
  /// What goes wrong, in the order of time.
  public internal(set) var faults: [Fault]

  /// The case of a seed. Without `options` they are drawn from the seed as well.
  ///
  /// Precondition: the options are possible, as those that ``SimulationOptions/init(_:)`` reads.
  public init(seed: UInt64, options: SimulationOptions? = nil) {
    let options = options ?? .drawn(from: seed)
    precondition(options.isPossible, "2 to 64 peers, and something to edit")
    if let excess = options.excess { preconditionFailure("\(excess)") }
    self.seed = seed
    self.options = options
    var random = RandomSource(seed: seed)
    var work = random.forked()
    var plan = random.forked()
    steps = Workload.drawn(options, &work)
    faults = Fault.plan(options.faults, milliseconds: steps.last?.time ?? 0, &plan)
  }

  /// Nothing of it is drawn.
  private init(seed: UInt64, options: SimulationOptions, steps: [Step], faults: [Fault]) {
    self.seed = seed
    self.options = options
    self.steps = steps
    self.faults = faults
  }

  /// The case that bytes make, for fuzzing: any bytes make one.
  public init(seed: UInt64, options: SimulationOptions, operations bytes: [UInt8]) {
    self.init(seed: seed, options: options)
    steps = Workload.steps(bytes, options)
  }

  /// How many operations peers are asked for.
  public var operationCount: Int { steps.reduce(0) { $0 + $1.actions.count } }
}

// MARK: - Text

extension SimulationCase {
  /// One line for each part, to be kept in a file and read by ``init(text:)``.
  ///
  /// ```text
  /// hyperbasis case 1
  /// seed 7
  /// options peers=3 spaces=1 ...
  /// operation 2d0100000200000003070003fa      peer 2 at 301 ms: rollback 7
  /// fault 1200 crash 4 9  crash of peer 1 at 1200 ms (14 ms long, without the commit under way)
  /// ```
  ///
  /// What stands after the bytes of an operation, or after the numbers of a fault, is for readers only.
  public var text: String {
    let head = ["hyperbasis case 1", "seed \(seed)", "options \(options)"]
    let operations = steps.map { step in
      "operation \(SimulationCase.hex(Workload.bytes(step)))  \(step.picture)"
    }
    let troubles = faults.map { fault in
      "fault \(fault.time) \(fault.kind.rawValue) \(fault.first) \(fault.second)  "
        + fault.picture(peers: options.peers)
    }
    return (head + operations + troubles).map { $0 + "\n" }.joined()
  }

  /// Reads ``text``. Lines that are empty or begin with `#` are left out; they may end as those of
  /// Windows do.
  ///
  /// - Throws: ``SimulationCaseError`` naming the line that is of another form.
  public init(text: String) throws(SimulationCaseError) {
    var reader = CaseReader()
    // A line feed behind a carriage return is one character with it.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated()
    where !line.allSatisfy(\.isWhitespace) && !line.hasPrefix("#") {
      do { try reader.read(line) } catch {
        throw SimulationCaseError(line: index + 1, text: String(line), reason: error.text)
      }
    }
    guard let seed = reader.seed, let options = reader.options else {
      throw SimulationCaseError(line: lines.count, text: "no seed, or no options", reason: nil)
    }
    self.init(
      seed: seed, options: options, steps: Workload.steps(reader.bytes, options),
      faults: reader.faults)
    guard operationCount <= options.mostOperations else {
      let reason = "\(options.peers) peers are asked for at most \(options.mostOperations)"
      throw SimulationCaseError(
        line: lines.count, text: "\(operationCount) operations", reason: reason)
    }
    let end = max(steps.map(\.time).max() ?? 0, faults.map(\.time).max() ?? 0)
    guard end <= options.mostMilliseconds else {
      let reason = "with \(options.peers) peers a course has at most \(options.mostMilliseconds) ms"
      throw SimulationCaseError(line: lines.count, text: "\(end) ms", reason: reason)
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Step {
  /// What it does, for readers.
  var picture: String {
    let what = actions.map { action in
      switch action.kind {
      case .create, .move: "\(action.kind) \(action.anchor)"
      case .set, .unset: "\(action.kind) \(action.anchor).\(action.key) \(action.value)"
      case .delete, .restore, .rollback, .setAlike: "\(action.kind) \(action.anchor)"
      case .rename, .map: "\(action.kind) \(action.value)"
      case .deleteSpace, .restoreSpace, .join: "\(action.kind)"
      case .retain: "\(action.kind) \(action.value)"
      case .retire: "\(action.kind) peer \(action.anchor)"
      }
    }
    let when = past == .now ? "" : ", \(past) ago"
    return "peer \(node) at \(time) ms\(when): \(what.joined(separator: ", "))"
  }
}

extension Fault {
  /// Whom it meets in a world of so many peers, and how badly, for readers.
  func picture(peers: Int) -> String {
    let (number, size) = (Int(first) % peers, Int(second))
    let (who, what) =
      switch kind {
      case .cut: ("one of the open links", "")
      case .crash:
        (
          "peer \(number)",
          "\(10 + size / 2 % 3_000) ms long, \(size & 1 == 0 ? "with" : "without") the commit under way"
        )
      case .stop: ("peer \(number)", "\(10 + size % 3_000) ms long")
      case .partition: ("the network", partition(peers))
      case .clog:
        ("peer \(number)", "what it sends to peer \(size % peers), for \(size % 10_000) ms")
      case .clockStep:
        (
          "peer \(number)",
          "its clock is then \(abs(size % 200_001 - 100_000)) ms "
            + (size % 200_001 < 100_000 ? "slow" : "fast")
        )
      case .clockFreeze: ("peer \(number)", "for \(size % 30_000) ms")
      case .slowDisk, .fullDisk: ("peer \(number)", "for \(size % 5_000) ms")
      case .lostTail: ("peer \(number)", "its last commits are lost")
      case .restore: ("peer \(number)", "an older copy of itself")
      case .clone:
        ("peer \(number)", "a copy of peer \((number + 1 + size % (peers - 1)) % peers)")
      case .wrongClock:
        ("peer \(number)", "its clock is \(WallClock.picture(size)), for \(size % 60_000) ms")
      }
    return "\(kind) of \(who) at \(time) ms" + (what.isEmpty ? "" : " (\(what))")
  }

  private func partition(_ peers: Int) -> String {
    let lonely = Int(first) % peers
    let half = (0..<peers).filter { first >> UInt32($0 % 32) & 1 == 1 }.map(String.init)
    let what =
      switch second % 4 {
      case 0: "nothing of peer \(lonely) comes to peer \((lonely + 1) % peers)"
      case 1: "peer \(lonely) is alone"
      case 2: "between the peers [\(half.joined(separator: ", "))] and the others"
      default: "all but neighbours"
      }
    return "\(what), for \(100 + Int(second / 4) % 12_000) ms"
  }
}
