import HyperbasisCore
import HyperbasisSync
import Testing

/// What a peer may not do, and what it is told then.
@Suite struct RefusalTests {
  private func change(
    at milliseconds: UInt64, counter: UInt16 = 0, sequence: UInt64 = 1
  ) -> Change {
    let timestamp = Timestamp(milliseconds: milliseconds, counter: counter)
    return Change(
      stamp: Stamp(timestamp: timestamp, dot: Dot(replica: replica(8), sequence: sequence)),
      operations: [.metadata(anchor(1), "k", .string("poison"))])
  }

  /// A link of peer 0 to nobody, on which a test speaks.
  private func stranger() -> (lab: Lab, pipe: Int) {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    return (lab, pipe)
  }

  private func reason(_ frames: [Frame]) -> Farewell.Reason? {
    let (lab, pipe) = stranger()
    lab.receive(frames, pipe, at: 0)
    return lab.farewells(0).first?.reason
  }

  private let later = Hello.versions.upperBound + 1

  @Test func `greetings that are refused`() {
    #expect(reason([.hello(hello(1))]) == nil)
    #expect(reason([.hello(hello(0))]) == .ownself)
    #expect(reason([.hello(hello(1, versions: later...later))]) == .version)
    #expect(reason([.hello(hello(1)), .hello(hello(1))]) == .malformed)
    for frame in FrameTests.frames.dropFirst() {
      if case .bye = frame { continue }
      #expect(reason([frame]) == .malformed)
    }
  }

  @Test(arguments: [Hello.versions.upperBound + 1, Hello.versions.lowerBound - 1])
  func `H16: a refused version is told by name on both sides, however long the name`(
    version: UInt16
  ) {
    let name = String(repeating: "n", count: Limits.peerNameBytes)
    let lab = Lab(2)
    lab.engines[1] = Engine(local: hello(1, versions: version...version, name: name))
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.farewells(0).first?.reason == .version)
    #expect(lab.farewells(1).first?.reason == .version)
    #expect(lab.farewells(0)[0].text.utf8.count <= Limits.farewellBytes)
  }

  @Test func `bytes that are no greeting`() {
    for bytes in [Array("GET / HTTP/1.1\r\n\r\n".utf8), [0, 0, 0, 0], [3, 0, 0, 0, 9, 9, 9]] {
      let (lab, pipe) = stranger()
      lab.engines[0].receive(bytes, on: lab.pipes[pipe].link, at: lab.now)
      lab.settle(0)
      #expect(lab.farewells(0).map(\.reason) == [.malformed])
      // Peer 1 reads the greeting and the farewell.
      lab.move(pipe, from: 0)
      #expect(lab.farewells(1).map(\.reason) == [.malformed])
      #expect(lab.engines[0].isFinished(lab.pipes[pipe].link))
    }
  }

  @Test func `each damaged byte of a good session ends the link or is refused, never a trap`() {
    let lab = Lab(2)
    lab.create(0, anchors: 1...2)
    lab.create(1, anchors: 2...3)
    let pipe = lab.connect(0, 1)
    lab.pump()
    lab.set(1, "k", 1)
    lab.pump()
    let bytes = lab.pipes[pipe].sent[1].flatMap { $0.encoded() }
    for position in bytes.indices {
      for damage in [0x01, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[position] ^= damage
        let (lab, pipe) = stranger()
        lab.create(0, anchors: 1...2)
        // Asking for the space comes from the other side's announcement.
        for chunk in stride(from: 0, to: damaged.count, by: 50) {
          let slice = Array(damaged[chunk..<min(chunk + 50, damaged.count)])
          lab.engines[0].receive(slice, on: lab.pipes[pipe].link, at: lab.now)
          lab.settle(0)
          while lab.engines[0].nextFrame(for: lab.pipes[pipe].link, at: lab.now) != nil {}
        }
      }
    }
  }

  @Test func `H03: stamps too far ahead are refused on both sides while others sync on`() {
    let day: UInt64 = 86_400_000
    let lab = Lab(3)
    lab.ahead[1] = day
    lab.connect(0, 1)
    lab.connect(0, 2)
    lab.pump()
    lab.set(1, "k", 1)
    lab.pump()
    #expect(lab.farewells(0).map(\.reason) == [.clock])
    #expect(lab.farewells(1).map(\.reason) == [.clock])
    #expect(lab.farewells(0)[0].text == "the clocks differ: \"peer 1\" sent an edit 86400 s ahead")
    #expect(lab.picture == ["", "B:1", ""])
    lab.set(2, "k", 2)
    lab.set(0, "k", 3)
    lab.pump()
    #expect(lab.picture == ["A:1 C:1", "B:1", "A:1 C:1"])
    #expect(lab.state(0).lastTimestamp.milliseconds == lab.now.wall)
  }

  @Test func `whose clock was far ahead gives nothing once refused, takes all, and may be renewed`()
  {
    let day: UInt64 = 86_400_000
    let lab = Lab(2)
    lab.create(0, anchors: 1...3)
    lab.ahead[1] = day
    lab.set(1, "k", 1)
    lab.ahead[1] = 0
    #expect(!lab.engines[1].isHolding(at: lab.time(1)), "one clock alone does not say so")
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.farewells(1).map(\.reason) == [.clock])
    #expect(lab.engines[1].isHolding(at: lab.time(1)))
    let pipe = lab.connect(0, 1)
    lab.pass(9_000)
    #expect(lab.farewells(1).count == 1, "the link stays")
    #expect(lab.state(1).vector[replica(0)] == 3 && lab.history(1)[replica(0)] == 3)
    #expect(!lab.engines[1].isReadyToRenew(at: lab.time(1)))
    lab.pass(2_000)
    #expect(lab.engines[1].isReadyToRenew(at: lab.time(1)))
    // The clock was wrong when it said so: what waited is answered.
    lab.ahead[1] = day
    lab.pass(3_000)
    #expect(lab.count(pipe, from: 1, isBatch) == 1)
  }

  @Test func `H03: every extreme stamp is refused in a change and in a batch`() {
    let wall: UInt64 = 1_700_000_000_000
    let extremes = [
      change(at: wall + 86_400_000), change(at: 16_725_225_600_000),
      change(at: (1 << 48) - 1, counter: .max), change(at: wall + 300_001, counter: .max),
    ]
    for change in extremes {
      #expect(reason([.hello(hello(1)), .change(space, change)]) == .clock)
      let cells = [Cell(operation: change.operations[0], stamp: change.stamp)]
      let batch = Batch(
        space: space, base: VersionVector(), covers: VersionVector(), horizon: VersionVector(),
        cells: CellTable(cells))
      #expect(reason([.hello(hello(1)), .batch(batch)]) == .clock)
    }
    for allowed in [change(at: 0), change(at: wall + 300_000, counter: .max)] {
      #expect(reason([.hello(hello(1)), .change(space, allowed)]) == nil)
    }
  }

  @Test func `a local clock at the end of time lets no stamp in that has no successor`() {
    let (lab, pipe) = stranger()
    lab.ahead[0] = 1 << 48
    let last = change(at: (1 << 48) - 1, counter: .max)
    lab.receive([.hello(hello(1)), .change(space, last)], pipe, at: 0)
    #expect(lab.farewells(0).map(\.reason) == [.clock])
    #expect(lab.edit(0, [.name("still works")]) != nil)
  }

  /// Taken over, it would put the next own edit beyond what a store can hold or a peer can read.
  @Test func `nobody knows more of this replica than it does itself`() {
    var vector = VersionVector()
    vector[replica(0)] = UInt64(Limits.sequence)
    let own = Change(
      stamp: Stamp(
        timestamp: Timestamp(milliseconds: 5), dot: Dot(replica: replica(0), sequence: 2)),
      operations: [.name("restored")])
    let frames: [Frame] = [
      have(space, vector), .want(space, since: vector), .change(space, own),
      .wantHistory(space, since: vector),
      .batch(
        Batch(
          space: space, base: VersionVector(), covers: vector, horizon: VersionVector(), cells: [])),
      .batch(
        Batch(
          space: space, base: VersionVector(), covers: VersionVector(), horizon: vector, cells: [])),
    ]
    for frame in frames {
      let (lab, pipe) = stranger()
      lab.create(0, anchors: 1...1)
      let before = lab.state(0).digest
      lab.receive([.hello(hello(1)), frame], pipe, at: 0)
      #expect(lab.farewells(0).map(\.reason) == [.identity])
      #expect(lab.state(0).digest == before)
      #expect(lab.edit(0, [.name("goes on")]) != nil)
    }
  }

  @Test func `a copied store is told from oneself`() {
    #expect(reason([.hello(hello(0, incarnation: 2))]) == .identity)
    #expect(reason([.hello(hello(0, incarnation: 1))]) == .ownself)
  }

  @Test func `a vector never grows beyond what a store can read again`() {
    func vector(_ numbers: Range<Int>) -> VersionVector {
      var vector = VersionVector()
      for number in numbers { vector[replica(number)] = 1 }
      return vector
    }
    let room = Limits.replicas - 1
    for (count, expected) in [(room, nil), (room + 1, Farewell.Reason.malformed)] {
      let (lab, pipe) = stranger()
      lab.create(0, anchors: 1...1)
      let told = have(space, vector(1..<1 + count))
      lab.receive([.hello(hello(1)), told], pipe, at: 0)
      #expect(lab.farewells(0).first?.reason == expected)
    }
  }

  @Test func `only the spaces that a peer tells of count towards its limit`() {
    func told(_ count: Int) -> [Frame] {
      (0..<count).map { have(SpaceID(UInt128($0 + 1)), VersionVector()) }
    }
    for (count, expected) in [(Limits.spaces, nil), (Limits.spaces + 1, .malformed)]
      as [(Int, Farewell.Reason?)]
    {
      let (lab, pipe) = stranger()
      for number in 0..<50 { lab.engines[0].join(SpaceID(UInt128(1 << 40 + number)), at: lab.now) }
      lab.settle(0)
      lab.receive([.hello(hello(1))] + told(count), pipe, at: 0)
      #expect(lab.farewells(0).first?.reason == expected)
    }
  }

  @Test func `batches that were not asked for are ignored`() {
    let (lab, pipe) = stranger()
    var covers = VersionVector()
    covers[replica(8)] = 1
    let cells = [change(at: 5)].map { Cell(operation: $0.operations[0], stamp: $0.stamp) }
    let batch = Batch(
      space: space, base: VersionVector(), covers: covers, horizon: covers, cells: CellTable(cells))
    lab.receive([.hello(hello(1)), .batch(batch)], pipe, at: 0)
    #expect(lab.farewells(0).isEmpty && lab.picture[0] == "")
    var elsewhere = batch
    elsewhere.space = SpaceID(99)
    lab.receive([.batch(elsewhere), .change(SpaceID(99), change(at: 5))], pipe, at: 0)
    #expect(lab.farewells(0).isEmpty && lab.engines[0].rooms.keys == [space])
  }

  @Test func `a change behind a gap is not applied`() {
    let (lab, pipe) = stranger()
    lab.receive([.hello(hello(1)), .change(space, change(at: 5, sequence: 2))], pipe, at: 0)
    #expect(lab.farewells(0).isEmpty && lab.picture[0] == "")
  }

  @Test func `equal vectors with another digest are an alarm`() {
    let (lab, pipe) = stranger()
    let frame = have(space, VersionVector(), digest: 1)
    lab.receive([.hello(hello(1)), frame], pipe, at: 0)
    #expect(lab.events[0].contains { if case .diverged = $0 { true } else { false } })
  }
}
