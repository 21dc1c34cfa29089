import HyperbasisCore
import HyperbasisStore
import Testing

/// A store whose clock was far ahead goes on as a new replica.
@Suite struct StoreRenewalTests {
  private let directory = TemporaryDirectory()
  private let space = SpaceID(1)

  /// A store with five changes: 1,001 to 1,005 milliseconds after the beginning of 1970.
  private func written() throws -> Store {
    let store = try Store(directory: directory.store)
    var author = Author(space: space, replica: store.replica)
    for number in 1...5 {
      let anchor = AnchorID(UInt128(number))
      try store.commit([
        try author.change([
          .existence(anchor, Existence(created: 1)), .metadata(anchor, "n", .int(Int64(number))),
        ])
      ])
    }
    return store
  }

  @Test func `the same is shown, by another replica, also after a restart`() throws {
    let store = try written()
    let previous = store.replica
    let before = try #require(try store.load().first).state
    let bound = Timestamp(milliseconds: 1_003, counter: .max)
    let now = Timestamp(milliseconds: 900)
    #expect(try store.renew(beyond: bound, at: now) == 2)
    #expect(store.replica != previous)
    let after = try #require(try store.load().first)
    #expect(after.state.anchors().map(\.metadata) == before.anchors().map(\.metadata))
    #expect(after.state.vector[previous] == 3 && after.state.vector[store.replica] == 2)
    #expect(after.history == after.state.vector)
    #expect(after.state.lastTimestamp <= Timestamp(milliseconds: 1_004))
    let change = try #require(try store.identityChange())
    #expect(change.previous == previous && change.reason == .clockWasWrong)

    let replica = store.replica
    let log = try store.changes(of: space)
    #expect(log.count == 5 && log.allSatisfy { after.state.vector.covers($0.dot) })
    #expect(try store.changes(of: space, slot: 4).map(\.dot.replica) == [replica])
    // It can be written to, and opened again.
    var author = Author(space: space, replica: replica)
    author.state = after.state
    try store.commit([try author.change([.name("still")])])
    #expect(try store.load().first?.state.name == "still")
  }

  @Test func `a store without such stamps is another replica, and no more`() throws {
    let store = try written()
    let before = try #require(try store.load().first).state
    #expect(try store.renew(beyond: Timestamp(milliseconds: 5_000), at: .zero) == 0)
    #expect(try store.load().first?.state.digest == before.digest)
  }
}
