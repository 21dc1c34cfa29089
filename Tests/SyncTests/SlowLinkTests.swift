import HyperbasisCore
import HyperbasisSync
import Testing

/// Links that break, stall or are not read.
@Suite struct SlowLinkTests {
  private static var small: Tuning {
    var tuning = Tuning()
    tuning.batchBytes = 1
    tuning.recentBytes = 2_000
    return tuning
  }

  @Test(arguments: 0...40)
  func `H13: a catch-up that is cut anywhere is continued, at the same peer or another`(cut: Int) {
    let lab = Lab(3, tuning: Self.small)
    lab.create(0, anchors: 1...30)
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.picture == ["A:30", "A:30", ""])
    let broken = lab.connect(0, 2)
    lab.move(broken, from: 1)
    lab.move(broken, from: 0, most: 2)
    lab.move(broken, from: 1)
    lab.move(broken, from: 0, most: cut)
    lab.cut(broken)
    // Nothing of it is visible before it is whole.
    #expect(["", "A:30"].contains(lab.picture[2]))
    let next = lab.connect(cut % 2, 2)
    lab.pump()
    #expect(lab.isConverged && lab.picture[2] == "A:30")
    let again = lab.count(next, from: 0, isBatch)
    // What was gathered is not sent again, but for one batch.
    #expect(again <= max(1, 30 - cut + 1), "\(again) batches after \(cut)")
    #expect(lab.farewells(2).allSatisfy { $0.reason == .leaving })
  }

  @Test func `an interrupted catch-up is not continued at a peer that knows less`() {
    let lab = Lab(3, tuning: Self.small)
    lab.create(0, anchors: 1...10)
    let first = lab.connect(0, 1)
    lab.pump()
    lab.cut(first)
    for value in 1...10 { lab.set(0, "k", value, anchor: value) }
    let broken = lab.connect(0, 2)
    lab.move(broken, from: 1)
    lab.move(broken, from: 0, most: 2)
    lab.move(broken, from: 1)
    lab.move(broken, from: 0, most: 8)
    lab.cut(broken)
    lab.connect(1, 2)
    lab.pump()
    #expect(lab.picture == ["A:20", "A:10", "A:10"])
    #expect(lab.state(1).digest == lab.state(2).digest)
    lab.connect(0, 2)
    lab.pump()
    #expect(lab.isConverged)
  }

  @Test func `a driver that takes no frames is not woken for them`() {
    let lab = Lab(2)
    lab.create(0, anchors: 1...3)
    lab.connect(0, 1)
    lab.pump()
    lab.set(0, "k", 1)
    let due = lab.engines[0].nextDeadline()
    let blocked = lab.engines[0].nextDeadline { _ in false }
    #expect(due! <= lab.now.monotonic + Limits.haveDelayMilliseconds)
    #expect(blocked! > lab.now.monotonic + Limits.pingAfterMilliseconds)
  }

  @Test func `a peer that only reads is alive as long as it pings`() {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.pump()
    // Peer 1 hears nothing of this for a while, as behind a long backlog.
    lab.pipes[pipe].isFrozen[0] = true
    lab.pass(Limits.silenceMilliseconds - Limits.pingAfterMilliseconds)
    #expect(lab.farewells(0).isEmpty)
    lab.pipes[pipe].isFrozen[0] = false
    lab.pass(Limits.silenceMilliseconds)
    #expect(lab.farewells(0).isEmpty && lab.farewells(1).isEmpty)
    #expect(lab.count(pipe, from: 1) { $0 == .ping } >= 3)
  }

  /// Two requests once continued the same interrupted catch-up, and the second answer ended an
  /// honest link.
  @Test func `a stalled catch-up is asked of another peer, and both may answer`() {
    let lab = Lab(4, tuning: Self.small)
    lab.create(0, anchors: 1...20)
    for other in 1...2 {
      lab.connect(0, other)
      lab.pump()
    }
    let broken = lab.connect(0, 3)
    lab.move(broken, from: 1)
    lab.move(broken, from: 0, most: 2)
    lab.move(broken, from: 1)
    lab.move(broken, from: 0, most: 9)
    lab.cut(broken)
    let stalled = lab.connect(1, 3)
    let other = lab.connect(2, 3)
    for pipe in [stalled, other] {
      lab.move(pipe, from: 0, most: 2)
      lab.move(pipe, from: 1)
    }
    lab.pipes[stalled].isFrozen[0] = true
    lab.pass(Limits.catchUpStallMilliseconds + 200)
    #expect(lab.picture[3] == "A:20")
    lab.pipes[stalled].isFrozen[0] = false
    lab.pump()
    #expect(lab.farewells(3).map(\.reason) == [.leaving])
    lab.set(1, "k", 1)
    lab.pump()
    #expect(lab.isConverged)
  }

  @Test func `a peer that reads nothing costs no memory and is caught up later`() {
    let lab = Lab(3, tuning: Self.small)
    lab.connect(0, 1)
    let slow = lab.connect(0, 2)
    lab.pump()
    lab.pipes[slow].isFrozen[0] = true
    for value in 1...2_000 {
      lab.set(0, "k", value)
      if value % 100 == 0 { lab.pump() }
    }
    #expect(lab.picture == ["A:2000", "A:2000", ""])
    #expect(lab.engines[0].rooms[space]!.recent.count <= 2_000 / 40)
    lab.pipes[slow].isFrozen[0] = false
    lab.pump()
    #expect(lab.isConverged)
    #expect(lab.count(slow, from: 0, isChange) < 10)
  }

  /// The receiver's own vector, told back to it, was once taken for what the sender has, and the
  /// sender's changes were never sent.
  @Test func `a catch-up in each direction leaves nothing out`() {
    let lab = Lab(2, tuning: Self.small)
    lab.create(0, anchors: 1...9)
    lab.create(1, anchors: 5...12)
    let pipe = lab.connect(0, 1)
    for side in [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] {
      lab.move(pipe, from: side, most: 2)
    }
    lab.pump()
    #expect(lab.isConverged && lab.picture[1] == "A:9 B:8")
  }

  @Test func `what comes in after the end of a link is not kept`() {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.engines[0].receive([0xFF, 0xFF, 0xFF, 0xFF], on: lab.pipes[pipe].link, at: lab.now)
    #expect(!lab.engines[0].isFinished(lab.pipes[pipe].link))
    for _ in 0..<100 {
      let bytes = [UInt8](repeating: 0, count: 100_000)
      lab.engines[0].receive(bytes, on: lab.pipes[pipe].link, at: lab.now)
    }
    lab.settle(0)
    #expect(lab.farewells(0).map(\.reason) == [.malformed])
  }

  /// The vector of a peer that came in between its request and the answer was once told as the base
  /// of the answer, which was then no answer to the request: seed 484 never converged.
  @Test func `the answer begins where the request said`() {
    func vector(_ entries: [Int: UInt64]) -> VersionVector {
      var vector = VersionVector()
      for number in entries.keys.sorted() { vector[replica(number)] = entries[number]! }
      return vector
    }
    let lab = Lab(2)
    lab.create(0, anchors: 1...2)
    lab.connect(0, 1)
    let since = vector([8: 3])
    lab.receive(
      [
        .hello(hello(1)), .want(space, since: since),
        have(space, vector([7: 5])),
      ], 0, at: 0)
    lab.move(0, from: 0)
    let bases = lab.pipes[0].sent[0].compactMap { frame in
      if case .batch(let batch) = frame { batch.base } else { nil }
    }
    #expect(bases == [since])
  }

  /// What was gathered within a turn whose commit failed builds upon what is gone.
  @Test func `a failed commit forgets what a catch-up had gathered`() {
    func vector(_ sequence: UInt64) -> VersionVector {
      var vector = VersionVector()
      vector[replica(8)] = sequence
      return vector
    }
    func batch(from base: UInt64, to covers: UInt64, of horizon: UInt64) -> Frame {
      let stamp = Stamp(
        timestamp: Timestamp(bits: covers), dot: Dot(replica: replica(8), sequence: covers))
      let cell = Cell(operation: .metadata(anchor(Int(covers)), "k", .null), stamp: stamp)
      return .batch(
        Batch(
          space: space, base: vector(base), covers: vector(covers), horizon: vector(horizon),
          cells: [cell]))
    }
    func wants(_ pipe: Int) -> [Frame] {
      lab.receive([.hello(hello(1)), have(space, vector(3))], pipe, at: 0)
      lab.move(pipe, from: 0)
      return lab.pipes[pipe].sent[0].filter { if case .want = $0 { true } else { false } }
    }
    let lab = Lab(2)
    #expect(wants(lab.connect(0, 1)) == [.want(space, since: VersionVector())])
    lab.failsCommits = [0]
    lab.receive([batch(from: 0, to: 1, of: 1), batch(from: 1, to: 2, of: 3)], 0, at: 0)
    lab.failsCommits = []
    #expect(lab.farewells(0).map(\.reason) == [.storage] && lab.picture[0] == "")
    #expect(wants(lab.connect(0, 1)) == [.want(space, since: VersionVector())])
  }
}
