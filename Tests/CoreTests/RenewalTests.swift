import HyperbasisCore
import Testing

/// What has stamps that no peer takes is written anew by a new replica.
@Suite struct RenewalTests {
  private let day: UInt64 = 86_400_000
  private let now: UInt64 = 1_700_000_000_000
  private let own = ReplicaID(7)
  private let other = ReplicaID(9)
  private let next = ReplicaID(3)
  private var bound: Timestamp { Timestamp(milliseconds: now + 900_000) }

  private func change(
    _ author: ReplicaID, _ sequence: UInt64, at milliseconds: UInt64, _ operations: [Operation]
  ) -> Change {
    Change(
      stamp: Stamp(
        timestamp: Timestamp(milliseconds: milliseconds),
        dot: Dot(replica: author, sequence: sequence)),
      operations: operations)
  }

  private func stored(_ changes: [Change], history: VersionVector? = nil) throws -> StoredSpace {
    var state = SpaceState(id: SpaceID(1))
    for change in changes { _ = try state.apply(change) }
    return StoredSpace(state: state, history: history ?? state.vector)
  }

  private func renewed(_ space: StoredSpace, _ changes: [Change]) throws -> Renewal? {
    try space.renewed(
      as: next, beyond: bound, changes: changes, at: Timestamp(milliseconds: now))
  }

  private func name(_ text: String) -> Operation { .name(Key(text)) }

  private func value(_ number: Int64, of key: Key = "k") -> Operation {
    .metadata(AnchorID(1), key, .int(number))
  }

  @Test func `what is from the future is written anew in its order, and is the latest still`()
    throws
  {
    let anchor = [Operation.existence(AnchorID(1), Existence(created: 1)), value(1)]
    let changes = [
      change(other, 1, at: now - 5, anchor), change(own, 1, at: now - 4, [name("a")]),
      change(own, 2, at: now + day, [value(2)]),
      change(own, 3, at: now + day + 1, [name("b"), value(3)]),
    ]
    let renewal = try #require(try renewed(stored(changes), changes))
    let state = renewal.space.state
    #expect(state.vector[own] == 1 && state.vector[other] == 1 && state.vector[next] == 2)
    #expect(renewal.space.history == state.vector)
    #expect(state.name == "b" && state.anchors().count == 1)
    #expect(state.cell(.metadata(AnchorID(1), "k"))?.operation == value(3))
    #expect(renewal.changes.map(\.operations) == [[value(2)], [name("b"), value(3)]])
    #expect(renewal.formerDots.map(\.sequence) == [2, 3])
    #expect(renewal.changes.allSatisfy { $0.stamp.timestamp <= Timestamp(milliseconds: now + 1) })
    // Who takes the changes that stay and those that are new shows the same.
    var peer = SpaceState(id: SpaceID(1))
    for change in changes.prefix(2) + renewal.changes { _ = try peer.apply(change) }
    #expect(peer.digest == state.digest)
  }

  @Test func `where nothing is from the future nothing is done`() throws {
    let changes = [change(own, 1, at: now + 900_000, [name("a")])]
    #expect(try renewed(stored(changes), changes) == nil)
  }

  @Test func `what another wrote with the same wrong clock is written anew as well`() throws {
    let changes = [
      change(other, 1, at: now + day, [name("a")]), change(own, 1, at: now + day + 1, [value(1)]),
    ]
    let renewal = try #require(try renewed(stored(changes), changes))
    #expect(renewal.space.state.vector.entries.map(\.replica) == [next])
    #expect(renewal.changes.count == 2 && renewal.space.state.name == "a")
  }

  @Test func `an import with a date of the past is written anew as far as it holds`() throws {
    let changes = [
      change(own, 1, at: now + day, [name("a")]),
      change(own, 2, at: now - day, [name("old"), value(1)]),
    ]
    let renewal = try #require(try renewed(stored(changes), changes))
    #expect(renewal.space.state.name == "a")
    #expect(renewal.changes.map(\.operations) == [[value(1)], [name("a")]])
  }

  @Test func `what was written over and is in no history comes back under its old name`() throws {
    // The other's second change is covered, and nothing is left of it here.
    let hidden = change(other, 2, at: now + 500, [name("hidden")])
    let changes = [
      change(other, 1, at: now - 9, [value(1)]), hidden, change(own, 1, at: now + day, [name("a")]),
    ]
    var history = VersionVector()
    (history[own], history[other]) = (1, 1)
    let space = try stored(changes, history: history)
    let renewal = try #require(try renewed(space, [changes[0], changes[2]]))
    #expect(renewal.space.state.vector[other] == 1, "or a peer that holds it would never send it")
    // Both meet again.
    var peer = SpaceState(id: SpaceID(1))
    for change in changes.prefix(2) + renewal.changes { _ = try peer.apply(change) }
    var mine = renewal.space.state
    _ = try mine.apply(hidden)
    #expect(mine.digest == peer.digest && mine.vector == peer.vector)
  }

  @Test func `what was given up under a wrong clock is told of no more`() throws {
    let known = change(own, 1, at: now - 9, [name("a")])
    var vector = VersionVector()
    vector[own] = 1
    let ahead = Timestamp(milliseconds: now + day)
    let state = try SpaceState(
      id: SpaceID(1), vector: vector,
      cells: [Cell(operation: name("a"), stamp: known.stamp)], lastGivenUp: ahead)
    #expect(state.lastTimestamp == ahead)
    let space = StoredSpace(state: state, history: vector)
    let renewal = try #require(try renewed(space, [known]))
    #expect(renewal.changes.isEmpty && renewal.space.state.lastTimestamp <= bound)
    #expect(renewal.space.state.digest == state.digest)
  }
}
