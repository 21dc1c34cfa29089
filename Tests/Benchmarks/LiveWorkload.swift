import HyperbasisCore
import HyperbasisSync

/// W6: each edit of one peer goes to another at once, through an engine at both ends.
enum LiveWorkload {
  static func run(_ directory: String, _ figures: inout Figures) throws {
    var document = try Document()
    try document.apply(try Trace.records("w1", in: directory))
    let records = try Trace.records("w5", in: directory, most: 10_000)
    let snapshot = document.frames()
    for (prefix, isPaced) in [("", false), ("paced_", true)] {
      // Memory that nobody shares, as the first edit would copy it all.
      let states = try Document.replicas.map { try Document(snapshot: snapshot, replica: $0).state }
      var pair = LivePair(holding: states, isPaced: isPaced)
      try figures.time(prefix + "live_s") { for record in records { try pair.edit(record) } }
      figures.set(prefix + "bytes", pair.bytes)
      figures.set(prefix + "bytes_per_edit", Double(pair.bytes) / Double(records.count))
      figures.set(prefix + "change_bytes", pair.changeBytes)
      figures.set(prefix + "frames", pair.frames)
      for (end, hash) in zip(["first", "second"], pair.hashes) {
        try figures.set(prefix + end + "_hash", hash: hash, expected: StateHashes.w1w5First10000)
      }
    }
  }
}

/// Two engines with a link between them, each with a driver that makes durable at once.
///
/// It does what `PeerLoop.turnEnded` does but for the disk and the sockets.
struct LivePair {
  private var engines: [Engine]
  private var time = TraceClock(seed: 6)
  private let start = ContinuousClock.now
  /// Whether timers see the time of the trace, 60 edits a second, and not that of the loop.
  private let isPaced: Bool

  /// Of all frames both ways since the peers were in sync.
  private(set) var bytes = 0
  /// Of those that carry an edit.
  private(set) var changeBytes = 0
  private(set) var frames = 0

  private static let link = LinkID(1)
  /// The kind of a `change` frame, after four bytes of length; see `Docs/PROTOCOL.md`.
  private static let changeKind: UInt8 = 5

  /// Both hold the same, and each knows that of the other.
  init(holding states: [SpaceState], isPaced: Bool) {
    self.isPaced = isPaced
    engines = zip(Document.replicas, states).enumerated().map { index, end in
      let (replica, state) = end
      let stored = StoredSpace(state: state, history: state.vector, cut: state.vector)
      let hello = Hello(
        device: DeviceID(replica.bits), replica: replica, incarnation: UInt64(index), name: "peer")
      return Engine(local: hello, spaces: [stored])
    }
    // Behind all that the state has.
    for _ in 0...states[0].vector[Document.replicas[0]] { time.advance() }
    let now = now
    for index in engines.indices { engines[index].open(LivePair.link, at: now) }
    exchange(at: now)
    (bytes, changeBytes, frames) = (0, 0, 0)
  }

  /// An edit at the first peer, until both are silent again.
  mutating func edit(_ record: TraceRecord) throws {
    time.advance()
    let now = now
    let operations = record.operations(
      over: engines[0].rooms[present: Document.space].state, at: time.nanoseconds)
    _ = engines[0].edit(Document.space, operations, at: now)
    exchange(at: now)
  }

  /// Of the states at both ends.
  var hashes: [String] {
    engines.map { Document(state: $0.rooms[present: Document.space].state).hash }
  }

  private var now: Now {
    let elapsed = (ContinuousClock.now - start).components
    let milliseconds =
      UInt64(elapsed.seconds) * 1_000 + UInt64(elapsed.attoseconds / 1_000_000_000_000_000)
    return Now(
      monotonic: isPaced ? time.wall : milliseconds, wall: time.wall, fraction: time.fraction)
  }

  /// Turns of the peers, each after a frame of the other, until one has nothing to say.
  private mutating func exchange(at now: Now) {
    var index = 0
    while turn(of: index, at: now) { index = 1 - index }
  }

  /// Returns whether the other peer was sent anything.
  private mutating func turn(of index: Int, at now: Now) -> Bool {
    engines[index].tick(at: now)
    if engines[index].takeWrites() != nil { engines[index].committed() }
    while engines[index].nextEvent() != nil {}
    let before = frames
    while let frame = engines[index].nextFrame(for: LivePair.link, at: now) {
      frames += 1
      bytes += frame.count
      if frame[4] == LivePair.changeKind { changeBytes += frame.count }
      engines[1 - index].receive(frame, on: LivePair.link, at: now)
    }
    return frames > before
  }
}
