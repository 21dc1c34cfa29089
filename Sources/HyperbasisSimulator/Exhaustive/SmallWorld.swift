import HyperbasisCore
import HyperbasisSync

/// How large a small world of engines is.
package struct SmallWorldSize: Sendable {
  /// Peers in a chain: the first is linked with the second, and that with the third.
  package var peers = 2
  /// By peer: its place in the order of replica ids.
  package var places = [0, 1]
  /// Edits, each at any peer, of either register, at any moment.
  package var edits = 1
  /// Crashes, each of any peer at any moment.
  package var crashes = 0
  /// Commits that the disk refuses, each of any peer.
  package var refusals = 0
  /// Whether a turn may take more inputs before it is stored; when not, each input is a turn.
  package var mixesTurns = true
  /// Bytes at which a batch is closed; at 1 each has one change.
  package var batchBytes = 1
  /// A fault that must be found: disks say that they stored, and did not.
  package var disksForget = false

  package init() {}

  package var description: String {
    let order = (0..<peers).sorted { places[$0] < places[$1] }.map { SmallNames.names[$0] }
    return "\(peers) peers (\(order.joined(separator: "<"))), \(edits) edits, \(crashes) crashes, "
      + "\(refusals) refused commits, \(mixesTurns ? "any" : "one") input a turn"
  }
}

/// One thing that happens in a small world.
enum SmallEvent {
  case connect(Int, Int)
  case edit(Int, Int)
  case deliver(Wire, to: Int)
  /// A peer hears that a link is no more; what was under way to it is lost.
  case lose(Wire, at: Int)
  case store(Int)
  case acknowledge(Int)
  case refuse(Int)
  case crash(Int)
  case wait(Int)

  /// A link between two peers, the one with the smaller number first.
  struct Wire: Hashable {
    let link: Int
    let ends: [Int]
    var isOpen = [true, true]
    /// By receiving end: frames under way, by their numbers.
    var queues: [[Int]] = [[], []]
  }
}

/// All of a small world at one moment, as a few numbers.
struct SmallState: Hashable {
  /// Numbers of states in the `PeerTable`.
  var peers: SIMD4<Int32> = [0, 0, 0, 0]
  /// The number of a list of wires.
  var wires: Int32 = 0
  /// Links made so far.
  var links: Int8 = 0
  var edits: Int8
  var crashes: Int8
  var refusals: Int8
}

/// The events that are possible in a small world, and what they make of it.
struct SmallWorld {
  typealias Wire = SmallEvent.Wire

  let size: SmallWorldSize
  let start: SmallState
  private(set) var table = PeerTable()
  private var wireLists: [[Wire]] = [[]]
  private var wireNumbers: [[Wire]: Int32] = [[]: 0]
  /// What was looked at already: a peer's state and the numbers of all peers' own changes.
  private var checked: Set<SIMD4<Int32>> = []
  private var paired: Set<SIMD4<Int32>> = []

  struct Successor {
    let event: SmallEvent
    let state: SmallState
    let fault: String?
  }

  init(_ size: SmallWorldSize) {
    self.size = size
    var tuning = Tuning()
    tuning.batchBytes = size.batchBytes
    var start = SmallState(
      edits: Int8(size.edits), crashes: Int8(size.crashes), refusals: Int8(size.refusals))
    for number in 0..<size.peers {
      let replica = SmallNames.replica(number, place: size.places[number])
      let peer = SmallPeer(
        replica: replica, name: SmallNames.names[number], tuning: tuning,
        diskForgets: size.disksForget)
      start.peers[number] = Int32(table.number(of: peer))
    }
    self.start = start
  }

  // MARK: Events

  /// Everything that can happen next; nothing is left out but what needs more edits or faults than
  /// there are.
  mutating func successors(of state: SmallState) -> [Successor] {
    var events = turnEvents(in: state)
    let wires = wireLists[Int(state.wires)]
    for wire in wires {
      for side in 0...1 where wire.isOpen[side] && isListening(wire.ends[side], in: state) {
        if !wire.queues[side].isEmpty { events.append(.deliver(wire, to: side)) }
        if !wire.isOpen[1 - side] { events.append(.lose(wire, at: side)) }
      }
    }
    for first in 0..<size.peers - 1 {
      let hasLink = wires.contains { $0.ends[0] == first && $0.isOpen == [true, true] }
      if !hasLink, isListening(first, in: state), isListening(first + 1, in: state) {
        events.append(.connect(first, first + 1))
      }
    }
    return events.compactMap { perform($0, in: state) }
  }

  private mutating func turnEvents(in state: SmallState) -> [SmallEvent] {
    var events: [SmallEvent] = []
    for peer in 0..<size.peers {
      switch phase(of: peer, in: state) {
      case .idle: events.append(.wait(peer))
      case .dirty:
        events.append(.store(peer))
        if state.refusals > 0 { events.append(.refuse(peer)) }
      case .stored: events.append(.acknowledge(peer))
      }
      if state.edits > 0, isListening(peer, in: state) {
        events += SmallPeer.registers.indices.map { .edit(peer, $0) }
      }
      if state.crashes > 0 { events.append(.crash(peer)) }
    }
    return events
  }

  /// Whether a peer takes inputs: while its disk works they wait.
  private func isListening(_ peer: Int, in state: SmallState) -> Bool {
    switch phase(of: peer, in: state) {
    case .idle: true
    case .dirty: size.mixesTurns
    case .stored: false
    }
  }

  private func phase(of peer: Int, in state: SmallState) -> SmallPeer.Phase {
    table.views[Int(state.peers[peer])].phase
  }

  // MARK: What they make of the world

  /// Nil for an event that is none: time passes, and nobody has anything to say.
  private mutating func perform(_ event: SmallEvent, in state: SmallState) -> Successor? {
    var next = state
    var wires = wireLists[Int(state.wires)]
    var fault: String?
    switch event {
    case .connect(let first, let second):
      next.links += 1
      let link = Int(next.links)
      wires.append(Wire(link: link, ends: [first, second]))
      fault = give(.open(link: link), to: first, &next, &wires)
      fault = give(.open(link: link), to: second, &next, &wires) ?? fault
      let most = size.peers - 1 + 3 * (size.crashes + size.refusals)
      if link > most { fault = "there is a link after another without end" }
    case .edit(let peer, let register):
      next.edits -= 1
      fault = give(.edit(register), to: peer, &next, &wires)
    case .deliver(let wire, let side):
      let index = wires.firstIndex(of: wire)!
      let frame = wires[index].queues[side].removeFirst()
      fault = give(.frame(link: wire.link, frame: frame), to: wire.ends[side], &next, &wires)
    case .lose(let wire, let side):
      close(wire.link, at: wire.ends[side], &wires)
      fault = give(.close(link: wire.link), to: wire.ends[side], &next, &wires)
    case .store(let peer): fault = give(.store, to: peer, &next, &wires)
    case .acknowledge(let peer): fault = give(.acknowledge, to: peer, &next, &wires)
    case .refuse(let peer):
      next.refusals -= 1
      fault = give(.refuse, to: peer, &next, &wires)
    case .crash(let peer):
      next.crashes -= 1
      for wire in wires { close(wire.link, at: peer, &wires) }
      fault = give(.crash, to: peer, &next, &wires)
    case .wait(let peer):
      guard !table.result(of: .wait, at: Int(state.peers[peer])).frames.isEmpty else { return nil }
      fault = give(.wait, to: peer, &next, &wires)
    }
    next.wires = number(of: wires)
    return Successor(event: event, state: next, fault: fault ?? check(next))
  }

  private mutating func give(
    _ input: SmallInput, to peer: Int, _ state: inout SmallState, _ wires: inout [Wire]
  ) -> String? {
    let result = table.result(of: input, at: Int(state.peers[peer]))
    state.peers[peer] = Int32(result.peer)
    for (link, frame) in result.frames {
      guard let index = wires.firstIndex(where: { $0.link == link }) else { continue }
      let other = wires[index].ends[0] == peer ? 1 : 0
      if wires[index].isOpen[other] { wires[index].queues[other].append(frame) }
    }
    for link in result.closed { close(link, at: peer, &wires) }
    guard result.fault == nil, let input = rest(ofTurnOf: peer, in: state) else {
      return result.fault
    }
    return give(input, to: peer, &state, &wires)
  }

  /// What a turn goes on with at once, when nothing can come between: a peer whose disk works takes
  /// and says nothing, so it makes no difference to the others how long it does.
  private func rest(ofTurnOf peer: Int, in state: SmallState) -> SmallInput? {
    guard state.crashes == 0 else { return nil }
    switch phase(of: peer, in: state) {
    case .idle: return nil
    case .dirty: return size.mixesTurns || state.refusals > 0 ? nil : .store
    case .stored: return .acknowledge
    }
  }

  private func close(_ link: Int, at peer: Int, _ wires: inout [Wire]) {
    guard let index = wires.firstIndex(where: { $0.link == link && $0.ends.contains(peer) }) else {
      return
    }
    let side = wires[index].ends[0] == peer ? 0 : 1
    wires[index].isOpen[side] = false
    wires[index].queues[side] = []
    if wires[index].isOpen == [false, false] { wires.remove(at: index) }
  }

  private mutating func number(of wires: [Wire]) -> Int32 {
    if let number = wireNumbers[wires] { return number }
    let number = Int32(wireLists.count)
    wireNumbers[wires] = number
    wireLists.append(wires)
    return number
  }

  // MARK: Rules

  private mutating func check(_ state: SmallState) -> String? {
    var question = SIMD4<Int32>()
    for peer in 0..<size.peers { question[peer + 1] = table.ownLists[Int(state.peers[peer])] }
    for peer in 0..<size.peers {
      question[0] = state.peers[peer]
      guard checked.insert(question).inserted else { continue }
      let views = views(of: state)
      if let fault = SmallRules.fault(of: views[peer], among: views) { return fault }
    }
    guard paired.insert(state.peers).inserted else { return nil }
    return SmallRules.divergence(in: views(of: state))
  }

  func faultAtRest(_ state: SmallState) -> String? {
    SmallRules.faultAtRest(in: views(of: state))
  }

  private func views(of state: SmallState) -> [PeerView] {
    (0..<size.peers).map { table.views[Int(state.peers[$0])] }
  }

  // MARK: Text

  func text(_ event: SmallEvent) -> String {
    let names = SmallNames.names
    return switch event {
    case .connect(let first, let second): "\(names[first]) and \(names[second]) are linked"
    case .edit(let peer, let register):
      "\(names[peer]) edits the \(["existence", "key"][register])"
    case .deliver(let wire, let side):
      "\(names[wire.ends[side]]) receives \(table.text(ofFrame: wire.queues[side][0])) from "
        + "\(names[wire.ends[1 - side]]) on link \(wire.link)"
    case .lose(let wire, let side): "\(names[wire.ends[side]]) loses link \(wire.link)"
    case .store(let peer): "\(names[peer]) stores"
    case .acknowledge(let peer): "\(names[peer]) acknowledges"
    case .refuse(let peer): "the disk of \(names[peer]) refuses"
    case .crash(let peer): "\(names[peer]) crashes and starts again"
    case .wait(let peer): "\(names[peer]) has waited, and tells its news"
    }
  }
}

extension SmallEvent {
  /// Whether it happens by itself: edits and faults need not come.
  var isOwn: Bool {
    switch self {
    case .edit, .crash, .refuse: false
    case .connect, .deliver, .lose, .store, .acknowledge, .wait: true
    }
  }
}
