import HyperbasisCore
import HyperbasisSync
import Testing

/// Situations that broke other systems: H02, H07, H08, H14, H15.
@Suite struct CaseTests {
  private func value(_ lab: Lab, _ number: Int, _ key: Key = "k") -> Value? {
    lab.state(number).anchor(anchor(1))?.metadata[key]
  }

  private func shown(_ lab: Lab, _ number: Int) -> Set<AnchorID> {
    Set(lab.state(number).anchors().map(\.id))
  }

  @Test(arguments: [false, true])
  func `H02: after a fast clock was corrected each later edit still wins`(isRestarted: Bool) {
    let lab = Lab(2)
    lab.create(1, anchors: 1...1)
    lab.ahead[0] = 240_000
    lab.connect(0, 1)
    lab.pump()
    lab.set(0, "k", 1)
    lab.pump()
    lab.set(1, "k", 2)
    lab.pump()
    #expect([0, 1].map { value(lab, $0) } == [.int(2), .int(2)])
    lab.ahead[0] = 0
    if isRestarted {
      lab.restart(0, incarnation: 2)
      lab.connect(0, 1)
    }
    lab.set(0, "k", 3)
    #expect(value(lab, 0) == .int(3))
    lab.pump()
    #expect([0, 1].map { value(lab, $0) } == [.int(3), .int(3)])
    #expect(lab.farewells(1).allSatisfy { $0.reason == .leaving })
  }

  @Test func `H07: the device that was away brings nothing back, and keeps its edits`() {
    let lab = Lab(3)
    let all = 1...700
    let deleted = Set((1...300).map(anchor))
    let first = lab.connect(0, 1)
    let second = lab.connect(0, 2)
    let third = lab.connect(1, 2)
    lab.create(0, anchors: all)
    lab.pump()
    #expect(shown(lab, 2).count == 700)
    lab.cut(second)
    lab.cut(third)
    for number in 1...300 {
      lab.edit(0, [.existence(anchor(number), Existence(created: 1, deleted: 2))])
    }
    for number in 301...400 { lab.set(0, "a", number, anchor: number) }
    for number in 201...400 { lab.set(2, "c", number, anchor: number) }
    lab.pump()
    lab.cut(first)

    // Frame by frame: nothing that was deleted is seen for a moment.
    let meeting = lab.connect(1, 2)
    var frames = 0
    while lab.move(meeting, from: 0, most: 1) + lab.move(meeting, from: 1, most: 1) > 0 {
      frames += 1
      #expect(shown(lab, 1).isDisjoint(with: deleted))
    }
    #expect(frames > 3)
    #expect(shown(lab, 2) == Set(all.map(anchor)).subtracting(deleted))
    let back = lab.connect(0, 1)
    while lab.move(back, from: 0, most: 1) + lab.move(back, from: 1, most: 1) > 0 {
      #expect(shown(lab, 0).isDisjoint(with: deleted))
    }
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories)
    for number in 301...400 {
      let metadata = lab.state(1).anchor(anchor(number))!.metadata
      #expect(metadata["a"] == .int(Int64(number)) && metadata["c"] == .int(Int64(number)))
    }
  }

  @Test(arguments: 0..<40)
  func `H08: delete, edit and restore at once come to one state by every route`(seed: UInt64) {
    var random = Chance(state: seed)
    // All clocks are frozen at one instant.
    let lab = Lab(4)
    lab.create(0, anchors: 1...1)
    let pipes = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)].map { lab.connect($0.0, $0.1) }
    lab.pump()
    lab.edit(0, [.existence(anchor(1), Existence(created: 1, deleted: 2))])
    lab.set(1, "k", 1)
    lab.edit(2, [.existence(anchor(1), Existence(created: 1, deleted: 3))])
    lab.edit(
      2,
      [.existence(anchor(1), Existence(created: 1, restored: 4)), .transform(anchor(1), moved(9))])
    for _ in 0..<200 {
      lab.move(
        pipes.randomElement(using: &random)!, from: .random(in: 0...1, using: &random), most: 1)
    }
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories)
    let anchor = lab.state(3).anchor(anchor(1))
    #expect(anchor?.transform == moved(9) && anchor?.metadata["k"] == .int(1))
    #expect(lab.logs[3].count == 5)
  }

  @Test(arguments: [false, true])
  func `H08: within one tick of one replica its last action counts`(endsRestored: Bool) {
    let lab = Lab(2)
    lab.connect(0, 1)
    lab.create(0, anchors: 1...1)
    let deletion = Operation.existence(anchor(1), Existence(created: 1, deleted: 2))
    let restoration = Operation.existence(anchor(1), Existence(created: 1, restored: 3))
    lab.edit(0, [deletion])
    lab.edit(0, [restoration])
    lab.set(0, "k", 1)
    lab.edit(0, [deletion])
    if endsRestored { lab.edit(0, [restoration]) }
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories)
    #expect(shown(lab, 1) == (endsRestored ? [anchor(1)] : []))
    #expect(lab.logs[1].count == (endsRestored ? 6 : 5))
    #expect(Set(lab.logs[1].map(\.stamp.timestamp)).count == lab.logs[1].count)
  }

  @Test func `H14: answers that are lost twenty times delay nothing once one arrives`() {
    let lab = Lab(2)
    for number in 0..<50 {
      lab.set(0, Key("a\(number)"), number)
      lab.set(1, Key("b\(number)"), number, anchor: 2)
    }
    for _ in 0..<20 {
      let pipe = lab.connect(0, 1)
      lab.move(pipe, from: 0)
      // What peer 1 answers is lost; it still holds the link, and peer 0 comes back at once.
      while lab.nextFrame(1, on: lab.pipes[pipe].link) != nil {}
      lab.engines[0].close(lab.pipes[pipe].link, reason: "lost", at: lab.now)
      lab.settle(0)
    }
    #expect(!lab.isConverged)
    let last = lab.connect(0, 1)
    for _ in 0..<2 {
      lab.move(last, from: 0)
      lab.move(last, from: 1)
    }
    lab.move(last, from: 0)
    #expect(lab.state(0).digest == lab.state(1).digest)
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories)
    let sent = lab.pipes[last].sent.map(\.count)
    lab.pump()
    #expect(lab.pipes[last].sent.map(\.count) == sent)
    // The links that peer 0 gave up are silent.
    lab.pass(Limits.silenceMilliseconds)
    #expect(lab.engines[1].openLinkCount(to: replica(0)) == 1)
  }

  @Test(arguments: 0..<20)
  func `H15: a ring in any order, with repetitions, tells each change once`(seed: UInt64) {
    var random = Chance(state: seed)
    let lab = Lab(5)
    let routes = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2), (1, 3)]
    var pipes = routes.map { lab.connect($0.0, $0.1) }
    for step in 0..<600 {
      let index = pipes.indices.randomElement(using: &random)!
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        // Both ends start over: whatever was on its way is sent again.
        lab.cut(pipes[index])
        pipes[index] = lab.connect(routes[index].0, routes[index].1)
      case 1, 2: lab.pipes[pipes[index]].isFrozen[step % 2].toggle()
      case 3, 4, 5: lab.set(step % 5, Key("k\(step % 7)"), step, anchor: 1 + step % 3)
      default: lab.move(pipes[index], from: step % 2, most: 1)
      }
    }
    for pipe in pipes { lab.pipes[pipe].isFrozen = [false, false] }
    lab.pump()
    #expect(lab.isConverged)
    lab.pass(2 * Limits.catchUpStallMilliseconds)
    #expect(lab.isConverged && lab.hasWholeHistories)
    for log in lab.logs {
      for author in 0..<5 {
        let sequences = log.map(\.dot).filter { $0.replica == replica(author) }.map(\.sequence)
        #expect(sequences == sequences.indices.map { UInt64($0) + 1 })
      }
    }
  }

  /// A transform at a place.
  private func moved(_ x: Float) -> Transform {
    try! Transform([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1])
  }
}
