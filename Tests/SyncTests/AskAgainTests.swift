import HyperbasisCore
import HyperbasisSync
import Testing

/// Anchors that batches name by writes, and what is asked when one is not found.
struct AskAgainTests {
  private func made(_ number: Int) -> Operation {
    .existence(anchor(number), Existence(created: 1))
  }

  private func deleted(_ number: Int) -> Operation {
    .existence(anchor(number), Existence(created: 1, deleted: 2))
  }

  /// Starts a peer anew, of what is durable: it remembers no write that was superseded.
  private func restart(_ number: Int, in lab: Lab, incarnation: UInt64 = 2) {
    for pipe in lab.pipes.indices where lab.engines[number].linkIDs.contains(lab.pipes[pipe].link) {
      lab.cut(pipe)
    }
    let spaces = lab.disks[number].map { stored in
      let cells = stored.state.delta(since: VersionVector()).cells
      return StoredSpace(
        state: try! SpaceState(id: space, vector: stored.state.vector, cells: cells),
        history: stored.history)
    }
    lab.engines[number] = Engine(
      local: hello(number, incarnation: incarnation), spaces: spaces,
      tuning: lab.engines[number].tuning)
  }

  private func wants(_ pipe: Int, from side: Int, in lab: Lab) -> [Bool] {
    lab.pipes[pipe].sent[side].compactMap {
      if case .want(_, _, let byIDs) = $0 { byIDs } else { nil }
    }
  }

  private func namesByWrites(_ pipe: Int, from side: Int, in lab: Lab) -> [Bool] {
    lab.pipes[pipe].sent[side].compactMap {
      if case .batch(let batch) = $0 { batch.cells.hasUntold } else { nil }
    }
  }

  /// Two peers that both have anchors 1 to 3, which the second one deleted and remembers nothing else of, and the first
  /// one edited.
  private func parted() -> Lab {
    let lab = Lab(2)
    for number in 1...3 { lab.edit(0, [made(number)]) }
    lab.connect(0, 1)
    lab.pump()
    lab.cut(0)
    for number in 1...3 {
      lab.set(0, "k", number, anchor: number)
      lab.edit(1, [deleted(number)])
    }
    return lab
  }

  @Test func `a known anchor is not named by its id`() {
    let lab = parted()
    let pipe = lab.connect(0, 1)
    lab.pump()
    #expect(lab.isConverged)
    #expect(namesByWrites(pipe, from: 0, in: lab) == [true])
    #expect(wants(pipe, from: 1, in: lab) == [false])
  }

  @Test func `an anchor that is not found is asked for again, by its id`() {
    let lab = parted()
    restart(1, in: lab)
    let pipe = lab.connect(0, 1)
    // Asked before the first peer gets the deletions, by which it could name them.
    for (side, frames) in [(1, 1), (0, 2), (1, 2)] { lab.move(pipe, from: side, most: frames) }
    lab.move(pipe, from: 0)
    lab.pump()
    #expect(lab.isConverged)
    #expect(namesByWrites(pipe, from: 0, in: lab) == [true, false])
    #expect(wants(pipe, from: 1, in: lab) == [false, true])
    #expect(lab.state(1).stamp(of: .metadata(anchor(1), "k")) != nil)
    #expect(lab.farewells(1).allSatisfy { $0.reason == .leaving })
  }

  @Test func `a peer that was asked for ids names none by writes, until it is asked anew`() {
    let lab = parted()
    let pipe = lab.connect(0, 1)
    let base = lab.state(1).vector
    lab.receive([.hello(hello(1)), .want(space, since: base, byIDs: true)], pipe, at: 0)
    lab.move(pipe, from: 0)
    lab.receive([.want(space, since: base)], pipe, at: 0)
    lab.move(pipe, from: 0)
    #expect(namesByWrites(pipe, from: 0, in: lab) == [false, true])
  }

  /// A peer of the first one of ``parted()`` that sends what is given here.
  private func batch(
    from sender: SpaceState, to base: VersionVector, named known: VersionVector?
  ) -> Frame {
    let part = sender.part(after: base, budget: .max)
    return .batch(
      Batch(
        space: space, base: base, covers: part.covers, horizon: sender.vector, cells: part.cells,
        names: known.flatMap { WriteNamer(of: part, of: sender, within: $0) }))
  }

  @Test func `a batch that was on its way when ids were asked for is ignored`() {
    let lab = parted()
    restart(1, in: lab)
    let (sender, base) = (lab.state(0), lab.state(1).vector)
    let pipe = lab.connect(1, 0)
    lab.receive([.hello(hello(0)), have(space, sender.vector)], pipe, at: 1)
    lab.move(pipe, from: 0)
    for _ in 0..<3 {
      lab.receive([batch(from: sender, to: base, named: base)], pipe, at: 1)
      lab.move(pipe, from: 0)
      #expect(lab.state(1).vector == base)
    }
    #expect(wants(pipe, from: 0, in: lab) == [false, true])
    lab.receive([batch(from: sender, to: base, named: nil)], pipe, at: 1)
    #expect(lab.state(1).vector.covers(sender.vector))
    #expect(lab.farewells(1).allSatisfy { $0.reason == .leaving })
  }

  @Test func `an anchor that is named by a write which was not there ends the link`() {
    let lab = parted()
    let sender = lab.state(0)
    var first = VersionVector()
    first[replica(0)] = 1
    for (index, base) in [VersionVector(), first].enumerated() {
      let pipe = lab.connect(1, 0)
      lab.receive([.hello(hello(0)), have(space, sender.vector)], pipe, at: 1)
      lab.move(pipe, from: 0)
      lab.receive([batch(from: sender, to: base, named: lab.state(1).vector)], pipe, at: 1)
      #expect(lab.farewells(1).filter { $0.reason == .malformed }.count == index + 1)
      lab.cut(pipe)
    }
  }

  @Test func `what goes on beyond a catch-up that broke off is asked for by ids`() {
    var tuning = Tuning()
    tuning.batchBytes = 1
    let lab = Lab(3, tuning: tuning)
    for number in 1...4 { lab.edit(0, [made(number)]) }
    for other in 1...2 { lab.connect(0, other) }
    lab.pump()
    lab.cut(1)
    for number in 1...4 { lab.set(0, "k", number, anchor: number) }
    lab.pump()
    let broken = lab.connect(0, 2)
    lab.move(broken, from: 1)
    lab.move(broken, from: 0, most: 2)
    lab.move(broken, from: 1)
    lab.move(broken, from: 0, most: 2)
    lab.cut(broken)
    let next = lab.connect(1, 2)
    lab.pump()
    #expect(lab.isConverged)
    #expect(wants(broken, from: 1, in: lab) == [false])
    #expect(wants(next, from: 1, in: lab).first == true)
    #expect(!namesByWrites(next, from: 0, in: lab).contains(true))
  }

  /// Peers that part, edit, delete, restore and start anew by chance come to the same, though anchors are not found.
  @Test func `two peers with any edits converge, found or asked for again`() {
    var (named, asked) = (0, 0)
    for seed in 1...60 as ClosedRange<UInt64> {
      var chance = Chance(state: seed)
      var tuning = Tuning()
      if seed.isMultiple(of: 2) { tuning.batchBytes = 1 }
      let lab = Lab(2, tuning: tuning)
      for round in 1...4 as ClosedRange<UInt64> {
        for _ in 0..<Int.random(in: 2...12, using: &chance) {
          lab.edit(.random(in: 0...1, using: &chance), operations(&chance))
        }
        for number in 0...1 where Bool.random(using: &chance) {
          restart(number, in: lab, incarnation: round + 1)
        }
        let pipe = lab.connect(0, 1)
        lab.pass(1_000)
        #expect(lab.isConverged, "seed \(seed), round \(round)")
        for side in 0...1 {
          named += namesByWrites(pipe, from: side, in: lab).count { $0 }
          asked += wants(pipe, from: side, in: lab).count { $0 }
        }
        lab.cut(pipe)
      }
      #expect(lab.events.joined().allSatisfy { if case .diverged = $0 { false } else { true } })
    }
    #expect(named > 100 && asked > 10, "\(named) batches named by writes, \(asked) asked again")
  }

  private func operations(_ chance: inout Chance) -> [Operation] {
    (0..<Int.random(in: 1...2, using: &chance)).map { index in
      let number = 2 * Int.random(in: 1...4, using: &chance) + index
      switch Int.random(in: 0..<6, using: &chance) {
      case 0: return .metadata(anchor(number), "k", .int(.random(in: 0...9, using: &chance)))
      case 1: return .transform(anchor(number), .identity)
      case 2: return deleted(number)
      case 3: return .existence(anchor(number), Existence(created: 1, restored: 3))
      default: return made(number)
      }
    }
  }
}
