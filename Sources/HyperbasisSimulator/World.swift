import HyperbasisCore
import HyperbasisSync

/// Something that is going to happen.
enum Happening {
  case operation(Int)
  case faults
  case dial(Int)
  case opened(wire: Int, side: Int)
  case deliver(wire: Int, side: Int)
  case lost(wire: Int, side: Int)
  case commit(Int, boot: Int, fails: Bool)
  case read(Int, boot: Int, wire: Int, HistoryRead)
  case tick(Int, boot: Int)
  case restart(Int)
  case mend(partition: Int)
}

/// Peers, disks, clocks and a network in one thread under one virtual clock, all from one seed.
final class World {
  /// The virtual wall clock at the start, in milliseconds since 1970.
  static let epoch: UInt64 = 1_700_000_000_000

  let options: SimulationOptions
  let spaceIDs: [SpaceID]
  let steps: [Step]
  var random: RandomSource
  var now: UInt64 = 0
  var queue = EventQueue<Happening>()
  var nodes: [Node] = []
  var wires: [Wire] = []
  /// By pair `from * peers + to`: how many partitions block it.
  var blocks: [Int]
  var partitions: [[Int]] = []
  /// Faults happen until the network heals.
  var isHealed = false

  var model = Model()
  var trace = TraceHash()
  var counts = SimulationReport.Counts()
  /// Frames with a whole change.
  var changeFrames = 0
  /// What went wrong; the simulation then stops.
  var fault: String?
  /// The last lines of the trace, when they are wanted.
  var lines: [String]?

  init(seed: UInt64, options: SimulationOptions, isTraced: Bool) {
    self.options = options
    random = RandomSource(seed: seed)
    var ids = random.forked()
    var work = random.forked()
    spaceIDs = (0..<options.spaces).map { _ in
      SpaceID(UInt128(ids.next()) << 64 | UInt128(ids.next()))
    }
    .sorted()
    steps = Workload.steps(options, &work)
    blocks = Array(repeating: 0, count: options.peers * options.peers)
    lines = isTraced ? [] : nil
    for number in 0..<options.peers {
      var node = Node(number: number, ids: &ids)
      node.disk.plant = options.plant
      node.skew = options.clocks == .skewed ? random.within(-100_000...100_000) : 0
      nodes.append(node)
    }
  }

  // MARK: Course

  /// Runs both phases; afterwards ``fault`` says what is wrong.
  func run() {
    for number in nodes.indices.dropLast(options.latecomer ? 1 : 0) { start(number) }
    for number in nodes.indices {
      schedule(.dial(number), in: random.within(0...200))
      for (index, space) in spaceIDs.enumerated()
      where index == 0 || number == 0 || random.chance(Ratio(1, in: 2)) {
        give(.join(space), to: number)
      }
    }
    var time = 0
    for index in steps.indices {
      time += random.within(options.operationGap)
      schedule(.operation(index), in: time)
    }
    schedule(.faults, in: 100)
    advance(until: UInt64(time))
    heal()
    converge()
    rest()
  }

  func schedule(_ event: Happening, in delay: Int) {
    queue.schedule(event, at: now + UInt64(delay))
  }

  /// Lets everything happen that is due until `end`.
  func advance(until end: UInt64) {
    while fault == nil, let next = queue.next(before: end) {
      now = next.time
      counts.events += 1
      happen(next.event)
      if counts.events % 64 == 0 { checkOne() }
    }
    now = max(now, end)
  }

  private func happen(_ event: Happening) {
    switch event {
    case .operation(let index):
      let step = steps[index]
      note("operation", step.node, UInt64(index))
      give(.operation(step), to: step.node)
    case .faults: injectFaults()
    case .dial(let number): dial(number)
    case .opened(let wire, let side): opened(wire, side)
    case .deliver(let wire, let side): deliver(wire, side)
    case .lost(let wire, let side): lost(wire, side)
    case .commit(let number, let boot, let fails):
      guard nodes[number].boot == boot, nodes[number].writes != nil else { return }
      finishCommit(number, fails: fails)
    case .read(let number, let boot, let wire, let read):
      guard nodes[number].boot == boot, nodes[number].engine != nil else { return }
      finishRead(number, wire: wire, read)
    case .tick(let number, let boot):
      guard nodes[number].boot == boot, nodes[number].tickAt == now else { return }
      nodes[number].tickAt = nil
      give(.tick, to: number)
    case .restart(let number):
      if isHealed && nodes[number].hasRefused { crash(number) }
      start(number)
    case .mend(let partition): mend(partition)
    }
  }

  // MARK: Trace

  /// Adds to the trace: what happened, to whom, when.
  func note(_ kind: StaticString, _ node: Int, _ detail: UInt64, bytes: [UInt8]? = nil) {
    trace.add(now)
    trace.add(UInt64(node))
    kind.withUTF8Buffer { for byte in $0 { trace.add(UInt64(byte)) } }
    trace.add(detail)
    if let bytes { trace.add(bytes) }
    guard lines != nil else { return }
    lines!.append("\(now) ms peer \(node) \(kind) \(detail) \(bytes.map { "\($0.count) B" } ?? "")")
    if lines!.count > 400 { lines!.removeFirst(200) }
  }

  func fail(_ text: String) {
    if fault == nil { fault = "at \(now) ms: \(text)" }
  }

  // MARK: Checks

  /// Looks at one peer, in turn, unless it is in the middle of a turn.
  private func checkOne() {
    let number = Int(counts.events / 64) % nodes.count
    guard nodes[number].writes == nil else { return }
    check(number)
  }

  func check(_ number: Int, anew: Bool = false) {
    if let fault = Checkers.fault(in: nodes[number].states, model) {
      fail("peer \(number): \(fault)")
    }
    if let fault = MapChecker.fault(in: nodes[number].maps) { fail("peer \(number): \(fault)") }
    if let text = historyFault(at: number, anew: anew) { fail("peer \(number): \(text)") }
  }

  /// Whether all peers show the same and nothing is under way to the disks.
  private var isConverged: Bool {
    guard nodes.allSatisfy({ $0.engine != nil && $0.writes == nil }) else { return false }
    let vectors = nodes[0].states.map(\.vector)
    return nodes.allSatisfy { $0.states.map(\.vector) == vectors }
      && hasWholeHistories && linkFault() == nil
      && MapChecker.fault(in: nodes, model) == nil
  }

  private func converge() {
    let start = now
    let frames = counts.frames
    while fault == nil, !isConverged {
      advance(until: now + 50)
      if now - start > 120_000 || counts.frames - frames > 400_000 {
        let pictures = nodes.map { node in
          "peer \(node.number): "
            + node.states.map(ConvergenceChecker.picture).joined(separator: ", ")
        }
        let maps = MapChecker.fault(in: nodes, model) ?? "maps are well"
        fail(
          "not converged in time: \(linkFault() ?? "links are well"), \(maps); "
            + pictures.joined(separator: "; "))
      }
    }
    counts.convergenceMilliseconds = now - start
  }

  /// After convergence, and once links that died silently are found: everything is checked, and
  /// traffic ceases.
  private func rest() {
    advance(until: now + 15_000)
    let before = counts.frames
    advance(until: now + 20_000)
    guard fault == nil else { return }
    if counts.frames != before { fail("\(counts.frames - before) frames after convergence") }
    if let text = linkFault() { fail(text) }
    editOnceMore()
    for number in nodes.indices { check(number, anew: true) }
    for number in nodes.indices { checkAtRest(number) }
    let peers = nodes.map(\.states)
    if let text = ConvergenceChecker.fault(in: peers) { fail("convergence: \(text)") }
    if let text = MapChecker.fault(in: nodes, model) { fail("maps: \(text)") }
    if let text = LossChecker.fault(in: peers, model) { fail("lost edit: \(text)") }
    let histories = nodes.map(\.disk.histories)
    if let text = EveryChangeOnceChecker.fault(in: histories, model) { fail("history: \(text)") }
    for node in nodes {
      do {
        let reloaded = try node.disk.load().map(\.state)
        if let text = ReloadChecker.fault(live: node.states, reloaded: reloaded) {
          fail("peer \(node.number): \(text)")
        }
      } catch {
        fail("peer \(node.number) cannot load its disk: \(error)")
      }
    }
  }

  /// With all links live an edit is pushed from peer to peer: nobody has to ask for it.
  private func editOnceMore() {
    let before = counts.requests + counts.historyRequests
    let changes = changeFrames
    let rename = Step(node: 0, space: 0, actions: [.rename("the last edit")])
    give(.operation(rename), to: 0)
    advance(until: now + 10_000)
    let vectors = nodes[0].states.map(\.vector)
    if !nodes.allSatisfy({ $0.states.map(\.vector) == vectors }) {
      fail("the last edit did not reach every peer")
    }
    // What cannot be pushed comes in two steps.
    if !hasWholeHistories { advance(until: now + 20_000) }
    if !hasWholeHistories { fail("the last edit is not in every history") }
    // A ring of recent changes that holds nothing cannot push.
    if options.recentBytes > 200, counts.requests + counts.historyRequests != before {
      fail("the last edit was asked for, not pushed")
    }
    let isTree = options.topology == .chain || options.topology == .star
    if isTree, changeFrames - changes >= options.peers {
      fail("the last edit was sent to whom it came from")
    }
  }

  /// Peers that may dial each other have exactly one link, seen by both.
  private func linkFault() -> String? {
    for number in nodes.indices {
      for other in neighbours(of: number) {
        guard let engine = nodes[number].engine else { return "peer \(number) is down" }
        let open = engine.linkIDs.filter {
          engine.peer(on: $0)?.replica == nodes[other].replica
        }
        if open.count != 1 { return "peer \(number) has \(open.count) links to peer \(other)" }
      }
    }
    return nil
  }
}
