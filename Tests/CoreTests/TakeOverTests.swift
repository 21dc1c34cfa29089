import Testing

@testable import HyperbasisCore

/// States that came to be in different ways are one state, also when they go on.
@Suite struct TakeOverTests {
  private func inBatches(_ state: SpaceState, from start: VersionVector, budget: Int) throws
    -> Delta
  {
    var known = start
    var parts: [CellTable] = []
    repeat {
      let (cells, covers) = state.cells(after: known, budget: budget)
      #expect(cells.isInOrder(from: known, to: covers))
      parts.append(cells)
      known = covers
    } while known != state.vector
    return Delta(base: start, covers: known, parts: parts)
  }

  private func loaded(_ state: SpaceState) throws -> SpaceState {
    let all = state.allWrites(history: VersionVector(), changes: [])
    return try SpaceState(
      id: state.id, vector: state.vector, cells: all.spaceRecord + all.anchors.flatMap(\.cells),
      numbers: all.anchors.map(\.slot), nextNumber: state.nextNumber, floor: state.floor)
  }

  private func same(_ left: SpaceState, _ right: SpaceState, _ what: Comment) {
    #expect(left.digest == right.digest, what)
    #expect(left.cellsDigest == right.cellsDigest && left.hiddenDigest == right.hiddenDigest, what)
    #expect(left.vector == right.vector && left.lastTimestamp == right.lastTimestamp, what)
    #expect(left.registerCount == right.registerCount, what)
    #expect(left.anchors(includingDeleted: true) == right.anchors(includingDeleted: true), what)
    #expect(left.record == right.record, what)
  }

  private func deltasAgree(_ left: SpaceState, _ right: SpaceState, _ start: VersionVector) {
    let one = left.delta(since: start).cells.map { "\($0)" }.sorted()
    let other = right.delta(since: start).cells.map { "\($0)" }.sorted()
    #expect(one == other)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `states that were applied, loaded, taken over or continued are one`(seed: UInt64) throws {
    var random = SplitMix(seed: seed &* 7919)
    let large = seed % 10 == 0
    let scenario = Scenario(
      seed: seed, authors: Int.random(in: 1...6, using: &random),
      count: large ? 3_000 : Int.random(in: 5...400, using: &random),
      anchors: large ? 1_000 : Int.random(in: 1...60, using: &random), ties: 3)
    let order = scenario.delivery(&random)
    let half = Int.random(in: 0...order.count, using: &random)
    let hasMembers = seed % 2 == 0
    var first = SpaceState(id: space)
    if hasMembers {
      _ = try first.apply(
        change(99, 1, at: 1, [.retention(.latest), .member(replica(99), .founder)]))
    }
    for change in order.prefix(half) { _ = try first.apply(change) }
    var load = try loaded(first)
    same(load, first, "loaded")
    var taken = SpaceState(id: space)
    _ = try taken.apply(
      try inBatches(first, from: VersionVector(), budget: Int.random(in: 1...3_000, using: &random))
    )
    same(taken, first, "taken over")
    var part = SpaceState(id: space)
    if let one = order.prefix(half).first { _ = try part.apply(one) }
    _ = try part.apply(try inBatches(first, from: part.vector, budget: 100))
    same(part, first, "gone on with")
    // They go on.
    let quarter = half + (order.count - half) / 2
    for (number, change) in order[half..<quarter].enumerated() {
      for state in [0, 1, 2, 3] {
        switch state {
        case 0: _ = try first.apply(change)
        case 1: _ = try load.apply(change)
        case 2: _ = try taken.apply(change)
        default: _ = try part.apply(change)
        }
      }
      if number % 97 == 0 {
        var start = VersionVector()
        for entry in first.vector.entries {
          start[entry.replica] = UInt64.random(in: 0...entry.sequence, using: &random)
        }
        for other in [load, taken, part] { deltasAgree(first, other, start) }
      }
    }
    for other in [load, taken, part] { same(other, first, "went on") }
    if hasMembers {
      var floor = VersionVector()
      for entry in first.vector.entries {
        floor[entry.replica] = UInt64.random(in: 0...entry.sequence, using: &random)
      }
      let all = [
        first.collect(floor: floor, dropped: floor), load.collect(floor: floor, dropped: floor),
      ]
      #expect(all[0] == all[1])
      _ = taken.collect(floor: floor, dropped: floor)
      _ = part.collect(floor: floor, dropped: floor)
      for other in [load, taken, part] { same(other, first, "collected") }
      let again = try loaded(first)
      same(again, first, "loaded after collecting")
      load = again
    }
    for change in order[quarter...] {
      _ = try first.apply(change)
      _ = try load.apply(change)
      _ = try taken.apply(change)
      _ = try part.apply(change)
    }
    for other in [load, taken, part] { same(other, first, "in the end") }
    deltasAgree(first, load, VersionVector())
    deltasAgree(first, taken, VersionVector())
    let last = try loaded(first)
    same(last, first, "loaded in the end")
    for start in [VersionVector(), load.floor] { deltasAgree(first, last, start) }
  }
}
