import HyperbasisCore
import HyperbasisSync

/// What a peer's driver gives to its engine, one at a time or several in one turn.
enum Input {
  case opened(Wire)
  case bytes(Wire, [UInt8])
  case lost(Wire)
  case operation(Step)
  /// The last edit of a world, of no workload.
  case rename(SpaceID, Key)
  case join(SpaceID)
  /// What a disk read for a link; nothing when it failed.
  case read(Wire, HistoryRead, [Change]?)
  case tick
  /// There is room for frames on a link again.
  case writable
}

/// One simulated peer: its engine while it runs, its disk, its clock and its driver's queue.
final class Node {
  let number: Int
  let device: DeviceID
  /// Another one after the disk was replaced by a copy: no number ever stands for two changes.
  private(set) var replica: ReplicaID
  /// As it was started last; not to be used while the peer is down.
  var engine: Engine
  private(set) var isUp = false
  var disk = Disk()
  var maps = MapDisk()
  var clock = WallClock()
  /// Whether it is to go on as another replica once it is between two turns.
  var renewalIsDue = false
  /// How often it was started.
  private(set) var boot = 0
  /// Virtual times until which the disk is slow, or takes nothing.
  var slowUntil: UInt64 = 0
  var fullUntil: UInt64 = 0

  /// Waits while a commit is under way.
  var inbox: [Input] = []
  /// The writes of the commit that is under way.
  var writes: [SpaceWrites]?
  /// Edits of the turn, in order; they count as made once they are durable.
  var edits: [(space: SpaceID, change: Change)] = []
  /// What the peer had of spaces that it joined in the turn, right before.
  var joined: [(before: SpaceState, reached: VersionVector)] = []
  /// The earliest tick in the event queue.
  var tickAt: UInt64?
  /// How many changes of each space's history were compared with the model.
  var checkedChanges = SortedMap<SpaceID, Int>()
  /// The greatest millisecond of a stamp that was part of its state since it started.
  var heard: UInt64 = 0
  /// The wires with an end here that is not closed.
  var wires: [Wire] = []
  /// What an observer of it was told.
  var observer = Observer()
  /// Copies of what the disk held after earlier commits, the oldest first; none where no fault needs
  /// them.
  private var backups: [Backup] = []

  struct Backup {
    let disk: Disk
    let maps: MapDisk
  }

  init(number: Int, ids: inout RandomSource) {
    self.number = number
    device = DeviceID(UInt128(ids.next()) << 64 | UInt128(ids.next()))
    replica = ReplicaID(UInt128(ids.next()) << 64 | UInt128(ids.next()))
    engine = Engine(local: Hello(device: device, replica: replica, incarnation: 0, name: ""))
  }

  var states: [SpaceState] {
    guard isUp else { return [] }
    return ask { engine in
      var states: [SpaceState] = []
      for index in engine.rooms.indices { states.append(engine.rooms[at: index].state) }
      return states
    }
  }

  /// Asks the engine where it lies: for a call that does not change it, all of a class's property is
  /// copied, and the engine is some forty references. That was a fiftieth of a run's time.
  func ask<Answer>(_ question: (inout Engine) -> Answer) -> Answer {
    question(&engine)
  }

  /// Loads what is durable and starts.
  func start(tuning: Tuning, incarnation: UInt64) throws(ApplyError) {
    boot += 1
    let local = Hello(
      device: device, replica: replica, incarnation: incarnation, name: "peer \(number)")
    engine = Engine(local: local, spaces: try disk.load(), tuning: tuning)
    isUp = true
    observer = Observer(states)
    heard = 0
  }

  /// Loses all that is not durable.
  func stop() {
    isUp = false
    inbox = []
    renewalIsDue = false
    writes = nil
    edits = []
    joined = []
    tickAt = nil
    wires = []
  }

  // MARK: Copies

  private static let backupLimit = 64

  func backUp() {
    backups.append(Backup(disk: disk, maps: maps))
    if backups.count > Node.backupLimit { backups.removeFirst(Node.backupLimit / 2) }
  }

  /// How many earlier commits can be returned to.
  var backupCount: Int { backups.count }

  /// Puts an older copy of itself in place, as it was some commits ago.
  func restore(commitsAgo: Int, as replica: ReplicaID) {
    let index = max(0, backups.count - 1 - commitsAgo)
    guard index < backups.count else { return }
    let backup = backups[index]
    backups.removeSubrange((index + 1)...)
    replace(by: backup, as: replica)
  }

  /// Puts a copy of another peer in place.
  func become(_ other: Node, as replica: ReplicaID) {
    backups = []
    replace(by: Backup(disk: other.disk, maps: other.maps), as: replica)
  }

  /// Goes on as another replica, which writes anew what no peer takes.
  func renew(
    as replica: ReplicaID, beyond bound: Timestamp, at now: Timestamp
  ) throws(ApplyError) -> [(space: SpaceID, renewal: Renewal)] {
    precondition(!isUp, "it does not run")
    checkedChanges = SortedMap()
    self.replica = replica
    return try disk.renew(as: replica, beyond: bound, at: now)
  }

  /// A store that cannot prove to be the sole continuation of its log goes on as another replica.
  private func replace(by backup: Backup, as replica: ReplicaID) {
    precondition(!isUp, "it does not run")
    disk = backup.disk
    maps = backup.maps
    checkedChanges = SortedMap()
    self.replica = replica
  }
}

/// A wall clock that is off, runs at another pace, stands still and is quite wrong now and then.
struct WallClock {
  /// In milliseconds.
  private static let hour = 3_600_000

  /// By how many milliseconds a clock is quite wrong: a day, a year or thirty, ahead or behind.
  static func error(_ size: Int) -> Int {
    [24, 9_000, 260_000, -24, -9_000, -260_000][size % 6] * hour
  }

  /// The same for readers.
  static func picture(_ size: Int) -> String {
    let hours = error(size) / hour
    return "\(abs(hours)) hours \(hours < 0 ? "behind" : "ahead")"
  }

  /// Milliseconds that it is off.
  var skew = 0
  /// Parts in a million that it gains.
  var drift = 0
  /// The virtual time at which it stands still, until another.
  var frozen: (at: UInt64, until: UInt64)?
  /// By how many milliseconds it is quite wrong, until when.
  var wrong: (by: Int, until: UInt64)?

  /// What it shows at a virtual time; milliseconds since 1970.
  func time(at now: UInt64) -> UInt64 {
    let seen = frozen.map { now < $0.until ? $0.at : now } ?? now
    let error = wrong.map { now < $0.until ? $0.by : 0 } ?? 0
    return UInt64(Int(World.epoch + seen) + skew + Int(seen) * drift / 1_000_000 + error)
  }
}
