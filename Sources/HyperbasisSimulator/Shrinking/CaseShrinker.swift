/// Makes a failing case small: faults, operations, actions of transactions, peers and knobs are left
/// out as long as the same checker fails.
struct CaseShrinker {
  private let checker: String
  private let app: AppRules?
  private let shrinker: Shrinker
  private let spent = Spent()
  private var best: SimulationCase

  /// What its runs have cost.
  private final class Spent {
    var events = 0
  }

  /// Before each run `mayGoOn` is asked, with how many events all runs before it had.
  init(
    _ plan: SimulationCase, checker: String, app: AppRules?, runs: Int,
    while mayGoOn: @escaping (Int) -> Bool
  ) {
    best = plan
    self.checker = checker
    self.app = app
    let spent = spent
    shrinker = Shrinker(runs: runs) { mayGoOn(spent.events) }
  }

  /// Whether `mayGoOn` ended it.
  var isCutShort: Bool { shrinker.isCutShort }

  /// The smallest case found.
  mutating func smallest() -> SimulationCase {
    var size = (0, 0)
    repeat {
      size = (best.operationCount, best.faults.count)
      leaveOutFaults()
      leaveOutSteps()
      leaveOutActions()
      leaveOutPeers()
      turnOffKnobs()
    } while (best.operationCount, best.faults.count) != size
    return best
  }

  private func fails(_ plan: SimulationCase) -> Bool {
    let world = World(plan, app: app)
    world.run()
    spent.events += world.counts.events
    return world.failure?.checker == checker
  }

  private mutating func leaveOutFaults() {
    let plan = best
    best.faults = shrinker.smallest(plan.faults) { fails(plan.with(faults: $0)) }
  }

  private mutating func leaveOutSteps() {
    let plan = best
    best.steps = shrinker.smallest(plan.steps) { fails(plan.with(steps: $0)) }
  }

  private mutating func leaveOutActions() {
    for index in best.steps.indices where best.steps[index].actions.count > 1 {
      let plan = best
      best.steps[index].actions = shrinker.smallest(plan.steps[index].actions) { actions in
        var fewer = plan
        fewer.steps[index].actions = actions
        return !actions.isEmpty && fails(fewer)
      }
    }
  }

  /// Tries worlds with fewer peers, the fewest first; what the others did is done by those that are
  /// left.
  private mutating func leaveOutPeers() {
    for peers in 2..<best.options.peers {
      let plan = best.with(peers: peers)
      guard shrinker.tries({ fails(plan) }) else { continue }
      best = plan
      return
    }
  }

  private mutating func turnOffKnobs() {
    let plainest = [
      "spaces=1", "largeValues=0/1", "crumbs=0/1", "stragglers=0/1", "commitFailure=0/1",
      "needlessDial=0/1", "silentLoss=0/1", "commitDelay=0...0", "delay=1...1", "clocks=frozen",
      "latecomer=0", "damage=0/1", "arrival=16777216",
    ]
    for word in plainest {
      var plan = best
      guard plan.options.set(word), plan != best else { continue }
      plan.steps = plan.steps.map { step in
        var moved = step
        moved.space = step.space % plan.options.spaces
        return moved
      }
      if shrinker.tries({ fails(plan) }) { best = plan }
    }
  }
}

extension SimulationCase {
  fileprivate func with(faults: [Fault]) -> SimulationCase {
    var plan = self
    plan.faults = faults
    return plan
  }

  fileprivate func with(steps: [Step]) -> SimulationCase {
    var plan = self
    plan.steps = steps
    return plan
  }

  fileprivate func with(peers: Int) -> SimulationCase {
    var plan = self
    plan.options.peers = peers
    for index in plan.steps.indices { plan.steps[index].node %= peers }
    return plan
  }
}

extension Simulation {
  /// A small case in which the same rule is broken as in a failed run; of a run that did not fail, its
  /// own case.
  ///
  /// ```swift
  /// let report = Simulation.run(seed: 7)
  /// if report.failure != nil { print(Simulation.shrink(report).text) }
  /// ```
  ///
  /// It runs up to `runs` worlds, most of them smaller than the first, for as long as `mayGoOn` is true
  /// before each: where that looks at a clock, what is found depends on how fast the machine is.
  ///
  /// ```swift
  /// let end = ContinuousClock.now + .seconds(60)
  /// let small = Simulation.shrink(report) { ContinuousClock.now < end }
  /// ```
  public static func shrink(
    _ report: SimulationReport, runs: Int = 500,
    while mayGoOn: @escaping () -> Bool = { true }
  ) -> SimulationCase {
    guard let failure = report.failure else { return report.plan }
    var shrinker = CaseShrinker(
      report.plan, checker: failure.checker, app: nil, runs: runs, while: { _ in mayGoOn() })
    return shrinker.smallest()
  }
}
