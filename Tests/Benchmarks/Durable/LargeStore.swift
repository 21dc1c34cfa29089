import Foundation
import HyperbasisCore
import HyperbasisStore
import HyperbasisSync

/// A store with a long past: made once, and opened by every run from then on.
///
/// It is made by an engine and a store, many changes a transaction, and each event is a change of its own.
struct LargeStore {
  static let space = Document.space
  private static let changesPerCommit = 2_000

  let anchors: Int
  let events: Int

  /// With as many anchors as W1 has.
  static let longPast = LargeStore(anchors: 10_000, events: 1_000_000)
  static let large = LargeStore(anchors: 100_000, events: 1_000_000)

  func directory(_ place: Place) -> URL {
    place.kept.appendingPathComponent("\(anchors)-anchors-\(events)-events", isDirectory: true)
  }

  /// Makes it where it is not there.
  func make(_ place: Place) throws {
    let directory = directory(place)
    let files = FileManager.default
    guard !files.fileExists(atPath: directory.path) else { return }
    let part = directory.appendingPathExtension("part")
    try? files.removeItem(at: part)
    try write(to: part, try Trace.records("w1", in: place.traces))
    // A move leaves the files what they are, so the store goes on as itself.
    try files.moveItem(at: part, to: directory)
  }

  private func write(to directory: URL, _ records: [TraceRecord]) throws {
    let store = try Store(directory: directory.path)
    let hello = Hello(device: store.device, replica: store.replica, incarnation: 0, name: "large")
    var engine = Engine(local: hello)
    var time = TraceClock(seed: 1)
    engine.join(LargeStore.space, at: Now(monotonic: 0, wall: time.wall))
    for number in 0..<events {
      time.advance()
      _ = engine.edit(
        LargeStore.space, operations(number, records, at: time.nanoseconds),
        at: Now(monotonic: 0, wall: time.wall, fraction: time.fraction))
      guard (number + 1) % LargeStore.changesPerCommit == 0 || number + 1 == events else {
        continue
      }
      if let writes = engine.takeWrites() { try store.commit(writes) }
      engine.committed()
      while engine.nextEvent() != nil {}
    }
  }

  /// First every anchor is made; then they are moved and rewritten in turn.
  private func operations(
    _ number: Int, _ records: [TraceRecord], at date: Int64
  ) -> [HyperbasisCore.Operation] {
    let record = records[number % records.count]
    let copy = UInt128(number % anchors / records.count)
    let anchor = AnchorID(record.anchor.bits ^ copy)
    guard case .create(let transform, let fields) = record.action else { return [] }
    if number < anchors {
      return [.existence(anchor, Existence(created: date)), .transform(anchor, transform)]
        + fields.map { .metadata(anchor, $0.key, $0.value) }
    }
    let place = (Float(number), Float(0.5), Float(-2))
    let isMove = number / anchors % 2 == 0
    guard isMove, let moved = try? transform.moved(to: place) else {
      return [.metadata(anchor, Key("text"), .string("Edit \(number)"))]
    }
    return [.transform(anchor, moved)]
  }
}
