import Foundation
import HyperbasisCore
import HyperbasisStore

/// A store with two spaces, its files, and what it held: what is then done to the files is damage.
struct DamagedFiles {
  static let kitchen = SpaceID(7)
  static let attic = SpaceID(9)

  let directory = TemporaryDirectory()
  let states: [SpaceID: SpaceState]
  let changes: [SpaceID: [Change]]
  let device: DeviceID
  let replica: ReplicaID

  /// What was made once, and is copied for each test.
  private struct Sample: Sendable {
    let states: [SpaceID: SpaceState]
    let changes: [SpaceID: [Change]]
    let device: DeviceID
    let replica: ReplicaID
    let files: [String: Data]
  }

  private static let samples = Samples()

  /// A lock that the thread sanitizer knows.
  ///
  /// Safe because: the samples are touched within it only.
  private final class Samples: @unchecked Sendable {
    private let lock = NSLock()
    private var byName: [String: Sample] = [:]

    func sample(_ name: String, _ make: () throws -> Sample) throws -> Sample {
      try lock.withLock {
        let sample = try byName[name] ?? make()
        byName[name] = sample
        return sample
      }
    }
  }

  /// - Parameter leavesLog: whether the files are those of a process that was killed.
  init(anchors: Int = 30, leavesLog: Bool = false) throws {
    let sample = try DamagedFiles.samples.sample("\(anchors) \(leavesLog)") {
      try DamagedFiles.make(anchors, leavesLog: leavesLog)
    }
    (states, changes) = (sample.states, sample.changes)
    (device, replica) = (sample.device, sample.replica)
    try FileManager.default.createDirectory(
      atPath: directory.store, withIntermediateDirectories: true)
    for (name, bytes) in sample.files {
      try bytes.write(to: URL(fileURLWithPath: directory.store + "/" + name))
    }
  }

  private static func make(_ anchors: Int, leavesLog: Bool) throws -> Sample {
    let directory = TemporaryDirectory()
    var store: Store? = try Store(directory: directory.store)
    let (device, replica) = (store!.device, store!.replica)
    let (states, changes) = try DamagedFiles.fill(store!, anchors: anchors)
    // While it is open the log is there.
    if !leavesLog { store = nil }
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.store) {
      files[name] = try Data(contentsOf: URL(fileURLWithPath: directory.store + "/" + name))
    }
    withExtendedLifetime(store) {}
    return Sample(
      states: states, changes: changes, device: device, replica: replica, files: files)
  }

  private static func fill(
    _ store: Store, anchors: Int
  ) throws -> ([SpaceID: SpaceState], [SpaceID: [Change]]) {
    var states: [SpaceID: SpaceState] = [:]
    var changes: [SpaceID: [Change]] = [:]
    for (space, other) in [(Self.kitchen, ReplicaID(5)), (Self.attic, ReplicaID(6))] {
      var author = Author(space: space, replica: store.replica)
      try store.commit([author.change([.name(Key("space \(space)"))])])
      for number in 1...anchors {
        let id = AnchorID(UInt128(number))
        let text = Value.string("text \(number) " + String(repeating: "x", count: 60))
        try store.commit([
          author.change([
            .existence(id, Existence(created: Int64(number))), .metadata(id, Key("n"), text),
          ])
        ])
      }
      // Another replica's, which edits what is there.
      for number in 1...10 {
        let write = author.state.foreign(
          [.metadata(AnchorID(UInt128(number)), Key("by"), .int(Int64(number)))], by: other)
        _ = try author.state.apply(write)
        let touched = [AnchorID(UInt128(number))]
        var writes = author.state.allWrites(history: author.state.vector, changes: [write])
        writes.anchors = writes.anchors.filter { anchor in
          touched.contains(anchor.cells[0].operation.anchor!)
        }
        try store.commit([writes])
      }
      states[space] = author.state
      changes[space] = try store.changes(of: space)
    }
    try store.putManifest(ContentHash(high: 1, low: 2), [1, 2, 3])
    try store.putChunk(ContentHash(high: 3, low: 4), StoredChunk(codec: 0, bytes: [9, 9, 9]))
    return (states, changes)
  }

  var database: URL { URL(fileURLWithPath: directory.database) }
  var log: URL { URL(fileURLWithPath: directory.database + "-wal") }

  func execute(_ sql: String) {
    RawDatabase(directory.database).execute(sql)
  }

  /// A copy with other bytes in one file.
  func damaged(_ file: URL, _ change: (inout Data) -> Void) throws {
    var bytes = try Data(contentsOf: file)
    change(&bytes)
    try bytes.write(to: file)
  }

  /// Whether each change that a state covers is in it.
  func isHonest(_ stored: StoredSpace) -> Bool {
    let all = changes[stored.state.id] ?? []
    return all.allSatisfy { !stored.state.vector.covers($0.dot) || stored.state.holds($0) }
  }

  /// Whether every anchor is there as it was.
  func showsAll(_ stored: StoredSpace) -> Bool {
    stored.state.anchors(includingDeleted: true)
      == states[stored.state.id]?.anchors(includingDeleted: true)
      && stored.state.name == states[stored.state.id]?.name
  }
}

extension SpaceState {
  /// A change of another replica.
  func foreign(_ operations: [Operation], by replica: ReplicaID) -> Change {
    let dot = Dot(replica: replica, sequence: vector[replica] + 1)
    let milliseconds = lastTimestamp.bits >> 16 + 1
    return Change(
      stamp: Stamp(timestamp: Timestamp(milliseconds: milliseconds), dot: dot),
      operations: operations)
  }
}
