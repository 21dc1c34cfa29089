import HyperbasisCore
import HyperbasisSync

/// What can happen at one peer of a small world.
enum SmallInput: Hashable {
  case edit(Int)
  case open(link: Int)
  /// The number of the frame in `PeerTable`.
  case frame(link: Int, frame: Int)
  case close(link: Int)
  /// The turn's writes become durable.
  case store
  /// The engine hears that they are.
  case acknowledge
  /// The disk refuses the turn's writes.
  case refuse
  /// All that is not durable is lost; the peer starts again.
  case crash
  /// The time passes after which news are told.
  case wait
}

/// One peer of a small world: the real engine, a virtual disk, and where the turn stands.
struct SmallPeer {
  enum Phase: Equatable {
    case idle
    /// Received or edited, and not stored.
    case dirty
    /// Stored, and not acknowledged.
    case stored
  }

  /// What came out of one input.
  struct Output {
    var frames: [(link: Int, bytes: [UInt8])] = []
    var closed: [Int] = []
    var fault: String?
  }

  static let space = SpaceID(0x5)
  static let anchor = AnchorID(0xA)
  static let registers: [Register] = [.existence(anchor), .metadata(anchor, "k")]
  /// The time never passes but for the one delay of an input.
  private static let now = Now(monotonic: 1_000, wall: 1_000_000)
  private static let later = Now(
    monotonic: 1_000 + Limits.haveDelayMilliseconds, wall: 1_000_000)

  let replica: ReplicaID
  let name: String
  private(set) var engine: Engine
  private(set) var disk = Disk()
  private(set) var phase = Phase.idle
  private let tuning: Tuning
  private let diskForgets: Bool
  private var boot = 1
  /// How many edits were tried: each writes another value, so that a number given twice shows.
  private var edits = 0
  /// The turn's own changes, until they are durable.
  private(set) var made: [Change] = []

  init(replica: ReplicaID, name: String, tuning: Tuning, diskForgets: Bool) {
    self.diskForgets = diskForgets
    self.replica = replica
    self.name = name
    self.tuning = tuning
    engine = SmallPeer.engine(replica, name, boot: 1, disk: disk, tuning)!
    engine.join(SmallPeer.space, at: SmallPeer.now)
    disk.commit(engine.takeWrites()!)
    engine.committed()
  }

  private static func engine(
    _ replica: ReplicaID, _ name: String, boot: Int, disk: Disk, _ tuning: Tuning
  ) -> Engine? {
    let local = Hello(
      device: DeviceID(replica.bits), replica: replica, incarnation: UInt64(boot), name: name)
    guard let spaces = try? disk.load() else { return nil }
    return Engine(local: local, spaces: spaces, tuning: tuning)
  }

  var state: SpaceState { engine.rooms[SmallPeer.space]!.state }
  var history: VersionVector { engine.rooms[SmallPeer.space]!.history }

  // MARK: Inputs

  /// Precondition: the input is possible in this phase.
  mutating func take(_ input: SmallInput, frame: [UInt8]?) -> Output {
    var output = Output()
    switch input {
    case .edit(let register): edit(register)
    case .open(let link): engine.open(LinkID(UInt64(link)), at: SmallPeer.now)
    case .frame(let link, _):
      engine.receive(frame!, on: LinkID(UInt64(link)), at: SmallPeer.now)
    case .close(let link):
      engine.close(LinkID(UInt64(link)), reason: "the link broke", at: SmallPeer.now)
    case .store: store()
    case .acknowledge:
      engine.committed()
      phase = .idle
    case .refuse: output.fault = refuse()
    case .crash: output.fault = crash()
    case .wait: pullFrames(at: SmallPeer.later, &output)
    }
    if phase != .stored { settle(&output) }
    return output
  }

  private mutating func edit(_ register: Int) {
    edits += 1
    let number = Int64(edits * 10 + SmallNames.number(of: replica))
    let operation: Operation =
      switch SmallPeer.registers[register] {
      case .existence(let anchor): .existence(anchor, Existence(created: number))
      default: .metadata(SmallPeer.anchor, "k", .int(number))
      }
    made.append(engine.edit(SmallPeer.space, [operation], at: SmallPeer.now)!)
  }

  private mutating func store() {
    let writes = engine.takeWrites()!
    if !diskForgets { disk.commit(writes) }
    made = []
    phase = .stored
  }

  private mutating func refuse() -> String? {
    _ = engine.takeWrites()
    made = []
    guard let spaces = try? disk.load() else { return "what was stored cannot be loaded" }
    engine.rollBack(to: spaces, reason: "no space", at: SmallPeer.now)
    return nil
  }

  private mutating func crash() -> String? {
    boot += 1
    made = []
    phase = .idle
    guard let new = SmallPeer.engine(replica, name, boot: boot, disk: disk, tuning) else {
      return "what was stored cannot be loaded"
    }
    engine = new
    return nil
  }

  // MARK: The end of a turn

  /// Nothing may come out while writes wait; otherwise all that is to be told comes out.
  private mutating func settle(_ output: inout Output) {
    var trial = engine
    let hasWrites = trial.takeWrites() != nil
    phase = hasWrites ? .dirty : .idle
    pullFrames(at: SmallPeer.now, &output)
    while let event = engine.nextEvent() { observe(event, &output) }
    if hasWrites, !output.frames.isEmpty { output.fault = "\(name) tells what is not durable" }
    guard !hasWrites else { return }
    for link in engine.linkIDs where engine.isFinished(link) {
      engine.close(link, reason: "closed", at: SmallPeer.now)
      output.closed.append(Int(link.raw))
      // What was asked of this link is asked of others.
      pullFrames(at: SmallPeer.now, &output)
      while let event = engine.nextEvent() { observe(event, &output) }
    }
  }

  private mutating func pullFrames(at now: Now, _ output: inout Output) {
    for link in engine.linkIDs {
      while true {
        while let bytes = engine.nextFrame(for: link, at: now) {
          output.frames.append((Int(link.raw), bytes))
        }
        guard let read = engine.nextHistoryRead(for: link, at: now) else { break }
        engine.supply(disk.read(read), for: read, on: link)
      }
    }
  }

  private func observe(_ event: Event, _ output: inout Output) {
    switch event {
    case .diverged: output.fault = "\(name) finds another digest under an equal vector"
    case .linkEnded(_, _, let farewell):
      switch farewell.reason {
      case .leaving, .duplicate, .silent, .storage: break
      case .ownself, .version, .malformed, .clock, .busy, .identity:
        output.fault = "\(name) ends an honest link: \(farewell)"
      }
    case .changed, .became, .told, .connected, .gone, .offered, .mapProgress: break
    }
  }
}
