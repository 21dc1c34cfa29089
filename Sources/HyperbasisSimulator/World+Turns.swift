import HyperbasisCore
import HyperbasisSync

extension World {
  /// The time as a peer reads it.
  func time(at number: Int) -> Now {
    let wall: UInt64
    switch options.clocks {
    case .frozen: wall = World.epoch
    case .skewed: wall = UInt64(Int(World.epoch + now) + nodes[number].skew)
    }
    return Now(monotonic: 1_000 + now, wall: wall)
  }

  func start(_ number: Int) {
    guard nodes[number].engine == nil else { return }
    var tuning = Tuning()
    tuning.batchBytes = options.batchBytes
    tuning.recentBytes = options.recentBytes
    tuning.mapChunkBytes = SimulatedMap.chunkBytes
    tuning.blobPartBytes = 20
    do { try nodes[number].start(tuning: tuning, incarnation: random.next()) } catch {
      return fail("peer \(number) cannot start: \(error)")
    }
    note("start", number, UInt64(nodes[number].boot))
    beginChecks(of: number)
    check(number)
  }

  /// Gives an input to a peer: now, or after the commit that is under way.
  func give(_ input: Input, to number: Int) {
    guard nodes[number].engine != nil else { return }
    nodes[number].inbox.append(input)
    if nodes[number].writes == nil { takeTurns(number) }
  }

  /// Works off the inbox: each turn takes one or several inputs, then waits for the disk.
  private func takeTurns(_ number: Int) {
    while fault == nil, nodes[number].writes == nil, !nodes[number].inbox.isEmpty {
      let most = nodes[number].inbox.count
      let count = random.chance(Ratio(1, in: 2)) ? 1 : random.within(1...most)
      let inputs = Array(nodes[number].inbox.prefix(count))
      nodes[number].inbox.removeFirst(count)
      for input in inputs { take(input, at: number) }
      endTurn(number)
    }
  }

  private func take(_ input: Input, at number: Int) {
    let time = time(at: number)
    switch input {
    case .opened(let wire):
      wires[wire].ends[wires[wire].side(of: number)].isOpen = true
      nodes[number].wires.append(wire)
      nodes[number].engine!.open(LinkID(UInt64(wire)), at: time)
    case .bytes(let wire, let bytes):
      nodes[number].engine!.receive(bytes, on: LinkID(UInt64(wire)), at: time)
    case .lost(let wire): close(wire, at: number, reason: "the connection broke")
    case .operation(let step): perform(step, at: number, time)
    case .read(let wire, let read, let changes):
      supply(changes, for: read, on: wire, at: number)
    case .join(let space): nodes[number].engine!.join(space, at: time)
    case .tick: nodes[number].engine!.tick(at: time)
    case .writable: break
    }
  }

  private func perform(_ step: Step, at number: Int, _ time: Now) {
    let space = spaceIDs[step.space]
    guard let state = nodes[number].engine!.rooms[space]?.state else {
      nodes[number].engine!.join(space, at: time)
      return
    }
    let operations = step.operations(on: state, wall: time.wall)
    let checker = EditChecker(asked: operations, on: state)
    for case .map(let map?) in step.actions { nodes[number].maps.put(map: map) }
    let made = make(operations, past: step.past, in: space, at: number, time)
    if step.past == nil {
      let after = nodes[number].engine!.rooms[space]!.state
      if let text = checker.fault(of: made, in: after) { fail("peer \(number): \(text)") }
    }
    guard let change = made else { return }
    counts.edits += 1
    nodes[number].edits.append((space, change))
    guard step.past == nil else { return }
    let after = nodes[number].engine!.rooms[space]!.state
    if let text = CausalityChecker.fault(of: change, in: after) { fail("peer \(number): \(text)") }
  }

  private func make(
    _ operations: [Operation], past: Int?, in space: SpaceID, at number: Int, _ time: Now
  ) -> Change? {
    guard let past else { return nodes[number].engine!.edit(space, operations, at: time) }
    guard past == 0 else {
      let timestamp = Timestamp(milliseconds: time.wall - UInt64(past))
      return nodes[number].engine!.record(space, operations, timestamp: timestamp, at: time)
    }
    // The last moment of this millisecond: what follows within it carries into the next one.
    let timestamp = Timestamp(milliseconds: time.wall, counter: .max)
    let later = Now(monotonic: time.monotonic, wall: time.wall + 1)
    return nodes[number].engine!.record(space, operations, timestamp: timestamp, at: later)
  }

  private func endTurn(_ number: Int) {
    checkClock(of: number)
    guard let writes = nodes[number].engine!.takeWrites() else { return flush(number) }
    nodes[number].writes = writes
    // A hasty driver: nothing may come out before the commit, and what does is sent.
    for wire in nodes[number].wires { send(wire, from: number) }
    takeEvents(number)
    let fails = !isHealed && random.chance(options.commitFailure)
    let delay = random.within(options.commitDelay)
    schedule(.commit(number, boot: nodes[number].boot, fails: fails), in: delay)
  }

  func finishCommit(_ number: Int, fails: Bool) {
    note(fails ? "commit failed" : "committed", number, 0)
    if fails {
      counts.failedCommits += 1
      nodes[number].writes = nil
      nodes[number].edits = []
      do {
        let durable = try nodes[number].disk.load()
        nodes[number].engine!.rollBack(to: durable, reason: "no space", at: time(at: number))
      } catch {
        fail("peer \(number) cannot roll back: \(error)")
      }
    } else {
      makeDurable(number)
      nodes[number].engine!.committed()
    }
    flush(number)
    if fails { checkScreen(of: number) }
    takeTurns(number)
  }

  /// The disk has the turn's writes; its edits count as made.
  func makeDurable(_ number: Int) {
    nodes[number].disk.commit(nodes[number].writes!)
    nodes[number].writes = nil
    for (space, change) in nodes[number].edits {
      if let text = model.record(change, in: space) { fail("peer \(number): \(text)") }
    }
    nodes[number].edits = []
  }

  /// Takes out events and frames, closes what has ended, and sees to the next tick.
  private func flush(_ number: Int) {
    takeEvents(number)
    for wire in nodes[number].wires { send(wire, from: number) }
    workOnMaps(number)
    for wire in nodes[number].wires where nodes[number].engine!.isFinished(LinkID(UInt64(wire))) {
      close(wire, at: number, reason: "closed")
    }
    while nodes[number].engine!.nextEvent() != nil {}
    guard let deadline = nodes[number].engine!.nextDeadline() else { return }
    // What is due but cannot be sent yet is looked at again a little later.
    let due = max(deadline, 1_000 + now + 20) - 1_000
    if let earlier = nodes[number].tickAt, earlier <= due { return }
    nodes[number].tickAt = due
    queue.schedule(.tick(number, boot: nodes[number].boot), at: due)
  }

  func takeEvents(_ number: Int) {
    while let event = nodes[number].engine!.nextEvent() { observe(event, at: number) }
  }

  private func observe(_ event: Event, at number: Int) {
    switch event {
    case .diverged(let space, let peer):
      fail("peer \(number) differs from \(peer.name) in \(space)")
    case .linkEnded(_, _, let farewell):
      note("link ended", number, UInt64(farewell.reason.rawValue))
      switch farewell.reason {
      case .leaving, .duplicate, .silent, .storage: break
      case .malformed where isOfDamage(farewell): break
      case .ownself, .version, .malformed, .clock, .busy, .identity:
        fail("peer \(number) ended an honest link: \(farewell)")
      }
    case .mapProgress(let space, let progress) where progress.isWhole:
      nodes[number].maps.noteWhole(progress.reference, of: space)
    case .became(let space, let record, let anchors, _):
      nodes[number].screen.note(space, record, anchors)
    case .changed, .told, .connected, .gone, .offered, .mapProgress: break
    }
  }
}
