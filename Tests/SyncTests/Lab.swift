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
    /// By sending end: what reads them.
    var decoders = [FrameDecoder(limit: Limits.frameBytes), FrameDecoder(limit: Limits.frameBytes)]
  }

  var engines: [Engine] = []
  /// By peer: what is durable.
  var disks: [[StoredSpace]]
  /// By peer: the whole changes of ``space`` that are durable, in the order in which they became so.
  var logs: [[Change]]
  /// By peer: the same of other spaces than ``space``.
  var otherLogs: [[SpaceID: [Change]]]
  /// Peers that cannot read their histories.
  var failsReads: Set<Int> = []
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
    logs = Array(repeating: [], count: count)
    otherLogs = Array(repeating: [:], count: count)
    events = Array(repeating: [], count: count)
    mapDisks = Array(repeating: MapDisk(), count: count)
    ahead = Array(repeating: 0, count: count)
    for number in 0..<count {
      engines.append(Engine(local: hello(number), tuning: tuning))
      if joined { engines[number].join(space, at: now) }
      settle(number)
    }
  }

  /// One more peer, with nothing.
  func add(joined: Bool) {
    let number = engines.count
    disks.append([])
    logs.append([])
    otherLogs.append([:])
    events.append([])
    mapDisks.append(MapDisk())
    ahead.append(0)
    engines.append(Engine(local: hello(number)))
    if joined { engines[number].join(space, at: now) }
    settle(number)
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

  /// Records what happened so many milliseconds ago.
  @discardableResult
  func record(_ number: Int, _ operations: [Operation], ago: UInt64) -> Change? {
    defer { settle(number) }
    let time = time(number)
    return engines[number].record(
      space, operations, timestamp: Timestamp(milliseconds: time.wall - ago), at: time)
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
        for write in writes {
          if write.space == space {
            log(write, at: number)
          } else {
            otherLogs[number][write.space, default: []] += write.changes.map(\.change)
          }
        }
        engines[number].committed()
        let marks = Dictionary(
          uniqueKeysWithValues: disks[number].map { ($0.state.id, $0.marks) }
        )
        .merging(writes.compactMap { write in write.marks.map { (write.space, $0) } }) { $1 }
        disks[number] = engines[number].rooms.values.map {
          StoredSpace(
            state: $0.state, history: $0.history, cut: $0.members.cut,
            marks: marks[$0.state.id] ?? [])
        }
      }
    }
    while let event = engines[number].nextEvent() { events[number].append(event) }
    work(number)
  }

  /// Keeps changes as a store would: each continues those of its replica, up to the vector.
  private func log(_ writes: SpaceWrites, at number: Int) {
    var reached = disks[number].first { $0.state.id == space }?.history ?? VersionVector()
    for change in writes.changes.map(\.change) {
      let isNext = reached.extend(by: change.dot)
      precondition(isNext, "the history has no gap and no change twice")
      logs[number].append(change)
    }
    reached.merge(writes.cut)
    logs[number].removeAll { writes.cut.covers($0.dot) }
    precondition(reached == writes.history, "the vector says what is kept")
  }

  /// Reads for a link as a store would; false when there is nothing to read.
  private func read(_ number: Int, for link: LinkID) -> Bool {
    guard let read = engines[number].nextHistoryRead(for: link, at: time(number)) else {
      return false
    }
    guard !failsReads.contains(number) else {
      engines[number].postpone(read, on: link, at: time(number))
      return false
    }
    let changes = (read.space == space ? logs[number] : otherLogs[number][read.space] ?? [])
      .filter { read.upTo.covers($0.dot) && !read.after.covers($0.dot) }
      .sorted { ($0.dot.replica, $0.dot.sequence) < ($1.dot.replica, $1.dot.sequence) }
    var bytes = 0
    let part = changes.prefix { change in
      defer { bytes += change.encodedLength }
      return bytes < read.bytes
    }
    engines[number].supply(Array(part), for: read, on: link)
    return true
  }

  /// The next frame of a peer, read from its history where nothing else is to be sent.
  func nextFrame(_ number: Int, on link: LinkID) -> [UInt8]? {
    if let bytes = engines[number].nextFrame(for: link, at: time(number)) { return bytes }
    guard read(number, for: link) else { return nil }
    return engines[number].nextFrame(for: link, at: time(number))
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
      let bytes = nextFrame(from, on: pipes[pipe].link)
    {
      pipes[pipe].decoders[side].append(bytes)
      pipes[pipe].sent[side].append(try! pipes[pipe].decoders[side].next()!)
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

  /// Whether every peer has the same whole changes, all that its state covers.
  var hasWholeHistories: Bool {
    func sorted(_ number: Int) -> [Change] { logs[number].sorted { $0.stamp < $1.stamp } }
    return engines.indices.allSatisfy {
      history($0) == state($0).vector && sorted($0) == sorted(0)
    }
  }

  func history(_ number: Int) -> VersionVector { engines[number].rooms[space]!.history }

  func logs(_ number: Int) -> [Change] { logs[number] }

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

func have(
  _ space: SpaceID, _ vector: VersionVector, digest: UInt128 = 0, history: VersionVector? = nil
) -> Frame {
  .have(space, vector, Digest(bits: digest), history: history ?? vector)
}

func isHistory(_ frame: Frame) -> Bool { if case .history = frame { true } else { false } }
func isHistoryRequest(_ frame: Frame) -> Bool {
  if case .wantHistory = frame { true } else { false }
}
func isBatch(_ frame: Frame) -> Bool { if case .batch = frame { true } else { false } }
func isChange(_ frame: Frame) -> Bool { if case .change = frame { true } else { false } }
