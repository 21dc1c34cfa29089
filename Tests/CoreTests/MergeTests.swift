import HyperbasisCore
import Testing

/// The merge of changes: any order, any number of times, one result.
@Suite struct MergeTests {
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `every delivery order of a small world gives one state`(seed: UInt64) throws {
    let scenario = Scenario(seed: seed, authors: 3, count: 6, anchors: 1, ties: 1)
    let right = try state(scenario.changes)
    for order in deliveries(scenario.changes) {
      #expect(sameState(try state(order), right), "seed \(seed): \(order.map(\.dot))")
    }
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `random orders of a larger world give one state`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let scenario = Scenario(seed: seed, authors: 5, count: 120, ties: 2)
    let right = try state(scenario.changes)
    for _ in 0..<5 {
      #expect(sameState(try state(scenario.delivery(&random)), right), "seed \(seed)")
    }
  }

  @Test func `H01: six writes at one instant have one winner for every assignment of ids`() throws {
    for ids in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
      let changes = ids.enumerated().flatMap { index, author in
        [
          change(author, 1, at: 7, [.metadata(anchor(1), "k", .int(Int64(index)))]),
          change(author, 2, at: 8, [.existence(anchor(1), Existence(created: Int64(index)))]),
        ]
      }
      let winner = Int64(ids.firstIndex(of: 3)!)
      for order in deliveries(changes) {
        let shown = try #require(try state(order).anchor(anchor(1)))
        #expect(shown.metadata["k"] == .int(winner))
        #expect(shown.created == winner)
      }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `applying again changes nothing`(seed: UInt64) throws {
    let scenario = Scenario(seed: seed, authors: 3, count: 40)
    var twice = try state(scenario.changes)
    let once = twice
    for change in scenario.changes { #expect(try twice.apply(change) == nil) }
    #expect(try twice.apply(once.delta(since: VersionVector())).isEmpty)
    #expect(sameState(once, twice))
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `deltas commute, associate and may overlap`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let scenario = Scenario(seed: seed, authors: 4, count: 60, ties: 2)
    let whole = try state(scenario.changes)
    let parts =
      try (0..<3).map { _ in
        let order = scenario.delivery(&random)
        return try state(Array(order.prefix(Int.random(in: 0...60, using: &random))))
      } + [whole]
    for order in [[0, 1, 2, 3], [2, 1, 0, 3], [3, 0, 1, 2], [1, 3, 3, 0]] {
      var merged = SpaceState(id: space)
      for index in order {
        _ = try merged.apply(parts[index].delta(since: VersionVector()))
      }
      #expect(sameState(merged, whole), "seed \(seed), order \(order)")
    }
    // (a + b) + c and a + (b + c), by deltas since what the other has.
    var left = parts[0]
    _ = try left.apply(parts[1].delta(since: left.vector))
    _ = try left.apply(parts[2].delta(since: left.vector))
    var right = parts[1]
    _ = try right.apply(parts[2].delta(since: right.vector))
    _ = try right.apply(parts[0].delta(since: right.vector))
    #expect(sameState(left, right), "seed \(seed)")
  }

  @Test func `a gap is refused and changes nothing`() throws {
    var state = try CoreTests.state([change(1, 1, at: 1, [.name("a")])])
    let before = state
    #expect(throws: ApplyError.gap(replica: replica(1), known: 1, next: 3)) {
      try state.apply(change(1, 3, at: 3, [.name("c")]))
    }
    var ahead = before
    for sequence in 2...3 as ClosedRange<UInt64> {
      _ = try ahead.apply(change(1, sequence, at: sequence, [.name("later")]))
    }
    var base = VersionVector()
    base[replica(1)] = 2
    #expect(throws: ApplyError.gap(replica: replica(1), known: 1, next: 3)) {
      try state.apply(ahead.delta(since: base))
    }
    #expect(sameState(state, before))
  }
}
