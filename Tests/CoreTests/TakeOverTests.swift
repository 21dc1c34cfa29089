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
    let load = try loaded(first)
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
    try goOn([first, load, taken, part], order: order, from: half, hasMembers, &random)
  }

  /// The same changes and collections have them stay one.
  private func goOn(
    _ states: [SpaceState], order: [Change], from half: Int, _ hasMembers: Bool,
    _ random: inout SplitMix
  ) throws {
    var states = states
    let quarter = half + (order.count - half) / 2
    for (number, change) in order[half..<quarter].enumerated() {
      for index in states.indices { _ = try states[index].apply(change) }
      guard number.isMultiple(of: 97) else { continue }
      let start = part(of: states[0].vector, &random)
      for other in states.dropFirst() { deltasAgree(states[0], other, start) }
    }
    for other in states.dropFirst() { same(other, states[0], "went on") }
    if hasMembers {
      let floor = part(of: states[0].vector, &random)
      let all = states.indices.map { states[$0].collect(floor: floor, dropped: floor) }
      // Those that were loaded have the same slots, the others numbers of their own.
      #expect(all[0] == all[1])
      for other in states.dropFirst() { same(other, states[0], "collected") }
      states[1] = try loaded(states[0])
      same(states[1], states[0], "loaded after collecting")
    }
    for change in order[quarter...] {
      for index in states.indices { _ = try states[index].apply(change) }
    }
    states.append(try loaded(states[0]))
    for other in states.dropFirst() {
      same(other, states[0], "in the end")
      for start in [VersionVector(), states[0].floor] { deltasAgree(states[0], other, start) }
    }
  }

  private func part(of vector: VersionVector, _ random: inout SplitMix) -> VersionVector {
    var part = VersionVector()
    for entry in vector.entries {
      part[entry.replica] = UInt64.random(in: 0...entry.sequence, using: &random)
    }
    return part
  }
}
