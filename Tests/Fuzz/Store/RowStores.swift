import CSQLite
import HyperbasisCore
import HyperbasisStore

/// Stores as they come to be by peers, and some that no store writes: their vectors do not fit.
enum RowStores {
  /// Two authors; of the other one the state has more than the history, or the beginning was given up.
  static func all() throws -> [[UInt8]] {
    [try file(isGivenUp: false), try file(isGivenUp: true)]
  }

  /// One for each part of what must hold of vectors, which no other check sees.
  static func misfits() throws -> [[UInt8]] {
    let author = Samples.local
    // The state of an author is claimed up to 2, and has no cell of it any more.
    let one = vector([(author, 2)])
    let both = vector([(author, 2), (Samples.remote, 1)])
    var files = [try ownBehind()]
    // The history has what the state does not claim.
    files.append(try overwritten("vector = \(one), history = \(both)"))
    // All members have what is not here.
    let three = vector([(author, 3)])
    files.append(try overwritten("vector = \(both), history = x'', floor = \(three)"))
    // More was given up than there ever was; the history is none.
    files.append(
      try overwritten(
        "vector = \(both), history = x'00', cut = \(one); DELETE FROM history"))
    return files
  }

  /// A space in which one author's change was written over by another's, with other columns in its row.
  private static func overwritten(_ row: String) throws -> [UInt8] {
    let store = try Store(inMemory: "misfit")
    var state = SpaceState(id: Samples.space)
    let changes: [Change] = [
      change(Samples.remote, 1, at: 1, "Attic"), change(Samples.local, 1, at: 2, "Cellar"),
      change(Samples.local, 2, at: 3, "Kitchen"),
    ]
    try commit(changes, of: &state, to: store)
    try execute("UPDATE spaces SET \(row)", in: store)
    return try bytes(of: store)
  }

  /// The store's own last change is not in the history: the next one would leave a gap.
  private static func ownBehind() throws -> [UInt8] {
    let store = try Store(inMemory: "misfit")
    var state = SpaceState(id: Samples.space)
    let changes: [Change] = [
      change(store.replica, 1, at: 1, "Cellar"), change(store.replica, 2, at: 2, "Kitchen"),
    ]
    try commit(changes, of: &state, to: store)
    try execute(
      """
      UPDATE spaces SET history = \(vector([(store.replica, 1)]));
      DELETE FROM history WHERE sequence = 2
      """, in: store)
    return try bytes(of: store)
  }

  private static func file(isGivenUp: Bool) throws -> [UInt8] {
    let store = try Store(inMemory: "rows")
    var state = SpaceState(id: Samples.space)
    try commit(
      Samples.changes(of: Samples.remote), of: &state, to: store, behind: isGivenUp ? 0 : 2)
    let own: [Change] = [
      change(store.replica, 1, at: 1_700_000_000_100, "Attic"),
      change(store.replica, 2, at: 1_700_000_000_101, "Kitchen"),
    ]
    for change in own {
      let touched = try state.apply(change)!
      var cut = VersionVector()
      if isGivenUp { cut[Samples.remote] = 4 }
      var history = state.vector
      if !isGivenUp { history[Samples.remote] = 4 }
      try store.commit([
        state.writes(touched: touched, history: history, changes: [change], cut: cut)
      ])
    }
    return try bytes(of: store)
  }

  /// Writes a new space with these changes; the last of the first author's are not in the history.
  private static func commit(
    _ changes: [Change], of state: inout SpaceState, to store: Store, behind: UInt64 = 0
  ) throws {
    for change in changes { _ = try state.apply(change) }
    var history = state.vector
    let author = changes[0].dot.replica
    history[author] = history[author] - behind
    let kept = changes.filter { history.covers($0.dot) }
    try store.commit([state.allWrites(history: history, changes: kept)])
  }

  private static func change(
    _ author: ReplicaID, _ sequence: UInt64, at milliseconds: UInt64, _ name: String
  ) -> Change {
    let stamp = Stamp(
      timestamp: Timestamp(milliseconds: milliseconds),
      dot: Dot(replica: author, sequence: sequence))
    return Change(stamp: stamp, operations: [.name(Key(name))])
  }

  /// As SQL has it.
  private static func vector(_ entries: [(ReplicaID, UInt64)]) -> String {
    var vector = VersionVector()
    for (replica, sequence) in entries { vector[replica] = sequence }
    var writer = ByteWriter()
    vector.encode(into: &writer)
    let digits = writer.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "x'\(digits.joined())'"
  }

  private static func execute(_ sql: String, in store: Store) throws {
    let code = sqlite3_exec(store.connection, sql, nil, nil, nil)
    try expect(code == SQLITE_OK, "the tables are those of a store: \(sql)")
  }

  private static func bytes(of store: Store) throws -> [UInt8] {
    var count: Int64 = 0
    guard let bytes = sqlite3_serialize(store.connection, "main", &count, 0) else {
      throw Finding(description: "a store in memory has bytes")
    }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
