import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// Random commits, with what they give up, against a model that keeps lists.
struct RandomCommitTests {
  @Test(
    "a store holds after each opening what a naive model does", arguments: 0..<40 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var run = try RandomCommits(seed: seed)
    for _ in 0..<60 { try run.step() }
    try run.reopen()
  }
}

/// One space as it should be: the state, and all changes that are kept.
private struct ModelSpace {
  var state: SpaceState
  var history = VersionVector()
  var cut = VersionVector()
  var kept: [LoggedChange] = []
  /// Changes of others that the state has and the history does not.
  var late: [Change] = []
}

private struct RandomCommits {
  private static let other = ReplicaID(5)

  private let directory = TemporaryDirectory()
  private var random: SplitMix
  private var store: Store?
  private let own: ReplicaID
  private var spaces: [ModelSpace]
  private var number: Int64 = 0

  init(seed: UInt64) throws {
    random = SplitMix(seed: seed)
    store = try Store(directory: directory.store)
    own = store!.replica
    spaces = [SpaceID(7), SpaceID(9)].map { ModelSpace(state: SpaceState(id: $0)) }
    for index in spaces.indices {
      try edit(index, [.retention(.latest), .member(own, .founder)], by: own)
    }
  }

  mutating func step() throws {
    let index = random.below(2)
    switch random.below(10) {
    case 0...4: try edit(index, operations(), by: own)
    case 5, 6: try edit(index, operations(), by: Self.other)
    case 7: try catchUp(index)
    case 8: try giveUp(index)
    default: try reopen()
    }
  }

  // MARK: Steps

  private mutating func operations() -> [HyperbasisCore.Operation] {
    number += 1
    let anchors = Set((0..<random.below(4)).map { _ in UInt128(random.below(12) + 1) }).sorted()
    if anchors.isEmpty { return [.name(Key("\(number)"))] }
    return anchors.map {
      let id = AnchorID($0)
      return switch random.below(4) {
      case 0: .existence(id, Existence(created: 1))
      case 1: .existence(id, Existence(created: 1, deleted: number))
      case 2: .metadata(id, Key("key \(random.below(3))"), nil)
      default: .metadata(id, Key("key \(random.below(3))"), .int(number))
      }
    }
  }

  private mutating func edit(
    _ index: Int, _ operations: [HyperbasisCore.Operation], by replica: ReplicaID
  ) throws {
    var space = spaces[index]
    let dot = Dot(replica: replica, sequence: space.state.vector[replica] + 1)
    // Some are older than what they meet.
    let time = space.state.lastTimestamp.bits >> 16 + 1
    let milliseconds = replica == own ? time : UInt64(max(1, Int(time) - random.below(20)))
    let change = Change(
      stamp: Stamp(timestamp: Timestamp(milliseconds: milliseconds), dot: dot),
      operations: operations)
    let touched = try #require(try space.state.apply(change))
    let isLate =
      replica != own && (random.below(3) == 0 || space.history[replica] + 1 != dot.sequence)
    if isLate {
      space.late.append(change)
    } else {
      space.history[replica] = dot.sequence
    }
    try commit(space, at: index, touched, isLate ? [] : [change])
  }

  private mutating func catchUp(_ index: Int) throws {
    var space = spaces[index]
    for change in space.late { space.history[change.dot.replica] = change.dot.sequence }
    let changes = space.late
    space.late = []
    try commit(space, at: index, Touched(), changes)
  }

  private mutating func giveUp(_ index: Int) throws {
    var space = spaces[index]
    var floor = space.state.floor
    var dropped = VersionVector()
    for entry in space.state.vector.entries {
      let span = Int(entry.sequence - floor[entry.replica]) + 1
      floor[entry.replica] += UInt64(random.below(span))
      dropped[entry.replica] = floor[entry.replica]
    }
    let collected = space.state.collect(floor: floor, dropped: dropped)
    if random.below(4) > 0 {
      space.cut.merge(floor)
      space.history.merge(floor)
      space.late.removeAll { floor.covers($0.dot) }
    }
    try commit(space, at: index, collected.touched, [], removed: collected.slots)
  }

  private mutating func commit(
    _ space: ModelSpace, at index: Int, _ touched: Touched, _ changes: [Change], removed: [Int] = []
  ) throws {
    let writes = space.state.writes(
      touched: touched, history: space.history, changes: changes, removed: removed, cut: space.cut)
    if !changes.isEmpty, random.below(8) == 0 {
      var bad = writes
      bad.changes += bad.changes
      #expect(throws: StoreError.self) { try store!.commit([bad]) }
    }
    try store!.commit([writes])
    var space = space
    space.kept = (space.kept + writes.changes).filter { !space.cut.covers($0.change.dot) }
    spaces[index] = space
    try checkHistory(of: space)
  }

  mutating func reopen() throws {
    store = nil
    store = try Store(directory: directory.store)
    #expect(store!.replica == own)
    let loaded = try store!.load()
    for (index, stored) in loaded.enumerated() {
      let model = spaces[index]
      #expect(stored.state.digest == model.state.digest)
      #expect(stored.state.registerCount >= model.state.anchorCount)
      #expect(stored.state.floor == model.state.floor && stored.cut == model.cut)
      #expect(stored.history == model.history)
      for bits in 0...12 as ClosedRange<UInt128> {
        let id = AnchorID(bits)
        #expect(stored.state.record(of: id) == model.state.record(of: id))
        #expect(stored.state.slotNumber(of: id) == model.state.slotNumber(of: id))
      }
      spaces[index].state = stored.state
      try checkHistory(of: spaces[index])
    }
    #expect(loaded.count == 2)
  }

  private func checkHistory(of space: ModelSpace) throws {
    let kept = space.kept.sorted { $0.change.stamp < $1.change.stamp }
    #expect(try store!.changes(of: space.state.id) == kept.map(\.change))
    let last = space.kept.flatMap(\.slots).max() ?? 0
    for slot in 0...last + 1 {
      let expected = kept.filter { $0.slots.contains(slot) }.map(\.change)
      #expect(try store!.changes(of: space.state.id, slot: slot) == expected)
    }
    let read = try store!.changes(
      of: space.state.id, after: VersionVector(), upTo: space.history, bytes: .max)
    #expect(read.sorted { $0.stamp < $1.stamp } == kept.map(\.change))
  }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
private struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return Int((mixed ^ mixed >> 31) >> 33) % bound
  }
}
