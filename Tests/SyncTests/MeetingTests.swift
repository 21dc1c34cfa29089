import HyperbasisCore
import HyperbasisSync
import Testing

/// Members that meet for moments: what they told on one link, and what they did not live to tell, is known on the next.
@Suite struct MeetingTests {
  /// Two members that keep the latest, of which one has deleted an anchor that the other has as well.
  private func lab() -> Lab {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.create(0, anchors: 1...3)
    for number in 0...1 { lab.set(number, Key("from \(number)"), number) }
    lab.pass(1_000)
    _ = lab.engines[0].retain(.latest, in: space, at: lab.time(0))
    lab.settle(0)
    lab.pass(10_000)
    lab.cut(pipe)
    lab.edit(1, [.existence(anchor(3), Existence(created: 1, deleted: 2))])
    return lab
  }

  private func restart(_ number: Int, in lab: Lab) {
    lab.engines[number] = Engine(local: hello(number), spaces: lab.disks[number])
  }

  private func counts(_ lab: Lab) -> [Int] { (0...1).map { lab.state($0).anchorCount } }

  @Test func `what a link did not live to tell is told on the next`() {
    let lab = lab()
    let pipe = lab.connect(0, 1)
    lab.pump()
    lab.cut(pipe)
    #expect(lab.isConverged)
    lab.pass(10_000)
    #expect(counts(lab) == [3, 3], "neither knows that the other has given it up")
    lab.connect(0, 1)
    lab.pass(10_000)
    #expect(counts(lab) == [2, 2])
  }

  @Test(arguments: [[0], [1], [0, 1]])
  func `who was started anew learns again what was told before`(restarted: [Int]) {
    let lab = lab()
    let pipe = lab.connect(0, 1)
    lab.pass(1_500)
    lab.cut(pipe)
    for number in restarted { restart(number, in: lab) }
    lab.pass(10_000)
    lab.connect(0, 1)
    lab.pass(10_000)
    #expect(counts(lab) == [2, 2])
  }

  @Test(arguments: [false, true])
  func `members that only meet for moments give up what all have`(isRestarted: Bool) {
    let lab = lab()
    for _ in 0..<6 {
      let pipe = lab.connect(0, 1)
      lab.pass(200)
      lab.cut(pipe)
      lab.pass(3_000)
      if isRestarted { restart(1, in: lab) }
    }
    #expect(counts(lab) == [2, 2])
  }

  @Test func `H02 H09: one clock that is a month ahead for ten seconds ends no history of a month`()
  {
    let lab = Lab(3)
    for (first, second) in [(0, 1), (0, 2), (1, 2)] { lab.connect(first, second) }
    lab.create(0, anchors: 1...3)
    for number in 0..<3 { lab.set(number, Key("from \(number)"), number, anchor: 1) }
    lab.pass(1_000)
    _ = lab.engines[0].retain(.seconds(30 * 86_400), in: space, at: lab.time(0))
    lab.settle(0)
    lab.pass(30_000)
    let kept = (0..<3).map { lab.logs[$0].count }
    lab.ahead[2] = 31 * 86_400_000
    // Somebody else writes something, as peers do; the one with the wrong clock writes nothing.
    lab.set(0, "later", 1)
    lab.pass(10_000)
    lab.ahead[2] = 0
    lab.pass(10_000)
    for number in 0..<3 {
      #expect(
        lab.logs[number].count == kept[number] + 1, "peer \(number): what is a minute old is kept")
    }
  }
}
