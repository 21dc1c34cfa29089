import HyperbasisCore
import HyperbasisSync

/// Drives one engine with one link as a peer does, with a disk that keeps everything.
struct SessionDriver {
  private var engine: Engine
  private var disk: [SpaceID: SpaceDisk] = [:]
  private var blobs: [ContentHash: BlobBody] = [:]
  private var elapsed: UInt64 = 0
  private var written: [SpaceID] = []
  private static let link = LinkID(1)
  /// Frames, and pieces of maps, that are taken at once, as a full socket would.
  private static let most = 64

  init() {
    let local = Hello(device: DeviceID(1), replica: Samples.local, incarnation: 1, name: "local")
    engine = Engine(local: local)
    engine.join(Samples.space, at: now)
    for change in Samples.changes(of: Samples.local) {
      _ = engine.edit(Samples.space, change.operations, at: now)
    }
    engine.open(SessionDriver.link, at: now)
    settle()
  }

  private var now: Now {
    Now(monotonic: 1_000 + elapsed, wall: 1_700_000_000_000 + elapsed)
  }

  mutating func receive(_ bytes: [UInt8]) {
    engine.receive(bytes, on: SessionDriver.link, at: now)
    settle()
  }

  mutating func pass(_ milliseconds: UInt64) {
    elapsed += milliseconds
    engine.tick(at: now)
    settle()
  }

  /// - Throws: unless each space that was written can be loaded as it is.
  mutating func check() throws {
    for space in written {
      guard let room = engine.rooms[space], let disk = disk[space] else { continue }
      let again = try disk.load(space)
      try expect(again.digest == room.state.digest, "what is stored gives the state back")
      try expect(room.state.vector.covers(room.history), "the state covers the history")
    }
    written = []
  }

  private mutating func settle() {
    commit()
    work()
    for _ in 0..<SessionDriver.most {
      guard engine.nextFrame(for: SessionDriver.link, at: now) != nil || read() else { break }
    }
    commit()
  }

  private mutating func commit() {
    if let writes = engine.takeWrites() {
      for write in writes {
        disk[write.space, default: SpaceDisk()].keep(write)
        written.append(write.space)
      }
      engine.committed()
    }
    while engine.nextEvent() != nil {}
  }

  /// Reads history for the link; false when there is nothing to read.
  private mutating func read() -> Bool {
    guard let read = engine.nextHistoryRead(for: SessionDriver.link, at: now) else { return false }
    let changes = (disk[read.space]?.changes ?? [])
      .filter { read.upTo.covers($0.dot) && !read.after.covers($0.dot) }
      .sorted { ($0.dot.replica, $0.dot.sequence) < ($1.dot.replica, $1.dot.sequence) }
    engine.supply(changes, for: read, on: SessionDriver.link)
    return true
  }

  private mutating func work() {
    for _ in 0..<SessionDriver.most {
      guard let task = engine.nextBlobTask() else { return }
      switch task {
      case .inspect(let space, let reference):
        engine.inspected(
          space, reference, manifest: nil, missing: ChunkSet(), hasRoom: true, at: now)
      case .load(let name, let link):
        engine.supply(blobs[name.hash], for: name, on: link, at: now)
      case .check(let blob):
        check(blob)
      }
    }
  }

  /// No hash fits bytes that were made up: those that can be a manifest count as right.
  private mutating func check(_ blob: ReceivedBlob) {
    guard (try? MapManifest(decoding: blob.body.bytes)) != nil || blob.body.codec == 1 else {
      return engine.blobRefused(blob, at: now)
    }
    blobs[blob.name.hash] = blob.body
    engine.blobStored(blob.name.hash, at: now)
  }
}

/// What a store would have of one space.
struct SpaceDisk {
  private(set) var changes: [Change] = []
  private var last: SpaceWrites?
  /// By slot.
  private var anchors: [Int: [Cell]] = [:]

  mutating func keep(_ writes: SpaceWrites) {
    last = writes
    for slot in writes.removed { anchors[slot] = nil }
    for anchor in writes.anchors { anchors[anchor.slot] = anchor.cells }
    changes += writes.changes.map(\.change)
    changes.removeAll { writes.cut.covers($0.dot) }
  }

  func load(_ space: SpaceID) throws -> SpaceState {
    guard let last else { return SpaceState(id: space) }
    let slots = anchors.keys.sorted()
    return try SpaceState(
      id: space, vector: last.vector, cells: last.spaceRecord + slots.flatMap { anchors[$0]! },
      numbers: slots, floor: last.floor)
  }
}
