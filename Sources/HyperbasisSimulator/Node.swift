import HyperbasisCore
import HyperbasisSync

/// What a peer's driver gives to its engine, one at a time or several in one turn.
enum Input {
  case opened(wire: Int)
  case bytes(wire: Int, [UInt8])
  case lost(wire: Int)
  case operation(Step)
  case join(SpaceID)
  /// What a disk read for a link; nothing when it failed.
  case read(wire: Int, HistoryRead, [Change])
  case tick
  /// There is room for frames on a link again.
  case writable
}

/// One simulated peer: its engine while it runs, its disk, its clock and its driver's queue.
struct Node {
  let number: Int
  let device: DeviceID
  let replica: ReplicaID
  var engine: Engine?
  var disk = Disk()
  var maps = MapDisk()
  /// How often it was started.
  var boot = 0
  /// Milliseconds that the wall clock is off.
  var skew = 0

  /// Waits while a commit is under way.
  var inbox: [Input] = []
  /// The writes of the commit that is under way.
  var writes: [SpaceWrites]?
  /// Edits of the turn, in order; they count as made once they are durable.
  var edits: [(space: SpaceID, change: Change)] = []
  /// The earliest tick in the event queue.
  var tickAt: UInt64?
  /// How many changes of each space's history were compared with the model.
  var checkedChanges = SortedMap<SpaceID, Int>()
  /// What its observers know of its spaces.
  var screen = Screen()
  /// The greatest millisecond of a stamp that was part of its state since it started.
  var heard: UInt64 = 0
  /// Whether it was sent a damaged blob: it asks that peer no more for it until it starts anew.
  var hasRefused = false
  /// Numbers of the wires with an end here that is not closed.
  var wires: [Int] = []

  init(number: Int, ids: inout RandomSource) {
    self.number = number
    device = DeviceID(UInt128(ids.next()) << 64 | UInt128(ids.next()))
    replica = ReplicaID(UInt128(ids.next()) << 64 | UInt128(ids.next()))
  }

  var states: [SpaceState] {
    guard let engine else { return [] }
    return engine.rooms.values.map(\.state)
  }

  /// Loads what is durable and starts.
  mutating func start(tuning: Tuning, incarnation: UInt64) throws(ApplyError) {
    boot += 1
    let local = Hello(
      device: device, replica: replica, incarnation: incarnation, name: "peer \(number)")
    engine = Engine(local: local, spaces: try disk.load(), tuning: tuning)
  }

  /// Loses all that is not durable.
  mutating func stop() {
    engine = nil
    disk.crash()
    inbox = []
    hasRefused = false
    writes = nil
    edits = []
    tickAt = nil
    wires = []
  }
}
