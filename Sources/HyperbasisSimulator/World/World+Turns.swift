import HyperbasisCore
import HyperbasisSync

/// What each peer's driver does: it feeds its engine, waits for the disk, and lets out what came of it.
extension World {
  /// The time as a peer reads it.
  func time(at node: Node) -> Now {
    let wall = options.clocks == .frozen ? World.epoch : node.clock.time(at: now)
    return Now(monotonic: 1_000 + now, wall: wall)
  }

  func start(_ node: Node) {
    guard !node.isUp else { return }
    var tuning = Tuning()
    tuning.batchBytes = options.batchBytes
    tuning.recentBytes = options.recentBytes
    tuning.mapChunkBytes = SimulatedMap.chunkBytes
    tuning.blobPartBytes = 20
    do { try node.start(tuning: tuning, incarnation: identities.next()) } catch {
      return fail("reload", at: node, "it cannot start: \(error)")
    }
    for space in spaceIDs { node.engine.watch(space) }
    trace.note(.start, at: now, node.number, UInt64(node.boot))
    check(node)
  }

  /// Gives an input to a peer: now, or after the commit that is under way.
  func give(_ input: Input, to node: Node) {
    guard node.isUp else { return }
    node.inbox.append(input)
    if node.writes == nil { takeTurns(node) }
  }

  /// Works off the inbox: each turn takes one or several inputs, then waits for the disk.
  private func takeTurns(_ node: Node) {
    while failure == nil, node.writes == nil, !node.inbox.isEmpty {
      let most = node.inbox.count
      let count = most == 1 || driver.chance(Ratio(1, in: 2)) ? 1 : driver.within(1...most)
      let inputs = count == most ? node.inbox : Array(node.inbox.prefix(count))
      if count == most { node.inbox = [] } else { node.inbox.removeFirst(count) }
      for input in inputs { take(input, at: node) }
      endTurn(node)
    }
  }

  private func take(_ input: Input, at node: Node) {
    let time = time(at: node)
    switch input {
    case .opened(let wire):
      wire.ends[wire.side(of: node.number)].isOpen = true
      node.wires.append(wire)
      node.engine.open(LinkID(UInt64(wire.number)), at: time)
      scheduleDelivery(wire, 1 - wire.side(of: node.number))
    case .bytes(let wire, let bytes):
      let known = membered(at: node)
      node.engine.receive(bytes, on: LinkID(UInt64(wire.number)), at: time)
      noteJoins(of: known, at: node)
    case .lost(let wire): close(wire, at: node, reason: "the connection broke")
    case .operation(let step): perform(step, at: node, time)
    case .rename(let space, let name): edit(space, [.name(name)], at: node, time)
    case .read(let wire, let read, let changes): supply(changes, for: read, on: wire, at: node)
    case .join(let space): node.engine.join(space, at: time)
    case .tick: node.engine.tick(at: time)
    case .writable: break
    }
  }

  private func perform(_ step: Step, at node: Node, _ time: Now) {
    let space = spaceIDs[step.space]
    guard let state = node.ask({ $0.rooms[space]?.state }) else {
      return node.engine.join(space, at: time)
    }
    if let app { return perform(step, of: app, at: node, state, time) }
    if let action = step.actions.first, action.kind == .retain || action.kind == .retire {
      return keep(action, in: space, at: node, time)
    }
    let operations = step.operations(on: state, wall: time.wall, options)
    for case .worldMap(let map?) in operations {
      node.maps.put(map)
      node.engine.piecesWereStored()
    }
    edit(space, operations, past: step.past, at: node, time)
  }

  /// A peer makes a change, if there is something to write: now, or as of some time ago.
  func edit(
    _ space: SpaceID, _ operations: [Operation], past: Step.Past = .now,
    of actions: [Step.Action] = [], at node: Node, _ time: Now
  ) {
    guard let before = node.ask({ $0.rooms[space]?.state }) else { return }
    let checker = EditChecker(asked: operations, on: before)
    let made = make(operations, past: past, in: space, at: node, time)
    if past == .now {
      let after = node.ask { $0.rooms[present: space].state }
      if let text = checker.fault(of: made, in: after) { fail("edit", at: node, text) }
    }
    guard let change = made else { return }
    counts.edits += 1
    // A change that was rolled back has left its dot to this one.
    if app != nil { appActions[AppChange(space: space, dot: change.dot)] = actions }
    node.edits.append((space, change))
    if past == .now,
      let text = CausalityChecker.fault(
        of: change, in: node.ask { $0.rooms[present: space].state })
    {
      fail("causality", at: node, text)
    }
  }

  private func make(
    _ operations: [Operation], past: Step.Past, in space: SpaceID, at node: Node, _ time: Now
  ) -> Change? {
    switch past {
    case .now: return node.engine.edit(space, operations, at: time)
    case .thisMillisecond:
      // The last moment of this millisecond: what follows within it carries into the next one.
      let timestamp = Timestamp(milliseconds: time.wall, counter: .max)
      let later = Now(monotonic: time.monotonic, wall: time.wall + 1)
      return node.engine.record(space, operations, timestamp: timestamp, at: later)
    case .millisecond, .second, .minute, .quarter:
      let timestamp = Timestamp(milliseconds: time.wall - past.milliseconds!)
      return node.engine.record(space, operations, timestamp: timestamp, at: time)
    }
  }

  private func endTurn(_ node: Node) {
    checkClock(of: node)
    guard let writes = node.engine.takeWrites() else { return flush(node) }
    node.writes = writes
    // A hasty driver: nothing may come out before the commit, and what does is sent.
    for wire in node.wires { send(wire, from: node) }
    takeEvents(node)
    let isRefused = disks.chance(options.commitFailure) || now < node.fullUntil
    let delay = disks.within(options.commitDelay) * (now < node.slowUntil ? 20 : 1)
    schedule(.commit(node.number, boot: node.boot, fails: !isHealed && isRefused), in: delay)
  }

  func finishCommit(_ node: Node, fails: Bool) {
    trace.note(fails ? .commitFailed : .committed, at: now, node.number, 0)
    if fails {
      counts.failedCommits += 1
      node.writes = nil
      node.edits = []
      node.joined = []
      do {
        let durable = try node.disk.load()
        node.engine.rollBack(to: durable, reason: "no space", at: time(at: node))
      } catch {
        fail("reload", at: node, "it cannot roll back: \(error)")
      }
    } else {
      makeDurable(node)
      node.engine.committed()
    }
    flush(node)
    if fails { checkObserver(of: node) }
    takeTurns(node)
  }

  /// The disk has the turn's writes; its edits count as made.
  func makeDurable(_ node: Node) {
    let writes = node.writes!
    for write in writes {
      for row in write.changes.indices {
        let isOwn = write.changes[row].change.stamp.dot.replica == node.replica
        let count = write.changes[row].change.operations.count
        if isOwn { counts.operations += count } else { counts.applications += count }
      }
    }
    node.disk.commit(writes)
    node.writes = nil
    for join in node.joined { note(join, at: node) }
    let edits = Set(node.edits.map(\.change.dot))
    for (space, change) in allEdits(of: node, with: writes) {
      let join = edits.contains(change.dot) ? nil : node.joined.last { $0.before.id == space }
      let text = model.record(
        change, in: space, rebirths: rebirths(by: change, in: space, at: node),
        known: node.ask { $0.rooms[space]?.state.vector } ?? VersionVector(), join: join)
      if let text {
        fail("sequences", at: node, text)
      }
    }
    node.edits = []
    node.joined = []
    if keepsBackups && !isHealed { node.backUp() }
  }

  /// Takes out events and frames, closes what has ended, and sees to the next tick.
  private func flush(_ node: Node) {
    takeEvents(node)
    for wire in node.wires { send(wire, from: node) }
    workOnMaps(node)
    for wire in node.wires where node.ask({ $0.isFinished(LinkID(UInt64(wire.number))) }) {
      close(wire, at: node, reason: "closed")
    }
    takeEvents(node)
    noteRenewal(of: node)
    guard let deadline = node.ask({ $0.nextDeadline() }) else { return }
    // What is due but cannot be sent yet is looked at again a little later.
    let due = max(deadline, 1_000 + now + 20) - 1_000
    if let earlier = node.tickAt, earlier <= due { return }
    node.tickAt = due
    queue.schedule(.tick(node.number, boot: node.boot), at: due)
  }

  func takeEvents(_ node: Node) {
    var hasChanged = false
    while let event = node.engine.nextEvent() {
      observe(event, at: node)
      if case .became = event { hasChanged = true }
    }
    if hasChanged { checkApp(node) }
  }

  private func observe(_ event: Event, at node: Node) {
    switch event {
    case .diverged(let space, let peer):
      fail("digest", at: node, "it differs from \(peer.name) in \(space)")
    case .linkEnded(_, _, let farewell):
      trace.note(.linkEnded, at: now, node.number, UInt64(farewell.reason.rawValue))
      switch farewell.reason {
      case .leaving, .duplicate, .silent, .storage: break
      case .malformed where isOfDamage(farewell): break
      case .clock where counts.faults[.wrongClock] != nil: break
      case .ownself, .version, .malformed, .clock, .busy, .identity:
        fail("links", at: node, "an honest link was ended: \(farewell)")
      }
    case .became(let space, let record, let anchors, _):
      node.observer.take(space, record, anchors)
    case .mapProgress(let space, let progress) where progress.isWhole:
      node.maps.noteWhole(progress.reference, of: space)
    case .changed, .told, .connected, .gone, .offered, .mapProgress: break
    }
  }
}
