import HyperbasisCore
import HyperbasisSync

/// A stranger links up and tells what must not be believed: the state stays as it is, the clock too.
///
/// It speaks with a copy of the engine, so the run takes no notice.
enum StrangerChecker {
  private static let stranger = ReplicaID(0x5742_414e_4745_5200)
  private static let link = LinkID(.max)

  static func fault(of engine: Engine, at now: Now) -> String? {
    for space in engine.rooms.keys where !engine.rooms[present: space].state.hasMembers {
      let own = engine.rooms[present: space].state.vector[engine.local.replica]
      let ahead = now.wall + Limits.clockAheadMilliseconds + 1
      let tales: [(String, Frame, isRefused: Bool)] = [
        ("a change of the future", .change(space, change(stranger, 1, at: ahead)), true),
        ("a batch of the future", batch(space, change(stranger, 1, at: ahead)), true),
        (
          "a change under the own name",
          .change(space, change(engine.local.replica, own + 1, at: now.wall)), true
        ),
        (
          "a change after a gap",
          .change(space, change(stranger, 2, at: now.wall + Limits.clockAheadMilliseconds)), false
        ),
      ]
      for (name, frame, isRefused) in tales {
        if let text = fault(of: engine, hearing: frame, isRefused: isRefused, at: now) {
          return "\(name): \(text)"
        }
      }
    }
    return nil
  }

  private static func fault(
    of engine: Engine, hearing frame: Frame, isRefused: Bool, at now: Now
  ) -> String? {
    var copy = engine
    copy.open(link, at: now)
    let hello = Hello(
      device: DeviceID(1), replica: stranger, incarnation: 1, name: "stranger")
    copy.receive(Frame.hello(hello).encoded(), on: link, at: now)
    copy.receive(frame.encoded(), on: link, at: now)
    if copy.hasEnded(link) != isRefused {
      return isRefused ? "it is not refused" : "the link is ended"
    }
    let beginning = Now(monotonic: now.monotonic, wall: 0)
    if copy.lead(at: beginning) != engine.lead(at: beginning) { return "it moves the clock" }
    if copy.rooms.values.map(\.state.vector) != engine.rooms.values.map(\.state.vector) {
      return "it is taken"
    }
    return nil
  }

  private static func change(
    _ replica: ReplicaID, _ sequence: UInt64, at milliseconds: UInt64
  ) -> Change {
    Change(
      stamp: Stamp(
        timestamp: Timestamp(milliseconds: milliseconds),
        dot: Dot(replica: replica, sequence: sequence)),
      operations: [.name("stranger")])
  }

  private static func batch(_ space: SpaceID, _ change: Change) -> Frame {
    var covers = VersionVector()
    covers[change.dot.replica] = change.dot.sequence
    let cell = Cell(operation: change.operations[0], stamp: change.stamp)
    return .batch(
      Batch(
        space: space, base: VersionVector(), covers: covers, horizon: covers, cells: [cell]))
  }
}
