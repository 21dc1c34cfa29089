import HyperbasisSimulator

/// The faults of a case as what can be done to processes and links of the lab.
///
/// One thing is done to a peer, to a link or to a pair of hosts at a time: what would meet one that is
/// met already is left out and counted.
struct FaultPlan {
  /// One line for the lab: a verb and its hosts, such as `kill host2` or `block host1 host3`.
  struct Event {
    let milliseconds: Int
    let words: String
  }

  private(set) var events: [Event] = []
  private(set) var skipped: [String: Int] = [:]
  /// How often each kind met something.
  private(set) var counts: [String: Int] = [:]

  private let hosts: Int
  private let end: Int
  private let scale: (Int) -> Int
  /// Until when what is named is met by something.
  private var busy: [String: Int] = [:]

  /// Milliseconds: shorter ones would not be noticed.
  private static let shortest = 200
  /// Milliseconds of a peer's pause: less than a command waits for its answer.
  private static let longestPause = 6_000
  /// Milliseconds that a peer is not there.
  private static let longestAbsence = 4_000

  init(_ faults: [Fault], hosts: Int, seconds: Int, scale: @escaping (Int) -> Int) {
    self.hosts = hosts
    self.scale = scale
    end = seconds * 1_000
    for fault in faults { add(fault) }
    // What ends comes before what begins at the same moment: it was noted first.
    events = events.enumerated()
      .sorted { ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset) }
      .map(\.element)
  }

  private mutating func add(_ fault: Fault) {
    let number = Int(fault.first) % hosts
    let (host, size) = ("host\(number + 1)", Int(fault.second))
    let hasMet: Bool
    switch fault.kind {
    case .crash, .stop:
      let milliseconds = min(10 + scale(size / 2 % 3_000), FaultPlan.longestAbsence)
      let verb = fault.kind == .crash ? "kill" : "stop"
      hasMet = meet("peer \(host)", fault, milliseconds, "\(verb) \(host)", "start \(host)")
    case .clockFreeze, .slowDisk:
      let most = fault.kind == .clockFreeze ? 30_000 : 5_000
      let milliseconds = min(scale(size % most), FaultPlan.longestPause)
      hasMet = meet("peer \(host)", fault, milliseconds, "pause \(host)", "resume \(host)")
    case .cut:
      let verb = size % 2 == 0 ? "cut" : "unplug"
      let milliseconds = scale(size / 2 % 2_000)
      hasMet = meet("link \(host)", fault, milliseconds, "\(verb) \(host)", "heal \(host)")
    case .clog:
      let slow = "slow \(host) \(10 + size / 16 % 300) \(size / 8_192 % 30)"
      hasMet = meet("pace \(host)", fault, scale(size % 10_000), slow, "quick \(host)")
    case .partition: hasMet = part(fault, lonely: number)
    case .clockStep, .fullDisk, .lostTail, .restore, .clone, .wrongClock:
      skipped["fault \(fault.kind)", default: 0] += 1
      return
    }
    if hasMet {
      counts[fault.kind.rawValue, default: 0] += 1
    } else {
      skipped["fault \(fault.kind) (met nothing)", default: 0] += 1
    }
  }

  /// The pairs of `World.part`: packets of one to the other are lost, as in the simulation.
  private mutating func part(_ fault: Fault, lonely: Int) -> Bool {
    let milliseconds = scale(100 + Int(fault.second / 4) % 12_000)
    func side(_ number: Int) -> UInt32 { fault.first >> UInt32(number % 32) & 1 }
    var hasMet = false
    for from in 0..<hosts {
      for to in 0..<hosts where from != to {
        let isBlocked =
          switch Int(fault.second) % 4 {
          case 0: from == lonely && to == (lonely + 1) % hosts
          case 1: from == lonely || to == lonely
          case 2: side(from) != side(to)
          default: abs(from - to) > 1
          }
        guard isBlocked else { continue }
        let pair = "host\(from + 1) host\(to + 1)"
        let isNew = meet("pair \(pair)", fault, milliseconds, "block \(pair)", "unblock \(pair)")
        hasMet = hasMet || isNew
      }
    }
    return hasMet
  }

  /// Has something happen to what is named, for a while; false when something happens to it already.
  private mutating func meet(
    _ what: String, _ fault: Fault, _ milliseconds: Int, _ begin: String, _ finish: String
  ) -> Bool {
    let start = scale(fault.time)
    guard start < end, busy[what] ?? 0 <= start else { return false }
    let stop = start + max(FaultPlan.shortest, milliseconds)
    busy[what] = stop
    events.append(Event(milliseconds: start, words: begin))
    // What is left at the end is healed with all the rest.
    if stop < end { events.append(Event(milliseconds: stop, words: finish)) }
    return true
  }
}
