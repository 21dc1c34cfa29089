import HyperbasisCore
import HyperbasisSync
import Testing

/// Engines that talk to each other.
@Suite struct EngineTests {
  @Test func `two peers meet, catch up and push`() {
    let lab = Lab(2)
    lab.create(0, anchors: 1...5)
    lab.create(1, anchors: 4...8)
    let pipe = lab.connect(0, 1)
    lab.pump()
    #expect(lab.picture == ["A:5 B:5", "A:5 B:5"])
    #expect(lab.isConverged)
    let batches = lab.count(pipe, from: 0, isBatch)
    lab.set(0, "k", 1)
    lab.set(1, "k", 2)
    lab.pump()
    #expect(lab.isConverged && lab.picture[0] == "A:6 B:6")
    #expect(lab.count(pipe, from: 0, isChange) == 1 && lab.count(pipe, from: 1, isChange) == 1)
    #expect(lab.count(pipe, from: 0, isBatch) == batches)
    #expect(
      lab.events[0].contains {
        if case .connected(let peer) = $0 { peer.replica == replica(1) } else { false }
      })
    #expect(lab.engines[0].peers.map(\.name) == ["peer 1"])
    lab.pass(1_000)
    #expect(lab.engines[0].vector(of: space, at: replica(1)) == lab.state(0).vector)
    #expect(lab.farewells(0).isEmpty)
  }

  @Test func `edits in both directions at once, in small steps`() {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    for round in 0..<60 {
      lab.set(round % 2, "k", round, anchor: round % 3)
      lab.set(1 - round % 2, "j", round, anchor: round % 3)
      lab.move(pipe, from: round % 2, most: round % 4)
    }
    lab.pump()
    #expect(lab.isConverged && lab.picture[0] == "A:60 B:60")
  }

  @Test func `a chain of three converges through the middle`() {
    let lab = Lab(3)
    lab.create(0, anchors: 1...3)
    lab.connect(0, 1)
    lab.pump()
    let second = lab.connect(1, 2)
    lab.pump()
    #expect(lab.isConverged)
    lab.set(0, "k", 1)
    lab.set(2, "j", 2)
    lab.pump()
    #expect(lab.isConverged && lab.picture[2] == "A:4 C:1")
    #expect(lab.count(second, from: 0, isChange) == 1)
    #expect(lab.events[2].contains(.changed(space, touched(1), .peer(replica(1)))))
  }

  private func touched(_ id: Int) -> Touched {
    var state = SpaceState(id: space)
    let stamp = Stamp(timestamp: .zero, dot: Dot(replica: replica(9), sequence: 1))
    return try! state.apply(Change(stamp: stamp, operations: [.metadata(anchor(id), "k", nil)]))!
  }

  @Test func `a space is offered, joined later and then filled`() {
    let lab = Lab(2, joined: false)
    lab.engines[0].join(space, at: lab.now)
    lab.settle(0)
    lab.create(0, anchors: 1...2)
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.engines[1].offeredSpaces == [space])
    lab.create(0, anchors: 3...3)
    lab.pass(500)
    lab.engines[1].join(space, at: lab.now)
    lab.settle(1)
    lab.pump()
    #expect(lab.isConverged && lab.picture[1] == "A:3")
    lab.set(0, "k", 5)
    lab.pump()
    #expect(lab.isConverged && lab.engines[1].offeredSpaces.isEmpty)
  }

  @Test func `equal states are quiet but for pings`() {
    let lab = Lab(3)
    for (first, second) in [(0, 1), (1, 2), (2, 0)] { lab.connect(first, second) }
    lab.create(0, anchors: 1...4)
    lab.pass(3_000)
    let before = lab.pipes.map(\.sent)
    lab.pass(20_000)
    for (pipe, old) in zip(lab.pipes, before) {
      for side in 0...1 {
        let more = pipe.sent[side].dropFirst(old[side].count)
        #expect(more.allSatisfy { $0 == .ping })
        #expect(more.count <= 22 && more.count >= 4)
      }
    }
  }

  @Test func `duplicate links become one, the same on both sides`() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      let lab = Lab(2)
      lab.create(0, anchors: 1...2)
      let pipes = [lab.connect(0, 1), lab.connect(1, 0), lab.connect(0, 1)]
      // The greetings cross in an order of their own in each direction.
      for index in order { lab.move(pipes[index], from: 0, most: 1) }
      for index in order.reversed() { lab.move(pipes[index], from: 1, most: 1) }
      lab.pump()
      lab.pump()
      #expect(lab.engines[0].linkIDs.count == 1)
      #expect(lab.engines[0].linkIDs == lab.engines[1].linkIDs)
      #expect(!lab.events[0].contains { if case .gone = $0 { true } else { false } })
      lab.set(1, "k", 1)
      lab.pump()
      #expect(lab.isConverged)
    }
  }

  /// The end of one link may be heard of before the greeting on the other.
  @Test func `a peer that changes links is not gone`() {
    let lab = Lab(2)
    lab.create(0, anchors: 1...2)
    let first = lab.connect(0, 1)
    lab.pump()
    let second = lab.connect(0, 1)
    // Peer 0 decides once it read the greeting of 1 on the second link; 1 hears of the end of the
    // first before it is greeted on the second.
    lab.move(second, from: 1, most: 1)
    lab.move(first, from: 0)
    let peer = lab.events[1].count { if case .gone = $0 { true } else { false } }
    #expect(peer == 0)
    lab.pump()
    let connected = lab.events[1].count { if case .connected = $0 { true } else { false } }
    let gone = lab.events[1].count { if case .gone = $0 { true } else { false } }
    #expect(connected == 1 && gone == 0)
    #expect(lab.engines[0].linkIDs.count == 1 && lab.engines[1].linkIDs.count == 1)
  }

  @Test func `a peer whose other link does not come about is gone after all`() {
    let lab = Lab(2)
    let first = lab.connect(0, 1)
    lab.pump()
    let second = lab.connect(0, 1)
    lab.move(second, from: 1, most: 1)
    lab.move(first, from: 0)
    lab.pipes[second].isFrozen = [true, true]
    lab.pass(Limits.helloMilliseconds + 500)
    #expect(lab.events[1].count { if case .gone = $0 { true } else { false } } == 1)
  }

  @Test func `a restarted peer replaces its old link`() {
    let lab = Lab(2)
    lab.connect(0, 1)
    lab.pump()
    lab.engines[1] = Engine(local: hello(1, incarnation: 2), spaces: lab.disks[1])
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.engines[0].linkIDs == [LinkID(1)])
    #expect(lab.engines[0].peers.count == 1)
  }

  @Test func `a peer that falls silent is dead, one that pings is not`() {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.pass(30_000)
    #expect(lab.farewells(0).isEmpty)
    #expect(lab.pipes[pipe].sent[0].contains(.ping) || lab.pipes[pipe].sent[1].contains(.ping))
    lab.pipes[pipe].isFrozen = [true, true]
    lab.pass(Limits.silenceMilliseconds - Limits.pingAfterMilliseconds - 200)
    #expect(lab.farewells(0).isEmpty)
    lab.pass(Limits.pingAfterMilliseconds + 400)
    #expect(lab.farewells(0).map(\.reason) == [.silent])
    #expect(lab.farewells(1).map(\.reason) == [.silent])
    #expect(lab.events[0].contains { if case .gone = $0 { true } else { false } })
  }

  @Test func `a link on which nobody greets ends`() {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.pipes[pipe].isFrozen = [true, true]
    lab.pass(Limits.helloMilliseconds + 100)
    #expect(lab.farewells(0).map(\.reason) == [.silent])
  }

  @Test func `a failed commit rolls back, ends the links and recovers`() {
    let lab = Lab(2)
    lab.connect(0, 1)
    lab.set(0, "k", 1)
    lab.pump()
    let durable = lab.state(0).digest
    lab.failsCommits = [0]
    let lost = lab.edit(0, [.metadata(anchor(1), "k", .int(2))])
    #expect(lab.state(0).digest == durable)
    lab.pump()
    #expect(lab.picture == ["A:1", "A:1"])
    #expect(lab.farewells(0).map(\.reason) == [.storage])
    #expect(lab.farewells(1).map(\.text) == ["disk full"])
    lab.failsCommits = []
    let kept = lab.edit(0, [.metadata(anchor(1), "k", .int(3))])
    #expect(kept?.dot == lost?.dot && kept!.stamp > lost!.stamp)
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.isConverged)
    #expect(lab.state(1).anchor(anchor(1)) == nil)
    #expect(lab.state(1).cell(.metadata(anchor(1), "k"))?.stamp == kept?.stamp)
  }

  @Test func `a received change that cannot be stored is asked for again`() {
    let lab = Lab(2)
    lab.connect(0, 1)
    lab.pump()
    lab.failsCommits = [1]
    lab.set(0, "k", 1)
    lab.pump()
    #expect(lab.picture == ["A:1", ""])
    #expect(!lab.events[1].contains { if case .changed = $0 { true } else { false } })
    lab.failsCommits = []
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.isConverged && lab.picture[1] == "A:1")
  }

  @Test func `an edit of one replica too many is refused, and not written`() {
    var vector = VersionVector()
    for number in 0..<Limits.replicas { vector[ReplicaID(UInt128(number + 1_000))] = 1 }
    let full = try! SpaceState(id: space, vector: vector, cells: [Cell]())
    var engine = Engine(local: hello(0), spaces: [StoredSpace(state: full, history: vector)])
    let now = Now(monotonic: 1_000, wall: 1_700_000_000_000)
    _ = engine.edit(space, [.existence(anchor(1), Existence(created: 1))], at: now)
    let written = engine.takeWrites()?.first?.vector.entries.count ?? 0
    #expect(written <= Limits.replicas, "no store reads a vector of more")
  }
}
