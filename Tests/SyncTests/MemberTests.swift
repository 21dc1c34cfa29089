import HyperbasisCore
import HyperbasisSync
import Testing

/// Members of a space: what they all have is given up, and who is none joins by a snapshot.
@Suite struct MemberTests {
  /// Peers in a full mesh with one space of `anchors` anchors that all have.
  private func lab(_ count: Int, anchors: ClosedRange<Int> = 1...6) -> Lab {
    let lab = Lab(count)
    for first in 0..<count {
      for second in first + 1..<count { lab.connect(first, second) }
    }
    lab.create(0, anchors: anchors)
    // A founder is who has written something.
    for number in 0..<count { lab.set(number, Key("from \(number)"), number, anchor: 1) }
    lab.pass(1_000)
    return lab
  }

  private func retain(_ number: Int, _ retention: Retention, in lab: Lab) {
    _ = lab.engines[number].retain(retention, in: space, at: lab.time(number))
    lab.settle(number)
  }

  private func retire(_ number: Int, by other: Int, in lab: Lab) {
    _ = lab.engines[other].retire(replica(number), from: space, at: lab.time(other))
    lab.settle(other)
  }

  private func delete(_ number: Int, _ id: Int, in lab: Lab) {
    lab.edit(number, [.existence(anchor(id), Existence(created: 1, deleted: 2))])
  }

  /// Cuts all links of a peer; returns the peers at their other ends.
  private func isolate(_ number: Int, in lab: Lab) {
    for pipe in lab.pipes.indices where lab.pipes[pipe].ends.contains(number) { lab.cut(pipe) }
  }

  private func reconnect(_ number: Int, to others: some Sequence<Int>, in lab: Lab) {
    for other in others { lab.connect(number, other) }
  }

  @Test func `what waited when a store was closed is given up after its next start`() {
    let lab = Lab(1)
    lab.create(0, anchors: 1...3)
    retain(0, .latest, in: lab)
    delete(0, 1, in: lab)
    #expect(lab.state(0).anchorCount == 3)
    lab.engines[0] = Engine(local: hello(0), spaces: lab.disks[0])
    lab.pass(10_000)
    #expect(lab.state(0).anchorCount == 2)
  }

  @Test
  func `H09: nothing is given up that a missing member has not; when it is retired room is freed`()
    throws
  {
    let lab = lab(5)
    retain(0, .latest, in: lab)
    lab.pass(1_000)
    isolate(4, in: lab)
    lab.set(4, "unsent", 44, anchor: 2)
    lab.edit(4, [.existence(anchor(9), Existence(created: 1)), .transform(anchor(9), .identity)])
    lab.set(4, "of a deleted one", 1, anchor: 5)
    for id in 4...6 { delete(1, id, in: lab) }
    lab.pass(20_000)
    for number in 0..<4 {
      #expect(lab.state(number).anchors().count == 3)
      #expect(lab.state(number).anchorCount == 6, "held back by the one that is away")
      #expect(lab.engines[number].waitsFor(in: space) == [replica(4)])
      let held = lab.engines[number].heldBack(in: space, at: lab.time(number))
      #expect(held?.hidden == HiddenWrites(anchors: 3) && held?.members == [replica(4)])
      #expect(held.map { $0.changes >= 3 && !$0.isNoMember } == true)
      #expect(lab.engines[number].lag(of: replica(4), in: space) == 3)
      #expect(lab.engines[number].lag(of: replica((number + 1) % 4), in: space) == 0)
    }
    retire(4, by: 2, in: lab)
    lab.pass(20_000)
    for number in 0..<4 {
      #expect(lab.state(number).anchorCount == 3, "the deleted ones are gone")
      #expect(lab.logs(number).isEmpty, "and so is the history")
    }
    reconnect(4, to: 0..<4, in: lab)
    lab.pass(30_000)
    #expect(lab.isConverged)
    #expect(lab.state(0).anchors().map(\.id) == [1, 2, 3, 9].map(anchor))
    #expect(lab.state(0).anchor(anchor(2))?.metadata["unsent"] == .int(44))
    #expect(lab.state(4).member(replica(4))?.membership == .joined)
    #expect(lab.engines[4].rooms[space]!.joins.count == 1)
    #expect(lab.engines[4].rooms[space]!.joins.offered.map(\.id) == [anchor(5)])
    #expect(lab.engines[0].heldBack(in: space, at: lab.time(0)) == HeldBack())
    // It is a member as the others are: what it does is seen, and given up.
    delete(4, 3, in: lab)
    lab.pass(20_000)
    for number in 0..<5 { #expect(lab.state(number).anchorCount == 3) }
  }

  @Test func `a device that joins gets all, and takes part at once`() {
    let lab = lab(2)
    retain(0, .latest, in: lab)
    delete(0, 6, in: lab)
    lab.pass(10_000)
    #expect(lab.state(0).anchorCount == 5)
    lab.add(joined: true)
    lab.connect(2, 1)
    lab.pass(2_000)
    #expect(lab.isConverged)
    lab.set(2, "k", 1, anchor: 3)
    lab.pump()
    #expect(lab.state(0).anchor(anchor(3))?.metadata["k"] == .int(1))
    delete(0, 5, in: lab)
    lab.pass(10_000)
    for number in 0..<3 { #expect(lab.state(number).anchorCount == 4) }
  }

  @Test func `an anchor is made anew under the id of one that was given up, and has nothing of it`()
  {
    let lab = lab(3)
    retain(0, .latest, in: lab)
    lab.set(1, "old", 1, anchor: 6)
    delete(0, 6, in: lab)
    lab.pass(15_000)
    #expect(lab.state(2).slotNumber(of: anchor(6)) == nil)
    lab.create(2, anchors: 6...6)
    lab.pass(1_000)
    #expect(lab.isConverged)
    #expect(lab.state(0).anchor(anchor(6))?.metadata == Value.Object())
  }

  @Test func `a restore brings back all, whoever has given up the anchor meanwhile`() {
    let lab = lab(3)
    retain(0, .latest, in: lab)
    lab.set(1, "kept", 1, anchor: 6)
    lab.pass(1_000)
    delete(0, 6, in: lab)
    lab.pump()
    // Before anybody gives up anything one of them restores it, and is heard later.
    isolate(2, in: lab)
    lab.edit(2, [.existence(anchor(6), Existence(created: 1, restored: 3))])
    lab.pass(15_000)
    #expect(lab.state(0).slotNumber(of: anchor(6)) != nil, "the one that is away may restore it")
    reconnect(2, to: 0..<2, in: lab)
    lab.pass(15_000)
    #expect(lab.isConverged)
    #expect(lab.state(0).anchor(anchor(6))?.metadata["kept"] == .int(1))
  }

  /// Four peers with the latest only; 0 and 1 see no more of 2 and 3, and have retired them.
  private func halves() -> Lab {
    let lab = lab(4)
    retain(0, .latest, in: lab)
    lab.pass(1_000)
    for pipe in lab.pipes.indices where Set(lab.pipes[pipe].ends).intersection([0, 1]).count == 1 {
      lab.cut(pipe)
    }
    for number in [2, 3] { retire(number, by: 0, in: lab) }
    return lab
  }

  @Test func `halves that retired each other become one again, by the newer list`() {
    let lab = halves()
    lab.pass(100)
    for number in [0, 1] { retire(number, by: 3, in: lab) }
    lab.set(1, "here", 1, anchor: 1)
    lab.set(2, "there", 2, anchor: 1)
    delete(3, 4, in: lab)
    lab.pass(15_000)
    #expect(lab.state(2).anchorCount == 5)
    for first in [0, 1] { reconnect(first, to: 2...3, in: lab) }
    lab.pass(30_000)
    #expect(lab.isConverged)
    let metadata = lab.state(0).anchor(anchor(1))?.metadata
    #expect(metadata?["here"] == .int(1) && metadata?["there"] == .int(2))
    #expect(lab.state(0).anchor(anchor(4))?.deleted != nil || lab.state(0).anchor(anchor(4)) == nil)
    for number in 0..<4 {
      #expect(lab.state(number).members.allSatisfy { $0.membership != .retired })
    }
  }

  @Test
  func `who may have given up what the other never heard of is joined, whoever's list is newer`() {
    let lab = lab(3)
    retain(0, .latest, in: lab)
    lab.pass(1_000)
    isolate(2, in: lab)
    retire(2, by: 0, in: lab)
    delete(0, 4, in: lab)
    lab.edit(1, [.metadata(anchor(1), "from 0", nil)])
    lab.pass(15_000)
    #expect(lab.state(0).anchorCount == 5, "it was given up")
    // The newer list; it waits for peer 0, and gives nothing up.
    retire(1, by: 2, in: lab)
    lab.set(2, "there", 2, anchor: 2)
    lab.connect(1, 2)
    lab.pass(15_000)
    lab.connect(0, 2)
    lab.pass(30_000)
    #expect(lab.isConverged)
    for number in 0..<3 {
      #expect(lab.state(number).anchor(anchor(4)).map { $0.deleted != nil } ?? true)
      #expect(lab.state(number).anchor(anchor(1))?.metadata["from 0"] == nil)
      #expect(lab.state(number).anchor(anchor(2))?.metadata["there"] == .int(2))
    }
  }

  @Test func `halves that retired each other and gave up different things become equal`() {
    let lab = halves()
    lab.edit(1, [.metadata(anchor(1), "from 0", nil)])
    delete(0, 4, in: lab)
    lab.pass(100)
    for number in [0, 1] { retire(number, by: 3, in: lab) }
    lab.edit(2, [.metadata(anchor(1), "from 3", nil)])
    delete(3, 5, in: lab)
    lab.pass(15_000)
    #expect((0..<4).allSatisfy { lab.state($0).anchorCount == 5 }, "both gave up")
    // One of each meets first, and its half follows.
    lab.connect(1, 2)
    lab.pass(10_000)
    for first in [0, 1] { reconnect(first, to: 2...3, in: lab) }
    lab.pass(30_000)
    #expect(lab.isConverged)
  }

  @Test func `with everything kept nothing is given up, and who comes is no stranger`() {
    let lab = lab(2)
    delete(0, 6, in: lab)
    lab.pass(20_000)
    #expect(lab.state(0).anchorCount == 6)
    #expect(!lab.state(0).hasMembers)
    #expect(lab.hasWholeHistories)
  }

  @Test func `a history of a time span keeps what is younger`() {
    let lab = lab(2)
    retain(0, .seconds(60), in: lab)
    lab.pass(30_000)
    delete(0, 6, in: lab)
    lab.pass(40_000)
    #expect(lab.state(0).anchorCount == 6, "it was deleted less than a minute ago")
    #expect(lab.engines[0].heldBack(in: space, at: lab.time(0))?.hidden.anchors == 0)
    // Nothing else happens.
    lab.pass(40_000)
    #expect(lab.state(0).anchorCount == 5 && lab.state(1).anchorCount == 5)
    #expect(lab.logs(0).isEmpty && lab.logs(1).isEmpty)
    #expect(lab.isConverged)
  }

  @Test func `a time span goes on after a start`() {
    let lab = lab(2)
    retain(0, .seconds(60), in: lab)
    lab.pass(30_000)
    delete(0, 6, in: lab)
    lab.pass(20_000)
    for number in 0...1 { lab.restart(number, incarnation: 2) }
    lab.connect(0, 1)
    lab.pass(35_000)
    #expect(lab.state(0).anchorCount == 6, "it was deleted less than a minute ago")
    lab.pass(15_000)
    #expect(lab.state(0).anchorCount == 5 && lab.state(1).anchorCount == 5)
    #expect(lab.isConverged)
  }
}
