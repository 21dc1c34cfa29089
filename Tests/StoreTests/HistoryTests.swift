import CSQLite
import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// Whole changes in the store.
struct HistoryTests {
  let directory = TemporaryDirectory()
  let space = SpaceID(7)

  /// Two authors of one space take turns; some changes write to several anchors, some to none.
  private func fill(_ store: Store, changes count: Int = 40) throws -> (SpaceState, [Change]) {
    var state = SpaceState(id: space)
    var made: [Change] = []
    for step in 1...count {
      let replica = ReplicaID(step % 3 == 0 ? 9 : 2)
      let dot = Dot(replica: replica, sequence: state.vector[replica] + 1)
      // Stamps are not in the order of commits.
      let stamp = Stamp(
        timestamp: Timestamp(milliseconds: UInt64(1_000 + step * 7 % 30)), dot: dot)
      let anchors = (0..<step % 4).map { AnchorID(UInt128(($0 * 5 + step) % 11 + 1)) }
      let operations: [Operation] =
        anchors.isEmpty
        ? [.name(Key("name \(step)"))]
        : anchors.map { .metadata($0, "n", .int(Int64(step))) }
      let change = Change(stamp: stamp, operations: operations)
      let touched = try state.apply(change)!
      try store.commit([
        state.writes(touched: touched, history: state.vector, changes: [change])
      ])
      made.append(change)
    }
    return (state, made)
  }

  @Test func everyChangeIsThereAscendingByStamp() throws {
    var store: Store? = try Store(directory: directory.store)
    let (state, made) = try fill(store!)
    let sorted = made.sorted { $0.stamp < $1.stamp }
    #expect(sorted != made)
    for isReopened in [false, true] {
      if isReopened {
        store = nil
        store = try Store(directory: directory.store)
        #expect(try store!.load().map(\.history) == [state.vector])
      }
      #expect(try store!.changes(of: space) == sorted)
      #expect(try store!.changes(of: SpaceID(99)) == [])
    }
  }

  @Test func theChangesOfOneAnchorAreFound() throws {
    let store = try Store(directory: directory.store)
    let (state, made) = try fill(store)
    for number in 1...11 {
      let anchor = AnchorID(UInt128(number))
      let expected = made.filter { $0.operations.contains { $0.anchor == anchor } }
      let slot = state.slotNumber(of: anchor)!
      #expect(
        try store.changes(of: space, slot: slot) == expected.sorted { $0.stamp < $1.stamp })
    }
    #expect(try store.changes(of: space, slot: 11) == [])
  }

  @Test(arguments: [1, 100, 400, 1 << 20])
  func partsBetweenTwoVectorsAreReadByBytes(bytes: Int) throws {
    let store = try Store(directory: directory.store)
    let (state, made) = try fill(store)
    for (start, end) in [(0, 40), (10, 31), (39, 40), (20, 20)] {
      var known = vector(of: made.prefix(start))
      let last = vector(of: made.prefix(end))
      var read: [Change] = []
      var parts = 0
      while !known.covers(last) {
        let part = try store.changes(of: space, after: known, upTo: last, bytes: bytes)
        for change in part {
          let isNext = known.extend(by: change.dot)
          #expect(isNext)
        }
        read += part
        parts += 1
        #expect(parts <= 40 && !part.isEmpty)
      }
      let expected = made[start..<end].sorted {
        ($0.dot.replica, $0.dot.sequence) < ($1.dot.replica, $1.dot.sequence)
      }
      #expect(read == expected)
      if bytes == 1 { #expect(parts == end - start) }
    }
    #expect(state.vector == vector(of: made[...]))
  }

  private func vector(of changes: ArraySlice<Change>) -> VersionVector {
    var vector = VersionVector()
    for change in changes { vector[change.dot.replica] = change.dot.sequence }
    return vector
  }

  @Test func theHistoryMayLagBehindTheState() throws {
    var author = Author(space: space, replica: ReplicaID(1))
    var changes: [Change] = []
    var store: Store? = try Store(directory: directory.store)
    for number in 1...3 {
      var writes = try author.change([.metadata(AnchorID(1), "n", .int(Int64(number)))])
      changes += writes.changes.map(\.change)
      writes.history = VersionVector()
      writes.changes = []
      try store!.commit([writes])
    }
    var part = VersionVector()
    part[ReplicaID(1)] = 2
    try store!.commit([
      author.state.writes(touched: Touched(), history: part, changes: Array(changes.prefix(2)))
    ])
    store = nil
    store = try Store(directory: directory.store)
    let loaded = try store!.load()[0]
    #expect(loaded.history == part && loaded.state.vector == author.state.vector)
    #expect(try store!.changes(of: space) == Array(changes.prefix(2)))
  }

  @Test func aFailedCommitForgetsItsAuthors() throws {
    var author = Author(space: space, replica: ReplicaID(1))
    let store = try Store(directory: directory.store)
    let good = try author.change([.name("first")])
    var bad = good
    bad.changes += bad.changes
    #expect(throws: StoreError.self) { try store.commit([bad]) }
    #expect(try store.changes(of: space) == [])
    try store.commit([good])
    #expect(try store.changes(of: space) == good.changes.map(\.change))
    try store.reset()
    #expect(try store.changes(of: space) == [])
    try store.commit([good])
    #expect(try store.load()[0].history == author.state.vector)
  }

  @Test(arguments: [
    "DELETE FROM history", "DELETE FROM history WHERE sequence = 1",
    "DELETE FROM history WHERE author = 1 AND sequence > 20",
    "DELETE FROM replicas WHERE number = 2", "UPDATE history SET author = author + 7",
    "INSERT INTO history SELECT space, author, sequence + 100, change FROM history",
    "INSERT INTO history SELECT space, author + 5, sequence, change FROM history",
    "UPDATE spaces SET history = x'00'", "UPDATE spaces SET history = history || x'01'",
    "UPDATE spaces SET history = x'01' || substr(vector, 2, 16) || x'7f'",
    "UPDATE replicas SET id = x'00' WHERE number = 1",
  ])
  func rowsThatDoNotFitTheVectorAreDamage(sql: String) throws {
    _ = try fill(Store(directory: directory.store))
    RawDatabase(directory.database).execute(sql)
    #expect {
      _ = try Store(directory: directory.store).load()
    } throws: { error in
      switch error as? StoreError {
      case .damaged, .damagedSpace: true
      default: false
      }
    }
  }

  @Test(arguments: [
    "DELETE FROM history WHERE author = 1 AND sequence = 5",
    "UPDATE history SET change = x'00' WHERE author = 1 AND sequence = 5",
    "UPDATE history SET change = change || x'00' WHERE author = 1 AND sequence = 5",
    """
    UPDATE history SET change = (SELECT change FROM history WHERE sequence = 6 AND author = 1)
    WHERE author = 1 AND sequence = 5
    """,
  ])
  func aDamagedChangeIsFoundWhenItIsRead(sql: String) throws {
    let (state, _) = try fill(Store(directory: directory.store))
    RawDatabase(directory.database).execute(sql)
    let store = try Store(directory: directory.store)
    #expect(try store.load()[0].history == state.vector)
    let isDamaged: (any Error) -> Bool = { error in
      guard case .damaged(_, let what)? = error as? StoreError else { return false }
      return what.hasPrefix("change 5 of 00000000-0000-0000-0000-000000000002")
    }
    #expect {
      _ = try store.changes(of: space, after: VersionVector(), upTo: state.vector, bytes: .max)
    } throws: { isDamaged($0) }
    #expect { _ = try store.changes(of: space) } throws: { isDamaged($0) }
    #expect {
      for slot in 0..<11 { _ = try store.changes(of: space, slot: slot) }
    } throws: { isDamaged($0) }
  }

  @Test func ownChangesMissingFromTheHistoryAreDamage() throws {
    let store = try Store(directory: directory.store)
    var author = Author(space: space, replica: store.replica)
    var writes = try author.change([.name("mine")])
    writes.history = VersionVector()
    writes.changes = []
    try store.commit([writes])
    #expect {
      _ = try store.load()
    } throws: { error in
      switch error as? StoreError {
      case .damaged, .damagedSpace: true
      default: false
      }
    }
  }
}
