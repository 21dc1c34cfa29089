import Testing

@testable import HyperbasisCore

/// The state of a space: deltas, reloading, logs, what an app sees.
@Suite struct StateTests {
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `a delta since any earlier state equals the whole`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let scenario = Scenario(seed: seed, authors: 4, count: 80, ties: 2)
    let whole = try state(scenario.changes)
    for _ in 0..<5 {
      let order = scenario.delivery(&random)
      var part = try state(Array(order.prefix(Int.random(in: 0...80, using: &random))))
      let delta = whole.delta(since: part.vector)
      #expect(delta.cells.allSatisfy { !part.vector.covers($0.stamp.dot) })
      _ = try part.apply(delta)
      #expect(sameState(part, whole), "seed \(seed)")
    }
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `the anchors changed since a vector are those with other records`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let scenario = Scenario(seed: seed, authors: 4, count: 300, anchors: 12, ties: 2)
    let order = scenario.delivery(&random)
    var state = try state(Array(order.prefix(Int.random(in: 0...250, using: &random))))
    let before = state
    for change in order.dropFirst(Int.random(in: 0...300, using: &random)) {
      // Some of it is known, and some too early.
      _ = try? state.apply(change)
    }
    _ = try state.apply(try CoreTests.state(scenario.changes).delta(since: state.vector))
    let differing = (1...12).map(anchor).filter { state.record(of: $0) != before.record(of: $0) }
    #expect(state.anchors(changedSince: before.vector) == differing)
    #expect(state.anchors(changedSince: state.vector).isEmpty)
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `a reloaded state is the same and goes on the same`(seed: UInt64) throws {
    let scenario = Scenario(seed: seed, authors: 3, count: 80, anchors: 6)
    var live = try state(Array(scenario.changes.prefix(50)))
    var cells = live.record(of: nil)
    for anchor in live.cells.anchors.elements { cells += live.record(of: anchor) }
    var reloaded = try SpaceState(id: space, vector: live.vector, cells: cells)
    #expect(sameState(live, reloaded))
    #expect(live.lastTimestamp == reloaded.lastTimestamp)
    for anchor in live.cells.anchors.elements {
      #expect(live.slotNumber(of: anchor) == reloaded.slotNumber(of: anchor))
    }
    for change in scenario.changes.dropFirst(50) {
      #expect(try live.apply(change) == reloaded.apply(change))
      #expect(live.digest == reloaded.digest)
    }
    var fresh = SpaceState(id: space)
    _ = try fresh.apply(reloaded.delta(since: VersionVector()))
    #expect(sameState(live, fresh))
  }

  @Test func `a record beyond the vector is refused`() throws {
    let live = try state([change(1, 1, at: 1, [.name("a")])])
    #expect(throws: ApplyError.beyondVector(Dot(replica: replica(1), sequence: 1))) {
      try SpaceState(id: space, vector: VersionVector(), cells: live.record(of: nil))
    }
  }

  @Test func `writes superseded by other replicas leave the log as well`() throws {
    var state = SpaceState(id: space)
    for author in 1...4 as ClosedRange<Int> {
      for sequence in 1...500 as ClosedRange<UInt64> {
        let write = Operation.metadata(anchor(Int(sequence)), "k", .int(Int64(author)))
        _ = try state.apply(change(author, sequence, at: UInt64(author), [write]))
      }
    }
    let entries = (1...4).map { state.log(of: replica($0)).entries.count }
    #expect(entries[3] == 500)
    for count in entries.dropLast() { #expect(count <= 65) }
  }

  @Test func `superseded writes do not pile up in the log`() throws {
    var state = SpaceState(id: space)
    for sequence in 1...5_000 as ClosedRange<UInt64> {
      let key: Key = sequence.isMultiple(of: 2) ? "even" : "odd"
      _ = try state.apply(
        change(1, sequence, at: sequence, [.metadata(anchor(1), key, .int(Int64(sequence)))]))
      let log = state.log(of: replica(1))
      #expect(log.live == min(2, Int(sequence)))
      #expect(log.entries.count <= log.live + log.live / 2 + 64)
    }
    #expect(state.delta(since: VersionVector()).cells.count == 2)
    #expect(state.registerCount == 2)
  }

  @Test func `a register that is written over and over has one entry in the log`() throws {
    var state = SpaceState(id: space)
    for sequence in 1...100 as ClosedRange<UInt64> {
      _ = try state.apply(
        change(1, sequence, at: sequence, [.metadata(anchor(1), "k", .int(Int64(sequence)))]))
    }
    let log = state.log(of: replica(1))
    #expect(log.entries.map(\.sequence) == [100] && log.live == 1)
    var first = VersionVector()
    first[replica(1)] = 99
    #expect(state.delta(since: first).cells.map(\.stamp.dot.sequence) == [100])
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `every log holds exactly the last writes`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let scenario = Scenario(seed: seed, authors: 3, count: 1_500, ties: 2)
    let state = try state(scenario.delivery(&random))
    #expect(state.logs.map(\.live).reduce(0, +) == state.registerCount)
    let cells = state.delta(since: VersionVector()).cells
    #expect(cells.count == state.registerCount)
    #expect(Set(cells.map(\.operation.register)).count == cells.count)
  }

  @Test func `a state takes no more replicas than it can hold, and goes on with those that it has`()
    throws
  {
    var state = SpaceState(id: space)
    for author in 1...Limits.authors {
      let stamp = Stamp(
        timestamp: .zero, dot: Dot(replica: ReplicaID(UInt128(author)), sequence: 1))
      _ = try state.apply(Change(stamp: stamp, operations: [.name("a")]))
    }
    let beyond = Dot(replica: ReplicaID(UInt128(Limits.authors + 1)), sequence: 1)
    let cell = Cell(operation: .name("b"), stamp: Stamp(timestamp: .zero, dot: beyond))
    #expect(throws: ApplyError.tooManyReplicas) {
      try state.apply(Change(stamp: cell.stamp, operations: [cell.operation]))
    }
    var covers = VersionVector()
    covers[beyond.replica] = 1
    #expect(throws: ApplyError.tooManyReplicas) {
      try state.apply(Delta(base: VersionVector(), covers: covers, cells: [cell]))
    }
    covers.merge(state.vector)
    #expect(throws: ApplyError.tooManyReplicas) {
      try SpaceState(id: space, vector: covers, cells: [cell])
    }
    let next = Stamp(
      timestamp: .zero, dot: Dot(replica: ReplicaID(UInt128(Limits.authors)), sequence: 2))
    #expect(try state.apply(Change(stamp: next, operations: [.name("c")])) != nil)
    #expect(state.name == "c")
  }

  @Test func `existence is its own register`() throws {
    let born = Operation.existence(anchor(1), Existence(created: 10))
    let gone = Operation.existence(anchor(1), Existence(created: 10, deleted: 20))
    var state = try state([
      change(1, 1, at: 1, [born, .metadata(anchor(1), "k", .int(1))]), change(1, 2, at: 2, [gone]),
      change(2, 1, at: 3, [.metadata(anchor(1), "k", .int(2))]),
    ])
    #expect(state.anchors().isEmpty)
    #expect(state.counts == (0, 1))
    _ = try state.apply(change(1, 3, at: 4, [born]))
    #expect(state.anchors().map(\.metadata) == [Value.Object([.init(key: "k", value: .int(2))])!])
    #expect(state.anchor(anchor(2)) == nil)
  }

  @Test func `a save that changes nothing writes nothing`() throws {
    let operations: [Operation] = [
      .existence(anchor(1), Existence(created: 1)), .transform(anchor(1), .identity),
      .metadata(anchor(1), "k", .double(-0.0)), .name("x"),
    ]
    let state = try state([change(1, 1, at: 1, operations)])
    #expect(state.effective(operations).isEmpty)
    #expect(state.effective([.metadata(anchor(1), "never", nil)]).isEmpty)
    #expect(state.effective([.metadata(anchor(1), "k", .double(0.0))]).count == 1)
    #expect(state.effective([.metadata(anchor(1), "k", nil)]).count == 1)
  }

  @Test func `the digest is MurmurHash3 as published`() {
    let known = [
      "": "00000000000000000000000000000000",
      "hello": "cbd8a7b341bd9b025b1e906a48ae1d19",
      "hello, world": "342fac623a5ebc8e4cdcbc079642414d",
      "19 Jan 2038 at 3:14:07 AM": "b89e5988b737affc664fc2950231b2cb",
      "The quick brown fox jumps over the lazy dog.": "cd99481f9ee902c9695da1a38987b6e7",
    ]
    for (text, hash) in known { #expect(Digest(of: Array(text.utf8)).description == hash) }
  }

  @Test func `what was touched is told once and in order`() {
    var touched = Touched()
    for number in [3, 1, 1, 3, 2, 1] { touched.note(anchor(number)) }
    #expect(touched.anchors == [anchor(1), anchor(2), anchor(3)] && !touched.space)
    var other = Touched()
    for number in [1, 2] { other.note(anchor(number)) }
    #expect(other != touched)
    other.formUnion(touched)
    #expect(other == touched)
  }

  @Test func `a sorted map is a dictionary in order`() {
    var random = SplitMix(seed: 3)
    var map = SortedMap<Int, Int>()
    var right: [Int: Int] = [:]
    for _ in 0..<2_000 {
      let key = Int.random(in: 0..<50, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        map[key] = nil
        right[key] = nil
      case 1:
        map[key, default: 0] += 1
        right[key, default: 0] += 1
      case 2:
        map[key]? += 5
        right[key]? += 5
      default:
        map[key] = key
        right[key] = key
      }
      #expect(map.keys == right.keys.sorted())
      #expect(Array(map.values) == map.keys.map { right[$0]! })
      #expect(map.count == right.count && map.isEmpty == right.isEmpty)
      #expect(map[key] == right[key])
    }
  }
}
