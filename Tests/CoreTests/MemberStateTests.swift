import Testing

@testable import HyperbasisCore

/// What a state gives up, and how it takes over another.
@Suite struct MemberStateTests {
  private static let dead = Existence(created: 1, deleted: 2)

  private func members(_ authors: Int...) -> [HyperbasisCore.Operation] {
    authors.map { .member(replica($0), .founder) }
  }

  private func vector(_ sequences: [Int: UInt64]) -> VersionVector {
    var vector = VersionVector()
    for (author, sequence) in sequences { vector[replica(author)] = sequence }
    return vector
  }

  private func base() throws -> SpaceState {
    var state = SpaceState(id: space)
    let made: [[HyperbasisCore.Operation]] = [
      [.retention(.latest)] + members(1, 2),
      [.existence(anchor(1), Existence(created: 1)), .metadata(anchor(1), "k", .int(1))],
      [.existence(anchor(2), Existence(created: 1)), .metadata(anchor(2), "k", .int(2))],
      [.metadata(anchor(1), "gone", nil)],
      [.transform(anchor(1), .identity)],
      [.existence(anchor(2), Self.dead)],
    ]
    for (index, operations) in made.enumerated() {
      _ = try state.apply(change(1, UInt64(index + 1), at: UInt64(index + 1), operations))
    }
    return state
  }

  @Test func `only what is covered is given up, and nothing that is shown changes`() throws {
    var state = try base()
    let before = (state.digest, state.anchors())
    #expect(state.collect(floor: vector([1: 3]), dropped: vector([1: 3])).isEmpty)
    let keys = state.collect(floor: vector([1: 5]), dropped: vector([1: 5]))
    #expect(keys.slots.isEmpty && keys.touched.anchors == [anchor(1)])
    let anchors = state.collect(floor: vector([1: 6]), dropped: vector([1: 6]))
    #expect(anchors.slots == [1] && anchors.touched.isEmpty)
    #expect(state.digest == before.0 && state.anchors() == before.1)
    #expect(state.anchor(anchor(2)) == nil && state.anchorCount == 1)
  }

  @Test(arguments: [["a", "b"], ["b", "a"]])
  func `a removed key is given up where its change wrote something else as well`(keys: [Key]) throws
  {
    var state = try base()
    _ = try state.apply(
      change(1, 7, at: 7, keys.map { .metadata(anchor(1), $0, .int(1)) }))
    _ = try state.apply(
      change(1, 8, at: 8, [.metadata(anchor(1), "a", nil), .metadata(anchor(1), "b", .int(2))]))
    #expect(
      state.collect(floor: vector([1: 8]), dropped: VersionVector()).touched.anchors == [anchor(1)])
    #expect(state.stamp(of: .metadata(anchor(1), "a")) == nil)
    #expect(state.hiddenWrites(before: Timestamp(bits: .max)).keys == 0)
  }

  @Test func `keys are in order where those before them were given up`() throws {
    let live = Existence(created: 1)
    var state = try state([
      change(
        1, 1, at: 1,
        [.retention(.latest)] + members(1, 2) + [
          .existence(anchor(1), live), .metadata(anchor(1), "c", .int(1)),
        ]),
      change(
        1, 2, at: 2,
        [
          .existence(anchor(2), live), .metadata(anchor(2), "a", .int(1)),
          .metadata(anchor(2), "b", .int(2)),
        ]),
      change(1, 3, at: 3, [.existence(anchor(1), Existence(created: 1, deleted: 3))]),
    ])
    let before = state.anchors()
    #expect(!state.collect(floor: state.vector, dropped: state.vector).isEmpty)
    #expect(state.anchors() == before && before[0].metadata.entries.map(\.key) == ["a", "b"])
  }

  @Test func `a key that was removed last stays, since it is the anchor's date`() throws {
    var state = try base()
    _ = try state.apply(change(1, 7, at: 7, [.metadata(anchor(1), "k", nil)]))
    let date = state.anchor(anchor(1))?.updated
    _ = state.collect(floor: vector([1: 7]), dropped: vector([1: 7]))
    #expect(state.anchor(anchor(1))?.updated == date)
  }

  @Test func `what brings a doomed anchor back brings all of it`() throws {
    var state = try base()
    _ = state.collect(floor: vector([1: 6]), dropped: VersionVector())
    _ = try state.apply(
      change(2, 1, at: 9, [.existence(anchor(2), Existence(created: 5))]))
    #expect(state.anchor(anchor(2))?.metadata == Value.Object())
    // A write that the floor does not cover stays.
    var other = try base()
    _ = try other.apply(change(2, 1, at: 8, [.metadata(anchor(2), "late", .int(3))]))
    _ = other.collect(floor: vector([1: 6]), dropped: VersionVector())
    _ = try other.apply(
      change(2, 2, at: 9, [.existence(anchor(2), Existence(created: 5))]))
    #expect(other.anchor(anchor(2))?.metadata.entries.map(\.key.text) == ["late"])
  }

  @Test func `writes to an anchor that was never made are kept, and shown once it is`() throws {
    var state = try base()
    _ = try state.apply(change(1, 7, at: 7, [.metadata(anchor(3), "k", .int(3))]))
    let all = vector([1: 7])
    #expect(state.collect(floor: all, dropped: all).slots == [1])
    #expect(state.hiddenWrites(before: Timestamp(bits: .max)) == HiddenWrites())
    _ = try state.apply(change(2, 1, at: 8, [.existence(anchor(3), Existence(created: 8))]))
    #expect(state.anchor(anchor(3))?.metadata["k"] == .int(3))
  }

  @Test func `what is doomed at the sponsor is doomed at who joins it`() throws {
    var sponsor = try base()
    _ = sponsor.collect(floor: vector([1: 6]), dropped: VersionVector())
    var joiner = SpaceState(id: space)
    let all = sponsor.cells(after: VersionVector(), budget: .max)
    let snapshot = Delta(base: VersionVector(), covers: all.covers, cells: all.cells)
    _ = try joiner.join(snapshot, givenUp: sponsor.givenUp)
    #expect(joiner.floor == sponsor.floor)
    // One that has dropped the anchor makes it anew.
    let anew = change(2, 1, at: 9, [.existence(anchor(2), Existence(created: 5))])
    _ = (try sponsor.apply(anew), try joiner.apply(anew))
    #expect(joiner.anchor(anchor(2))?.metadata == Value.Object())
    #expect(joiner.digest == sponsor.digest)
  }

  @Test func `a restore writes all of the anchor where there are members`() throws {
    let state = try base()
    let written = state.effective([.existence(anchor(2), Existence(created: 1, restored: 9))])
    #expect(written.count == 2 && written.contains(.metadata(anchor(2), "k", .int(2))))
  }

  @Test func `a restore writes all even where the anchor lives`() throws {
    // Others may have deleted it meanwhile, and given it up.
    var state = try base()
    _ = try state.apply(
      change(2, 1, at: 8, [.existence(anchor(2), Existence(created: 1, restored: 8))]))
    let again = Operation.existence(anchor(2), Existence(created: 1, restored: 9))
    #expect(state.effective([again]).contains(.metadata(anchor(2), "k", .int(2))))
    // So does one that joins: it deleted and restored the anchor, which lives at the sponsor.
    var joiner = state
    _ = try joiner.apply(change(3, 1, at: 9, [again]))
    let joined = try joiner.join(state.delta(since: VersionVector()))
    #expect(joined.unsent.map(\.cell.operation).contains(.metadata(anchor(2), "k", .int(2))))
  }

  @Test func `what a snapshot lacks is said right after its time, or after all that was given up`()
    throws
  {
    var sponsor = try base()
    _ = try sponsor.apply(change(1, 7, at: 20, [.metadata(anchor(1), "gone", nil)]))
    _ = try sponsor.apply(change(1, 8, at: 22, [.transform(anchor(1), .identity)]))
    _ = sponsor.collect(floor: vector([1: 7]), dropped: vector([1: 7]))
    #expect(sponsor.lastGivenUp == Timestamp(bits: 20))
    var joiner = try base()
    _ = try joiner.apply(change(2, 1, at: 9, [.metadata(anchor(1), "k", .int(9))]))
    _ = try joiner.apply(change(2, 2, at: 10, [.metadata(anchor(1), "gone", .int(1))]))
    _ = try joiner.apply(change(2, 3, at: 30, [.metadata(anchor(1), "new", .int(2))]))
    let joined = try joiner.join(
      sponsor.delta(since: VersionVector()), givenUp: sponsor.givenUp)
    let anew = Dictionary(
      uniqueKeysWithValues: joined.unsent.map { ($0.cell.operation.register, $0.anew) })
    // There is a write at the sponsor, so nothing later was given up.
    #expect(anew[.metadata(anchor(1), "k")] == Timestamp(bits: 10))
    // What was given up may be later than 10, and is.
    #expect(anew[.metadata(anchor(1), "gone")] == Timestamp(bits: 23))
    #expect(joiner.stamp(of: .metadata(anchor(1), "gone")) == nil)
    #expect(anew[.metadata(anchor(1), "new")] == Timestamp(bits: 31))
    // Nothing is there under the name it had: others may claim that and have given it up.
    #expect(joiner.stamp(of: .metadata(anchor(1), "new")) == nil)
    #expect(joined.unsent.count == 3 && joiner.lastGivenUp == Timestamp(bits: 20))
  }

  @Test func `who knew a write that stands for one of unknown age wins over it`() throws {
    var sponsor = try base()
    let anew = Timestamp(bits: 40).afterGivenUp
    _ = try sponsor.apply(
      change(3, 1, at: anew.bits, [.metadata(anchor(1), "k", .int(3))]))
    var joiner = try base()
    _ = try joiner.apply(change(2, 1, at: 16, [.metadata(anchor(1), "k", .int(9))]))
    let joined = try joiner.join(sponsor.delta(since: VersionVector()))
    #expect(joined.unsent.map(\.cell.operation) == [.metadata(anchor(1), "k", .int(9))])
    #expect(joined.unsent.first?.anew == anew.anew)
    // One that the sponsor had, and so what it holds came after it, is none.
    joiner = try base()
    _ = try joiner.apply(change(1, 7, at: 16, [.metadata(anchor(1), "k", .int(9))]))
    _ = try sponsor.apply(change(1, 7, at: 16, [.metadata(anchor(1), "k", .int(9))]))
    #expect(try joiner.join(sponsor.delta(since: VersionVector())).unsent.isEmpty)
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `a snapshot takes the place of the state, and what it lacks is given back`(
    seed: UInt64
  ) throws {
    var random = SplitMix(seed: seed)
    let scenario = Scenario(seed: seed, authors: 4, count: 80, ties: 2)
    let whole = try state(scenario.changes)
    func part() throws -> SpaceState {
      try state(Array(scenario.delivery(&random).prefix(Int.random(in: 0...80, using: &random))))
    }
    let (mine, theirs) = (try part(), try part())
    var joined = mine
    let outcome = try joined.join(theirs.delta(since: VersionVector()))
    var vector = mine.vector
    vector.merge(theirs.vector)
    #expect(joined.vector == vector)
    #expect(joined.floor == VersionVector())
    // The state shows what both made of it, once what is unsent is said again.
    var sequence: UInt64 = 0
    for unsent in outcome.unsent {
      sequence += 1
      let stamp = Stamp(timestamp: unsent.anew, dot: Dot(replica: replica(9), sequence: sequence))
      _ = try joined.apply(Change(stamp: stamp, operations: [unsent.cell.operation]))
    }
    var merged = theirs
    _ = try merged.apply(mine.delta(since: theirs.vector))
    for anchor in merged.anchors() {
      #expect(joined.anchor(anchor.id)?.metadata == anchor.metadata, "seed \(seed)")
      #expect(joined.anchor(anchor.id)?.transform == anchor.transform)
    }
    #expect(joined.anchors().map(\.id) == merged.anchors().map(\.id))
    #expect(whole.vector.covers(joined.vector) || !outcome.unsent.isEmpty)
  }

  @Test func `registers of members are read as they were written`() throws {
    let operations: [HyperbasisCore.Operation] = [
      .retention(.everything), .member(replica(1), .founder), .member(replica(2), .joined),
      .member(replica(3), .kept(Dot(replica: replica(1), sequence: 4))),
      .member(replica(4), .retired),
    ]
    for retention: Retention in [.everything, .seconds(.max), .latest] {
      let written = change(1, 1, at: 1, [.retention(retention)] + operations.dropFirst())
      var writer = ByteWriter()
      written.encode(into: &writer)
      var reader = ByteReader(writer.bytes)
      #expect(try Change(from: &reader) == written)
    }
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `the share of what is hidden is that of the registers, whatever came`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let scenario = Scenario(seed: seed, authors: 3, count: 120, ties: 2)
    var state = try state([change(9, 1, at: 1, [.retention(.latest)] + members(1, 2, 3))])
    for change in scenario.delivery(&random) {
      _ = try? state.apply(change)
      if Int.random(in: 0..<6, using: &random) == 0 {
        _ = state.collect(floor: state.vector, dropped: state.vector)
      }
      #expect(state.hiddenDigest == hidden(state), "seed \(seed)")
    }
    var other = SpaceState(id: space)
    _ = try other.join(state.delta(since: VersionVector()))
    #expect(other.hiddenDigest == hidden(other) && other.digest == state.digest)
  }

  private func hidden(_ state: SpaceState) -> UInt64 {
    state.slots.indices.reduce(0) { $0 &+ state.hiddenDigest(ofSlot: $1) }
  }
}
