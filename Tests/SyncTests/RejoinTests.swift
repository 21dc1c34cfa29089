import HyperbasisCore
import HyperbasisSync
import Testing

/// A member that joins anew undoes nothing of what others did who knew its edits.
@Suite struct RejoinTests {
  @Test func `H07 H09: a member that joins anew through one who was away brings nothing back`() {
    let lab = Lab(3)
    let links = [(0, 1), (0, 2), (1, 2)].map { lab.connect($0.0, $0.1) }
    lab.create(0, anchors: 1...2)
    for number in 0..<3 { lab.set(number, Key("from \(number)"), number, anchor: 1) }
    lab.pass(1_000)
    _ = lab.engines[0].retain(.latest, in: space, at: lab.time(0))
    lab.settle(0)
    lab.pass(5_000)
    // 2 is away. 0 makes an anchor and sets a key; 1 has both, and then writes over them while 0 is away.
    lab.cut(links[1])
    lab.cut(links[2])
    lab.create(0, anchors: 7...7)
    lab.set(0, "n", 2)
    lab.pass(1_000)
    lab.cut(links[0])
    lab.edit(1, [.existence(anchor(7), Existence(created: 1, deleted: 2))])
    lab.set(1, "n", 3)
    // 2 retires 0, which comes back and meets 2 first. (A restored backup and a power cut do the same.)
    _ = lab.engines[2].retire(replica(0), from: space, at: lab.time(2))
    lab.settle(2)
    lab.pass(1_000)
    lab.connect(0, 2)
    lab.pass(5_000)
    lab.connect(1, 2)
    lab.connect(0, 1)
    lab.pass(10_000)
    #expect(lab.isConverged)
    for number in 0..<3 {
      let state = lab.state(number)
      #expect(
        state.anchor(anchor(7)).map { $0.deleted != nil } ?? true, "peer \(number): deleted")
      let value = state.cell(.metadata(anchor(1), "n"))?.operation
      #expect(value == .metadata(anchor(1), "n", .int(3)), "peer \(number): 3 knew 2")
    }
  }

  @Test func `a repaired store is not said to differ before it joined anew`() throws {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.create(0, anchors: 1...3)
    lab.set(1, "n", 2)
    lab.pass(1_000)
    _ = lab.engines[0].retain(.latest, in: space, at: lab.time(0))
    lab.settle(0)
    lab.pass(10_000)
    lab.cut(pipe)
    // What a repair makes in a space with members: the vector claims what it did, an anchor is lost.
    let whole = lab.state(1)
    let cells = whole.delta(since: VersionVector()).parts.flatMap { part in
      part.indices.map { part[$0] }
    }
    let state = try SpaceState(
      id: space, vector: whole.vector,
      cells: cells.filter { $0.operation.anchor != anchor(2) })
    #expect(state.digest != whole.digest)
    lab.disks[1] = [StoredSpace(state: state, history: whole.vector)]
    lab.engines[1] = Engine(local: hello(7), spaces: lab.disks[1])
    lab.connect(0, 1)
    lab.pass(10_000)
    for events in lab.events {
      #expect(!events.contains { if case .diverged = $0 { true } else { false } })
    }
    #expect(lab.isConverged && lab.state(1).anchor(anchor(2)) != nil)
  }
}
