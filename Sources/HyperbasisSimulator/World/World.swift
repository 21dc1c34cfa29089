import HyperbasisCore
import HyperbasisSync

/// Something that is going to happen.
enum Happening {
  case operation(Int)
  case fault(Int)
  case dial(Int)
  case opened(Wire, side: Int)
  case deliver(Wire, side: Int)
  case lost(Wire, side: Int)
  case commit(Int, boot: Int, fails: Bool)
  case read(Int, boot: Int, Wire, HistoryRead)
  case tick(Int, boot: Int)
  case restart(Int)
  case renew(Int, boot: Int)
  case mend([Int])
}

/// Peers, disks, clocks and a network in one thread under one virtual clock, all from one case.
///
/// It runs in two phases. First everything goes wrong that the case says, and nothing wrong may ever be
/// visible. Then the network heals, and within a limit of time and messages all must converge and
/// traffic cease.
final class World {
  /// The virtual wall clock at the start, in milliseconds since 1970.
  static let epoch: UInt64 = 1_700_000_000_000

  let options: SimulationOptions
  let spaceIDs: [SpaceID]
  let steps: [Step]
  let faults: [Fault]
  let app: AppRules?
  /// The peer of which is looked at what would cost too much of all.
  let witness: Int
  /// Whether disks are to be copied at each commit, for faults that bring one back.
  let keepsBackups: Bool
  /// What chance decides, each for itself, so that one draw more here changes nothing there.
  var network: RandomSource
  var driver: RandomSource
  var disks: RandomSource
  var identities: RandomSource

  var now: UInt64 = 0
  var queue = EventQueue<Happening>()
  var nodes: [Node] = []
  var wires: [Wire] = []
  /// By pair `from * peers + to`: how many partitions block it, and until when it is clogged.
  var blocks: [Int]
  var clogs: [UInt64]
  /// What is wrong with links lasts until the network heals.
  var isHealed = false

  var model = Model()
  var trace: Trace
  var counts = SimulationReport.Counts()
  /// Frames with a whole change.
  var changeFrames = 0
  /// The actions of an app's steps that changes were made of; for look-up only.
  var appActions: [AppChange: [Step.Action]] = [:]
  /// What the app's rules found wrong.
  var appShows: String?
  /// What went wrong; the simulation then stops.
  var failure: SimulationFailure?
  private var nextCheck = 0
  private var checkedNodes = 0

  init(_ plan: SimulationCase, app: AppRules? = nil, traceLines: Int = 0) {
    options = plan.options
    steps = plan.steps
    faults = plan.faults
    self.app = app
    witness = Int(plan.seed % UInt64(plan.options.peers))
    keepsBackups = faults.contains { [.lostTail, .restore].contains($0.kind) }
    trace = Trace(lines: traceLines)
    var random = RandomSource(seed: plan.seed ^ 0x776f_726c_6421_2121)
    network = random.forked()
    driver = random.forked()
    disks = random.forked()
    identities = random.forked()
    var ids = random.forked()
    spaceIDs = (0..<options.spaces).map { _ in
      SpaceID(UInt128(ids.next()) << 64 | UInt128(ids.next()))
    }
    .sorted()
    blocks = Array(repeating: 0, count: options.peers * options.peers)
    clogs = Array(repeating: 0, count: options.peers * options.peers)
    for number in 0..<options.peers {
      let node = Node(number: number, ids: &ids)
      node.disk.plant = options.plant
      if options.clocks == .skewed {
        node.clock.skew = random.within(-100_000...100_000)
        node.clock.drift = random.within(-200...200)
      }
      nodes.append(node)
    }
  }

  // MARK: Course

  /// Runs both phases; afterwards ``failure`` says what is wrong.
  func run() {
    for node in nodes.dropLast(options.latecomer ? 1 : 0) { start(node) }
    for node in nodes {
      schedule(.dial(node.number), in: driver.within(0...200))
      for (index, space) in spaceIDs.enumerated()
      where index == 0 || node.number == 0 || driver.chance(Ratio(1, in: 2)) {
        give(.join(space), to: node)
      }
    }
    for index in steps.indices { queue.schedule(.operation(index), at: UInt64(steps[index].time)) }
    for index in faults.indices { queue.schedule(.fault(index), at: UInt64(faults[index].time)) }
    let end = max(steps.map(\.time).max() ?? 0, faults.map(\.time).max() ?? 0)
    advance(until: UInt64(end))
    heal()
    converge()
    rest()
    counts.milliseconds = now
  }

  func schedule(_ event: Happening, in delay: Int) {
    queue.schedule(event, at: now + UInt64(delay))
  }

  /// Lets everything happen that is due until `end`.
  func advance(until end: UInt64) {
    while failure == nil, let next = queue.next(before: end) {
      now = next.time
      counts.events += 1
      happen(next.event)
      if counts.events >= nextCheck { checkOne() }
    }
    now = max(now, end)
  }

  /// How many events lie between two checks: more in a longer history, so that checking costs a share
  /// of the time that does not grow.
  private var eventsPerCheck: Int { 64 + model.entries.count / 2 }

  private func happen(_ event: Happening) {
    switch event {
    case .operation(let index):
      trace.note(.operation, at: now, steps[index].node, UInt64(index))
      give(.operation(steps[index]), to: nodes[steps[index].node])
    case .fault(let index): inject(faults[index])
    case .dial(let number): dial(nodes[number])
    case .opened(let wire, let side): opened(wire, side)
    case .deliver(let wire, let side): deliver(wire, side)
    case .lost(let wire, let side): lost(wire, side)
    case .commit(let number, let boot, let fails):
      let node = nodes[number]
      if node.boot == boot, node.writes != nil { finishCommit(node, fails: fails) }
    case .read(let number, let boot, let wire, let read):
      let node = nodes[number]
      if node.boot == boot, node.isUp { finishRead(node, wire, read) }
    case .tick(let number, let boot):
      let node = nodes[number]
      guard node.boot == boot, node.tickAt == now else { return }
      node.tickAt = nil
      give(.tick, to: node)
    case .restart(let number): start(nodes[number])
    case .renew(let number, let boot):
      if nodes[number].boot == boot { renew(nodes[number]) }
    case .mend(let pairs): mend(pairs)
    }
  }

  /// Looks at one peer, in turn, unless it is in the middle of a turn.
  private func checkOne() {
    nextCheck = counts.events + eventsPerCheck
    let node = nodes[checkedNodes % nodes.count]
    checkedNodes += 1
    if node.writes == nil { check(node) }
  }

  func fail(_ checker: String, at node: Node? = nil, _ detail: String) {
    guard failure == nil else { return }
    failure = SimulationFailure(
      checker: checker, milliseconds: now, peer: node?.number, detail: detail)
  }
}
