import HyperbasisCore
import HyperbasisSync

let space = SpaceID(0x5ACE)

func anchor(_ number: Int) -> AnchorID { AnchorID(UInt128(number)) }
func replica(_ number: Int) -> ReplicaID { ReplicaID(UInt128(number) + 1) }

func hello(
  _ number: Int, versions: ClosedRange<UInt16> = Hello.versions, incarnation: UInt64 = 1,
  name: String? = nil
) -> Hello {
  Hello(
    versions: versions, device: DeviceID(UInt128(number)), replica: replica(number),
    incarnation: incarnation, name: name ?? "peer \(number)")
}

/// Engines in one process whose frames are moved by hand, with disks that keep what was committed.
final class Lab {
  struct Pipe {
    let ends: [Int]
    let link: LinkID
    /// By sending end: nothing is pulled for it.
    var isFrozen = [false, false]
    /// By sending end: the frames that were sent.
    var sent: [[Frame]] = [[], []]
  }

  var engines: [Engine] = []
  /// By peer: what is durable.
  var disks: [[SpaceState]]
  var failsCommits: Set<Int> = []
  /// By peer: the world maps that are durable.
  var mapDisks: [MapDisk]
  var events: [[Event]]
  var pipes: [Pipe] = []
  var now: Now { Now(monotonic: 1_000 + elapsed, wall: 1_700_000_000_000 + elapsed) }
  var elapsed: UInt64 = 0
  /// By peer: milliseconds that its clock is ahead.
  var ahead: [UInt64]

  init(_ count: Int, joined: Bool = true, tuning: Tuning = Tuning()) {
    disks = Array(repeating: [], count: count)
    events = Array(repeating: [], count: count)
    mapDisks = Array(repeating: MapDisk(), count: count)
    ahead = Array(repeating: 0, count: count)
    for number in 0..<count {
      engines.append(Engine(local: hello(number), tuning: tuning))
      if joined { engines[number].join(space, at: now) }
      settle(number)
    }
  }

  func time(_ number: Int) -> Now {
    Now(monotonic: now.monotonic, wall: now.wall + ahead[number])
  }

  @discardableResult
  func connect(_ first: Int, _ second: Int) -> Int {
    let link = LinkID(UInt64(pipes.count))
    pipes.append(Pipe(ends: [first, second], link: link))
    for number in [first, second] { engines[number].open(link, at: time(number)) }
    return pipes.count - 1
  }

  func cut(_ pipe: Int) {
    for number in pipes[pipe].ends {
      engines[number].close(pipes[pipe].link, reason: "cut", at: time(number))
      settle(number)
    }
  }

  @discardableResult
  func edit(_ number: Int, _ operations: [Operation]) -> Change? {
    defer { settle(number) }
    return engines[number].edit(space, operations, at: time(number))
  }

  /// Sets a key of an anchor to a number.
  func set(_ number: Int, _ key: Key, _ value: Int, anchor id: Int = 1) {
    edit(number, [.metadata(anchor(id), key, .int(Int64(value)))])
  }

  func create(_ number: Int, anchors: ClosedRange<Int>) {
    for id in anchors {
      edit(
        number, [.existence(anchor(id), Existence(created: 1)), .transform(anchor(id), .identity)])
    }
  }

  /// Commits, or rolls back, and takes the events out.
  func settle(_ number: Int) {
    if let writes = engines[number].takeWrites() {
      if failsCommits.contains(number) {
        engines[number].rollBack(to: disks[number], reason: "disk full", at: time(number))
      } else {
        _ = writes
        engines[number].committed()
        disks[number] = engines[number].rooms.values.map(\.state)
      }
    }
    while let event = engines[number].nextEvent() { events[number].append(event) }
    work(number)
  }

  func receive(_ frames: [Frame], _ pipe: Int, at number: Int) {
    let bytes = frames.flatMap { $0.encoded() }
    engines[number].receive(bytes, on: pipes[pipe].link, at: time(number))
    settle(number)
  }

  /// Moves at most `most` frames in one direction; returns how many.
  @discardableResult
  func move(_ pipe: Int, from side: Int, most: Int = .max) -> Int {
    let (from, to) = (pipes[pipe].ends[side], pipes[pipe].ends[1 - side])
    var count = 0
    work(from)
    while count < most, !pipes[pipe].isFrozen[side],
      let bytes = engines[from].nextFrame(for: pipes[pipe].link, at: time(from))
    {
      pipes[pipe].sent[side].append(try! Frame(payload: Array(bytes.dropFirst(4))))
      engines[to].receive(bytes, on: pipes[pipe].link, at: time(to))
      settle(to)
      work(from)
      count += 1
    }
    return count
  }

  /// Moves all frames until none is left, and closes the links that have ended.
  func pump() {
    var rounds = 0
    while pipes.indices.map({ move($0, from: 0) + move($0, from: 1) }).reduce(0, +) > 0 {
      rounds += 1
      precondition(rounds < 10_000, "traffic does not cease")
    }
    for pipe in pipes.indices {
      let link = pipes[pipe].link
      for number in pipes[pipe].ends
      where engines[number].linkIDs.contains(link) && engines[number].isFinished(link) {
        cut(pipe)
        break
      }
    }
  }

  /// Lets time pass in steps, with ticks and frames.
  func pass(_ milliseconds: UInt64, step: UInt64 = 50) {
    let end = elapsed + milliseconds
    while elapsed < end {
      elapsed = min(end, elapsed + step)
      for number in engines.indices {
        engines[number].tick(at: time(number))
        settle(number)
      }
      pump()
    }
  }

  func state(_ number: Int) -> SpaceState { engines[number].rooms[space]!.state }

  /// One line per peer: key values of anchor 1 and the vector, as `A:3 B:1`.
  var picture: [String] {
    engines.indices.map { number in
      state(number).vector.entries
        .map { "\(Character(UnicodeScalar(64 + UInt8($0.replica.bits)))):\($0.sequence)" }
        .joined(separator: " ")
    }
  }

  var isConverged: Bool {
    engines.indices.allSatisfy {
      state($0).digest == state(0).digest && state($0).anchors() == state(0).anchors()
    }
  }

  /// The farewells with which links of a peer ended.
  func farewells(_ number: Int) -> [Farewell] {
    events[number].compactMap {
      if case .linkEnded(_, _, let farewell) = $0 { farewell } else { nil }
    }
  }

  func count(_ pipe: Int, from side: Int, _ isKind: (Frame) -> Bool) -> Int {
    pipes[pipe].sent[side].filter(isKind).count
  }
}

func isBatch(_ frame: Frame) -> Bool { if case .batch = frame { true } else { false } }
func isChange(_ frame: Frame) -> Bool { if case .change = frame { true } else { false } }
