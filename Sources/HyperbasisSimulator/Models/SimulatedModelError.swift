/// What a model does wrong, in the smallest world that shows it; its description is the whole report.
///
/// ```text
/// Counter() is wrong in the end, with seed 1: 2 were counted, and the count is 1
/// peer 0 shows: counter {count: 1}
/// these operations are enough:
///   peer 1 at 116 ms: add
///   peer 0 at 117 ms: add
/// Replay it: try Simulation.check(Counter(), replaying: "seed 1\noptions peers=2 ...")
/// Replay all 58 operations of the seed: try Simulation.check(Counter(), seeds: 1...1)
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
    /// The model wrote what no space can hold, such as a number that is not finite, or more in one
    /// operation than a change can hold: 65,536 writes, 4 MiB.
    case unsavable
    /// No operation was acknowledged in any world, so nothing was shown.
    case nothingDone
    /// The model is another one when it is run again, so that nothing it shows can be looked at: it
    /// depends on more than its arguments.
    case notTheSameTwice
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
  /// The smallest world; nil when nothing was done, or when the model is not the same twice.
  public let plan: SimulationCase?

  private let report: [String]

  /// The lines of it, from the fault to the replay. Precondition: `failure` is that of the world.
  init(
    _ world: World, _ failure: SimulationFailure, _ plan: SimulationCase,
    _ rules: ModelRules<some SimulatedModel>, more: [String]
  ) {
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
      case .hyperbasis, .nothingDone, .notTheSameTwice:
        "Hyperbasis is wrong, not \(name), with seed \(plan.seed); please report it"
      }
    var lines = ["\(what): \(text)"]
    if let shown = world.appShows { lines.append("peer \(failure.peer ?? 0) shows: \(shown)") }
    lines.append("these operations are enough:")
    lines += operations.map { "  " + $0 }
    if !plan.faults.isEmpty { lines.append("and these faults:") }
    lines += plan.faults.map { "  " + $0.picture(peers: plan.options.peers) }
    let (model, hint) = (rules.expression, rules.isSpelt ? "" : " (model: the one of your test)")
    lines.append("Replay it\(hint): try Simulation.check(\(model), replaying: \(plan.literal))")
    report = lines + more
  }

  /// The report of a world that failed, as it stands.
  init(
    of plan: SimulationCase, _ failure: SimulationFailure, _ rules: ModelRules<some SimulatedModel>
  ) {
    if let other = SimulatedModelError(ifOtherThan: failure, plan, rules) {
      self = other
      return
    }
    self.init(rerunOf: plan, failure, rules, more: [])
  }

  /// The report of a smaller world in which the same rule is broken.
  ///
  /// No other is tried after so many events of those that were, about a minute of them in debug. No
  /// clock ends it, so that a seed gives the same report on every machine.
  init(
    smallestOf plan: SimulationCase, _ failure: SimulationFailure,
    _ rules: ModelRules<some SimulatedModel>, _ options: SimulationOptions?,
    events most: Int = 2_000_000
  ) {
    if let other = SimulatedModelError(ifOtherThan: failure, plan, rules) {
      self = other
      return
    }
    var shrinker = CaseShrinker(
      plan, checker: failure.checker, app: rules.app, runs: SimulatedModelError.runs,
      while: { $0 < most })
    var small = shrinker.smallest()
    small.options = small.options.withoutDrawing
    let knobs = options.map { ", options: SimulationOptions(text: \"\($0)\")" } ?? ""
    let seeds = "seeds: \(plan.seed)...\(plan.seed)\(knobs)"
    let cut =
      shrinker.isCutShort
      ? ["It was made smaller for \(most) events only; fewer operations may be enough."]
      : []
    let all = "Replay all \(plan.operationCount) operations of the seed: "
    self.init(
      rerunOf: small, failure, rules,
      more: cut + [all + "try Simulation.check(\(rules.expression), \(seeds))"])
  }

  /// The report of a world in which a rule was broken before, by running it again.
  private init(
    rerunOf plan: SimulationCase, _ failure: SimulationFailure,
    _ rules: ModelRules<some SimulatedModel>, more: [String]
  ) {
    let world = World(plan, app: rules.app)
    world.run()
    guard let again = world.failure, again.checker == failure.checker else {
      self.init(notTheSameTwice: rules.model, because: world.failure.contrast(plan.seed))
      return
    }
    self.init(world, again, plan, rules, more: more)
  }

  /// Nil for a model that draws and does the same again in a world that failed.
  private init?(
    ifOtherThan failure: SimulationFailure, _ plan: SimulationCase,
    _ rules: ModelRules<some SimulatedModel>
  ) {
    let model = rules.model
    if let pair = rules.firstDrawnOtherwise(in: plan) {
      self.init(
        notTheSameTwice: model,
        because: "drew \(pair.0) with seed \(plan.seed), and \(pair.1) the next time")
      return
    }
    let world = World(plan, app: rules.app)
    world.run()
    guard
      let again = world.failure, again.checker == failure.checker,
      again.milliseconds == failure.milliseconds, again.peer == failure.peer
    else {
      self.init(notTheSameTwice: model, because: world.failure.contrast(plan.seed))
      return
    }
    return nil
  }

  private init(notTheSameTwice model: some SimulatedModel, because what: String) {
    kind = .notTheSameTwice
    text = what
    operations = []
    plan = nil
    report = [
      "\(model) \(what): draw, perform and the rules must depend on their "
        + "arguments alone; no UUID(), Date(), Int.random, or state in a class"
    ]
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

extension SimulationFailure? {
  /// How a second run differs from the first, which failed.
  fileprivate func contrast(_ seed: UInt64) -> String {
    self == nil
      ? "was wrong with seed \(seed) and is not when it is run again"
      : "was wrong with seed \(seed) and is so in another way when it is run again"
  }
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
      case "fault": return words.prefix(5).joined(separator: " ")
      default: return String(line)
      }
    }
    return "\"\(lines.joined(separator: "\\n"))\""
  }
}
