import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// Lists are made of the last one only where that is of the same states.
@Suite(.timeLimit(.minutes(3))) struct ClearListTests {
  private let directory = PeerDirectory()

  @Test func `a list that was handed out before a clearing is not built upon`() async throws {
    let storage = localStorage(directory)
    let space = UUID()
    for n in 0..<5 {
      try await storage.save(
        HBAnchor(spaceId: space, transform: at(0), metadata: ["old": .int(n)]))
    }
    _ = try await storage.loadAnchors(spaceId: space)
    // As a load that began before the clearing.
    let last = storage.core.memory.shownAnchors(in: space)
    #expect(last?.anchors.count == 5)
    try storage.clearLocalStorage()
    let new = HBAnchor(spaceId: space, transform: at(1), metadata: ["new": 1])
    try await storage.save(new)
    let news = try await storage.turn { loop throws(HBStorageError) in
      try loop.anchorNews(of: SpaceID(space), since: last, includingDeleted: false)
    }!
    let shown = ShownAnchors(news, in: SpaceID(space), from: storage.core.scope)
    #expect(news.last == nil)
    #expect(shown.anchors == [new])
    storage.core.memory.note(shown, in: space)
    #expect(try await storage.loadAnchors(spaceId: space) == [new])
  }

  /// A space with some anchors, each made by a change of a replica.
  private func state(_ replica: UInt128, anchors: Int, changes: Int) throws -> SpaceState {
    var state = SpaceState(id: SpaceID(0x5ACE))
    for n in 1...changes {
      let dot = Dot(replica: ReplicaID(replica), sequence: UInt64(n))
      let stamp = Stamp(timestamp: Timestamp(bits: UInt64(n)), dot: dot)
      let id = AnchorID(replica << 32 | UInt128(min(n, anchors)))
      _ = try state.apply(
        Change(stamp: stamp, operations: [.existence(id, Existence(created: Int64(n)))]))
    }
    return state
  }

  @Test func `a list of other states is not built upon, whatever its moment says`() throws {
    let (old, new) = (
      try state(1, anchors: 3, changes: 3), try state(2, anchors: 1, changes: 1)
    )
    let (since, scope) = (EditMoment.next(), EditScope())
    func shown(_ state: SpaceState, _ last: ShownAnchors?) -> ShownAnchors {
      let point = ReadPoint(
        vector: state.vector, floor: state.floor, joins: 0, statesSince: since, moment: .next())
      let news = AnchorNews(state, at: point, since: last, deleted: [])
      return ShownAnchors(news, in: state.id, from: scope)
    }
    let first = shown(old, nil)
    #expect(first.anchors.count == 3)
    #expect(shown(new, first).anchors.count == 1)
  }

  @Test(arguments: [false, true])
  func `a list that knew less than was given up is not built upon`(isJoined: Bool) throws {
    var state = try state(1, anchors: 3, changes: 3)
    let (since, scope) = (EditMoment.next(), EditScope())
    func shown(_ state: SpaceState, _ last: ShownAnchors?, joins: Int) -> ShownAnchors {
      let point = ReadPoint(
        vector: state.vector, floor: state.floor, joins: joins, statesSince: since,
        moment: .next())
      let news = AnchorNews(state, at: point, since: last, deleted: [])
      return ShownAnchors(news, in: state.id, from: scope)
    }
    let first = shown(state, nil, joins: 0)
    let stamp = Stamp(
      timestamp: Timestamp(bits: 4), dot: Dot(replica: ReplicaID(1), sequence: 4))
    let deletion = Existence(created: 1, deleted: 5)
    _ = try state.apply(
      Change(stamp: stamp, operations: [.existence(AnchorID(1 << 32 | 2), deletion)]))
    let collected = state.collect(floor: state.vector, dropped: state.vector)
    #expect(collected.slots == [1])
    if isJoined {
      // As who joins has it: nothing was given up by this replica.
      state = try SpaceState(
        id: state.id, vector: state.vector,
        cells: state.delta(since: VersionVector()).cells)
    }
    #expect(shown(state, first, joins: isJoined ? 1 : 0).anchors.count == 2)
  }

  @Test func `a list with other anchors is looked up anew`() throws {
    let (long, short) = (
      try state(1, anchors: 3, changes: 3), try state(1, anchors: 1, changes: 3)
    )
    #expect(long.vector == short.vector)
    let (since, scope) = (EditMoment.next(), EditScope())
    var memory = SpaceMemory(since: .zero)
    let ids = [1, 2, 3].map { UUID(AnchorID(1 << 32 | UInt128($0))) }
    for (state, known) in [(long, 3), (short, 1)] {
      let point = ReadPoint(
        vector: state.vector, floor: state.floor, joins: 0, statesSince: since, moment: .next())
      let news = AnchorNews(state, at: point, since: nil, deleted: [])
      memory.note(ShownAnchors(news, in: state.id, from: scope), known: .next())
      let found = ids.map { memory.base(of: $0)?.value.id }
      #expect(Array(found.prefix(known)) == Array(ids.prefix(known)))
    }
  }
}
