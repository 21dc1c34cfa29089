/// What a model does wrong, in the smallest world that shows it; its description is the whole report.
///
/// ```text
/// Counter() is wrong in the end, with seed 1: 2 were counted, and the count is 1
/// peer 0 shows: counter {count: 1}
/// these operations are enough:
///   peer 1 at 134 ms: add
///   peer 0 at 136 ms: add
/// Replay it: try Simulation.check(Counter(), replaying: "seed 1\noptions peers=2 ...")
/// Replay all 60 operations of the seed: try Simulation.check(Counter(), seeds: 1...1)
/// ```
///
/// Swift Testing prints it when a test throws it. There may be more kinds of it in later versions.
public struct SimulatedModelError: Error, Sendable {
  /// What was broken.
  public enum Kind: Sendable {
    /// ``SimulatedModel/fault(in:)`` found something.
    case atAnyTime
    /// ``SimulatedModel/faultAtEnd(in:after:)`` found something.
    case atEnd
    /// The model wrote what no space can hold, such as a number that is not finite.
    case unsavable
    /// No operation was acknowledged in any world, so nothing was shown.
    case nothingDone
    /// A rule of Hyperbasis itself, whatever the model does: please report it.
    case hyperbasis
  }

  /// What was broken.
  public let kind: Kind
  /// What was found, in the model's own words where it has found it.
  public let text: String
  /// What the peers of the smallest world are asked for, in the order of time, as
  /// `peer 0 at 20 ms: add`; several in one transaction are separated by commas.
  public let operations: [String]
  /// The smallest world; nil when nothing was done.
  public let plan: SimulationCase?

  private let report: [String]

  /// The lines of it, from the fault to the replay.
  init(
    _ world: World, _ plan: SimulationCase, _ rules: ModelRules<some SimulatedModel>, more: [String]
  ) {
    let failure = world.failure!
    let kind = Kind(checker: failure.checker)
    let operations = plan.steps.map { step in
      let words = step.actions.map { String(describing: rules.operation($0)) }
      return "peer \(step.node) at \(step.time) ms: \(words.joined(separator: ", "))"
    }
    self.kind = kind
    self.operations = operations
    self.plan = plan
    text = kind == .hyperbasis ? "\(failure)" : failure.detail
    let name = String(describing: rules.model)
    let what =
      switch kind {
      case .atAnyTime: "\(name) is wrong at \(failure.milliseconds) ms, with seed \(plan.seed)"
      case .atEnd: "\(name) is wrong in the end, with seed \(plan.seed)"
      case .unsavable: "\(name) writes what cannot be saved, with seed \(plan.seed)"
      case .hyperbasis, .nothingDone:
        "Hyperbasis is wrong, not \(name), with seed \(plan.seed); please report it"
      }
    var lines = ["\(what): \(text)"]
    if let shown = world.appShows { lines.append("peer \(failure.peer ?? 0) shows: \(shown)") }
    lines.append("these operations are enough:")
    lines += operations.map { "  " + $0 }
    if !plan.faults.isEmpty { lines.append("and these faults:") }
    lines += plan.faults.map { "  \($0.kind) at \($0.time) ms" }
    lines.append("Replay it: try Simulation.check(\(name), replaying: \(plan.literal))")
    report = lines + more
  }

  /// The report of a smaller world in which the same rule is broken.
  init(
    smallestOf plan: SimulationCase, _ failure: SimulationFailure,
    _ rules: ModelRules<some SimulatedModel>, _ options: SimulationOptions?
  ) {
    var shrinker = CaseShrinker(
      plan, checker: failure.checker, app: rules.app, runs: SimulatedModelError.runs)
    var small = shrinker.smallest()
    small.options = small.options.withoutDrawing
    let world = World(small, app: rules.app)
    world.run()
    let knobs = options.map { ", options: SimulationOptions(\"\($0)\")" } ?? ""
    let seeds = "seeds: \(plan.seed)...\(plan.seed)\(knobs)"
    let all = "Replay all \(plan.operationCount) operations of the seed: "
    self.init(
      world, small, rules, more: [all + "try Simulation.check(\(rules.model), \(seeds))"])
  }

  init(nothingDoneBy model: some SimulatedModel, _ seeds: ClosedRange<UInt64>) {
    kind = .nothingDone
    text = "no operation was acknowledged"
    operations = []
    plan = nil
    report = [
      "\(model) shows nothing with seeds \(seeds): each of its operations was refused or "
        + "changed nothing"
    ]
  }

  /// Worlds that are run to make a failing one small.
  private static let runs = 500
}

extension SimulatedModelError: CustomStringConvertible {
  /// The whole report.
  public var description: String { report.joined(separator: "\n") }
}

extension SimulatedModelError.Kind {
  fileprivate init(checker: String) {
    self =
      switch checker {
      case World.AppChecker.always: .atAnyTime
      case World.AppChecker.atEnd: .atEnd
      case World.AppChecker.unsavable: .unsavable
      default: .hyperbasis
      }
  }
}

extension SimulationCase {
  /// The case as a Swift literal of one line, without what reading it fills in.
  fileprivate var literal: String {
    let plain = Set(SimulationOptions().description.split(separator: " "))
    let lines = text.split(separator: "\n").dropFirst().map { line in
      let words = line.split(separator: " ")
      switch words[0] {
      case "options": return words.filter { !plain.contains($0) }.joined(separator: " ")
      case "operation": return words.prefix(2).joined(separator: " ")
      default: return String(line)
      }
    }
    return "\"\(lines.joined(separator: "\\n"))\""
  }
}
