import HyperbasisCore
import HyperbasisStore

/// A damaged store in memory, of which a repair makes a new one in memory.
///
/// The lowest bit of the first byte says how it is damaged: by rows, as ``StoreRow`` takes them, or by bytes over
/// the pages of a file, which the rest of the byte chooses, as ``FilePatch`` takes them.
enum RepairTarget: FuzzTarget {
  static let name = "database-repair"

  static func seeds() throws -> [[UInt8]] {
    var seeds: [[UInt8]] = []
    for store in try SmallStores.all() + RowStores.all() {
      let rows = try StoreTables.input(store)
      seeds.append([0] + rows)
    }
    // The first page, the first cells of the others, and a file that is cut.
    var places: [Int] = [16, 28, 100, 4_096, 8_195, 12_200]
    for page in 0..<14 { places.append(page * 4_096 + 4_048) }
    for file in 0..<UInt8(files.count) {
      let first: UInt8 = file * 2 + 1
      seeds.append([first])
      seeds.append([first] + FilePatch.input(at: 20_000, []))
      for place in places { seeds.append([first] + FilePatch.input(at: place, [0, 1, 2, 3])) }
    }
    return seeds
  }

  static func run(_ bytes: [UInt8]) throws {
    var feed = Feed(bytes)
    let first = feed.byte()
    // One that the bytes cannot have in them.
    let replica = ReplicaID(Digest(of: bytes).bits | 1)
    try new.replace(by: [])
    if first & 1 == 0 {
      var rows: [StoreRow] = []
      while !feed.isEmpty { rows.append(StoreRow(&feed)) }
      try old.replace(by: rows)
      let before = SoundSpaces(in: old.store)
      try check(Store.repair(old.store, into: new.store, as: replica), before)
      return
    }
    let file = files[Int(first >> 1) % files.count]
    var bytes = file.bytes
    while !feed.isEmpty { FilePatch(&feed).apply(to: &bytes) }
    guard try file.replace(by: bytes) else { return try run(file: bytes, as: replica) }
    let before = try file.hasSoundTrees() ? SoundSpaces(in: file.store) : SoundSpaces()
    if let repaired = try repair(file, as: replica) { return try check(repaired, before) }
    try new.replace(by: [])
    try run(file: bytes, as: replica)
  }

  /// Nil where the list of tables is damaged, which goes on behind the first page.
  private static func repair(_ file: StoreFile, as replica: ReplicaID) throws(StoreError)
    -> Repaired?
  {
    do throws(StoreError) {
      return try Store.repair(file.store, into: new.store, as: replica)
    } catch {
      if case .damaged(let path, _) = error, path == file.store.directory { return nil }
      throw error
    }
  }

  private static func run(file bytes: [UInt8], as replica: ReplicaID) throws {
    if let repaired = try repair(file: bytes, as: replica) { try check(repaired, SoundSpaces()) }
  }

  /// Nil for what is no damaged store.
  private static func repair(
    file bytes: [UInt8], as replica: ReplicaID
  ) throws(StoreError) -> Repaired? {
    do throws(StoreError) {
      return try Store.repair(file: bytes, into: new.store, as: replica)
    } catch {
      switch error {
      case .foreign, .newer, .older: return nil
      default: throw error
      }
    }
  }

  private typealias Repaired = (store: Store, report: RepairReport)

  /// - Throws: unless what was made is sound, and what was sound before is in it.
  private static func check(
    _ repaired: Repaired, _ before: SoundSpaces
  ) throws {
    let store = try Store(reopening: repaired.store)
    let loaded = store.loadReadable()
    try expect(loaded.damaged.isEmpty, "it is sound: \(loaded.damaged.map(\.what))")
    try StoreQuestions.check(loaded, in: store)
    let report = repaired.report
    let told = Set(report.intact + report.historyCut + report.rebuilt)
    let ids = loaded.spaces.map(\.state.id)
    try expect(told == Set(ids) && told.count == ids.count, "each space is told of once")
    for space in loaded.spaces {
      let changes = try store.changes(of: space.state.id)
      try expect(
        changes.count == Int(space.history.count(beyond: space.cut)), "the history is whole")
      try expect(changes.allSatisfy(space.state.holds), "the state has what it claims")
    }
    try before.check(in: loaded, report)
  }

  /// Safe because targets run on one thread.
  nonisolated(unsafe) private static let old = try! StoreTables(of: Store(inMemory: "damaged"))
  /// Safe because targets run on one thread.
  nonisolated(unsafe) private static let new = try! StoreTables(of: Store(inMemory: "repaired"))
  /// Safe because targets run on one thread.
  nonisolated(unsafe) private static let files = try! (SmallStores.all() + RowStores.all())
    .map(StoreFile.init)
}

/// The spaces of a store that hold what was written, as far as a repair can tell.
private struct SoundSpaces {
  private var spaces: [StoredSpace] = []

  init() {}

  /// Those that open, whose changes can all be read, and are those that the state is of.
  init(in store: Store) {
    guard let store = try? Store(reopening: store) else { return }
    spaces = store.loadReadable().spaces.filter { space in
      guard let changes = try? store.changes(of: space.state.id),
        changes.allSatisfy(space.state.holds)
      else { return false }
      var byDot: [Dot: Change] = [:]
      for change in changes { byDot[change.dot] = change }
      return space.state.cells.allSatisfy { cell in
        guard let change = byDot[cell.stamp.dot] else { return true }
        return change.stamp == cell.stamp && change.operations.contains(cell.operation)
      }
    }
  }

  /// - Throws: `Finding` unless they are as they were.
  func check(in loaded: LoadedSpaces, _ report: RepairReport) throws {
    for space in spaces {
      let id = space.state.id
      let found = loaded.spaces.first { $0.state.id == id }
      try expect(
        found?.state.digest == space.state.digest && found?.history == space.history
          && found?.cut == space.cut, "what was sound is as it was")
      try expect(report.intact.contains(id), "what was sound is told to be intact")
    }
  }
}

extension SpaceState {
  fileprivate var cells: [Cell] {
    ([nil] + anchors(includingDeleted: true).map(\.id)).flatMap { record(of: $0) }
  }
}
