import HyperbasisCore
import HyperbasisStore

/// Everything that a store can be asked, whatever is in it.
enum StoreQuestions {
  /// Of spaces, and of the anchors of each.
  private static let most = 2
  private static let newSpace = SpaceID(0x4E45)

  /// Loads all, and reads what else there is.
  ///
  /// - Returns: what was loaded.
  /// - Throws: `Finding` when it does not fit together.
  @discardableResult
  static func ask(_ store: Store) throws -> LoadedSpaces {
    let loaded = store.loadReadable()
    try check(loaded, in: store)
    for space in loaded.spaces { try ask(store, of: space) }
    for damaged in loaded.damaged { _ = (damaged.what, damaged.remains?.digest) }
    for map in (try? store.wholeMaps()) ?? [] { _ = try? store.manifest(map.map.manifest) }
    for setting in Store.Setting.allCases { _ = try? store.setting(setting) }
    _ = (try? store.knownPeers(), try? store.identityChange(), try? store.bytesOfMaps())
    _ = try? store.chunk(ContentHash(high: 3, low: 4))
    _ = (try? store.byteCount(), store.freeBytes())
    try dropMaps(of: store)
    return loaded
  }

  /// - Throws: `Finding` unless the vectors of what was loaded fit together.
  static func check(_ loaded: LoadedSpaces, in store: Store) throws {
    for space in loaded.spaces {
      let vector = space.state.vector
      try expect(vector.covers(space.history), "the state covers the history")
      try expect(vector.covers(space.state.floor), "the state covers what all have")
      try expect(space.history.covers(space.cut), "the history covers what was given up of it")
      try expect(
        space.history[store.replica] == vector[store.replica], "own changes are in the history")
    }
  }

  /// Drops all maps, as far as the store can.
  private static func dropMaps(of store: Store) throws {
    for _ in 0..<256 {
      guard let isAll = try? store.keepOnly(maps: [], chunks: []) else { return }
      if isAll { return }
    }
    throw Finding(description: "the rows of maps come to an end when they are dropped")
  }

  private static func ask(_ store: Store, of space: StoredSpace) throws {
    let id = space.state.id
    _ = try? store.changes(of: id)
    for anchor in space.state.anchors(includingDeleted: true).prefix(most) {
      guard let slot = space.state.slotNumber(of: anchor.id) else { continue }
      _ = try? store.changes(of: id, slot: slot)
    }
    let part = try? store.changes(
      of: id, after: VersionVector(), upTo: space.history, bytes: 512)
    for change in part ?? [] {
      try expect(space.history.covers(change.dot), "what is read was asked for")
    }
  }

  /// Makes one more change in each space that is sound, as the next start of an app does.
  ///
  /// - Returns: what the spaces are then; nil when the commit failed.
  @discardableResult
  static func write(_ loaded: LoadedSpaces, to store: Store) -> [SpaceID: Digest]? {
    var digests: [SpaceID: Digest] = [:]
    var writes: [SpaceWrites] = []
    for space in loaded.spaces.prefix(most) {
      var state = space.state
      let dot = Dot(replica: store.replica, sequence: state.vector[store.replica] + 1)
      guard dot.sequence <= UInt64(Limits.sequence), state.vector == space.history else {
        continue
      }
      let change = Change(
        stamp: Stamp(timestamp: state.lastTimestamp, dot: dot),
        operations: [.name("written"), .metadata(Samples.anchor, "written", .bool(true))])
      guard let touched = try? state.apply(change) else { continue }
      digests[state.id] = state.digest
      writes.append(
        state.writes(
          touched: touched, history: state.vector, changes: [change], cut: space.cut))
    }
    var new = SpaceState(id: newSpace)
    let stamp = Stamp(
      timestamp: .zero, dot: Dot(replica: store.replica, sequence: 1))
    let change = Change(stamp: stamp, operations: [.name("new")])
    if !loaded.holds(newSpace), let touched = try? new.apply(change) {
      digests[newSpace] = new.digest
      writes.append(new.writes(touched: touched, history: new.vector, changes: [change]))
    }
    guard (try? store.commit(writes)) != nil else { return nil }
    return digests
  }

  /// - Throws: `Finding` unless what was written is loaded, and a commit that fails leaves all as it was.
  static func writeAndLoad(_ loaded: LoadedSpaces, to store: Store) throws {
    let digests = write(loaded, to: store)
    let after = store.loadReadable()
    guard let digests else {
      try expect(
        after.spaces.map(\.state.digest) == loaded.spaces.map(\.state.digest)
          && after.damaged.map(\.what) == loaded.damaged.map(\.what),
        "a commit that fails leaves all as it was")
      return
    }
    for (space, digest) in digests {
      let found = after.spaces.first { $0.state.id == space }
      let why = after.damaged.map(\.what).joined(separator: "; ")
      try expect(found?.state.digest == digest, "what was committed is loaded: \(why)")
    }
  }
}

extension LoadedSpaces {
  /// Whether a space is here, sound or not.
  fileprivate func holds(_ space: SpaceID) -> Bool {
    spaces.contains { $0.state.id == space } || damaged.contains { $0.id == space || $0.id == nil }
  }
}
