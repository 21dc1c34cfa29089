import HyperbasisCore
import HyperbasisSync
import Testing

/// Batches of any size, gathered, are the same as one delta and as all changes one by one.
@Suite struct CatchUpTests {
  private func changes(_ count: Int) -> [Change] {
    var state: UInt64 = 1
    var sequences: [UInt64] = [0, 0, 0]
    return (1...count).map { step in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let author = Int(state >> 33) % 3
      sequences[author] += 1
      let keys: [Key] = ["a", "b", "c"]
      let first = anchor(Int(state >> 40) % 4)
      let second = anchor(4 + Int(state >> 45) % 2)
      let key = keys[Int(state >> 50) % 3]
      return Change(
        stamp: Stamp(
          timestamp: Timestamp(bits: UInt64(step / 2)),
          dot: Dot(replica: replica(author), sequence: sequences[author])),
        operations: [
          .metadata(first, key, .int(Int64(step))), .transform(second, .identity),
        ])
    }
  }

  private func batches(
    of state: SpaceState, after base: VersionVector, budget: Int
  ) -> [Batch] {
    var batches: [Batch] = []
    var reached = base
    repeat {
      let (cells, covers) = state.cells(after: reached, budget: budget)
      batches.append(
        Batch(
          space: space, base: batches.isEmpty ? base : nil, covers: covers, horizon: state.vector,
          cells: cells))
      reached = covers
    } while !reached.covers(state.vector)
    return batches
  }

  @Test(arguments: [1, 50, 100, 300, 1_000, .max])
  func `batches of any budget equal the whole`(budget: Int) throws {
    let changes = changes(120)
    for known in [0, 1, 40, 119, 120] {
      var whole = SpaceState(id: space)
      for change in changes { _ = try whole.apply(change) }
      var part = SpaceState(id: space)
      for change in changes.prefix(known) { _ = try part.apply(change) }
      var catchUp = CatchUp(base: part.vector)
      for batch in batches(of: whole, after: part.vector, budget: budget) {
        #expect(!catchUp.isWhole || catchUp.covers == part.vector)
        #expect(try catchUp.append(batch, over: part))
      }
      #expect(catchUp.isWhole)
      let delta = whole.delta(since: part.vector)
      #expect(catchUp.delta.cells == delta.cells)
      #expect(catchUp.delta.covers == delta.covers)
      _ = try part.apply(catchUp.delta)
      #expect(part.digest == whole.digest)
    }
  }

  @Test func `batches that do not continue are refused`() throws {
    var state = SpaceState(id: space)
    for change in changes(20) { _ = try state.apply(change) }
    let batches = batches(of: state, after: VersionVector(), budget: 1)
    var catchUp = CatchUp(base: VersionVector())
    #expect(try catchUp.append(batches[0], over: state))
    #expect(try catchUp.append(batches[1], over: state))
    #expect(throws: CatchUpError.vectorsGoBack) { try catchUp.append(batches[0], over: state) }
    var again = batches[2]
    let cells = [again.cells, batches[0].cells].flatMap { Array($0.whole!) }
    again.cells = BatchCells(CellTable(cells))
    #expect(throws: CatchUpError.cellOutOfOrder) { try catchUp.append(again, over: state) }
    var beyond = batches[2]
    beyond.covers = batches[1].covers
    #expect(throws: CatchUpError.cellOutOfOrder) { try catchUp.append(beyond, over: state) }
  }
}
