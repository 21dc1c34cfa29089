import HyperbasisCore
import HyperbasisSync

/// What goes wrong, and the end of it.
extension World {
  func inject(_ fault: Fault) {
    guard !isHealed else { return }
    let node = nodes[Int(fault.first) % nodes.count]
    let size = Int(fault.second)
    counts.faults[fault.kind, default: 0] += 1
    switch fault.kind {
    case .cut: cutAny(fault)
    case .crash: crash(node, fault)
    case .stop: stop(node, size)
    case .partition: part(fault)
    case .clog: clog(node, fault)
    case .clockStep:
      node.clock.skew = size % 200_001 - 100_000
      trace.note(.clockStep, at: now, node.number, UInt64(size % 200_001))
    case .clockFreeze:
      node.clock.frozen = (now, now + UInt64(size % 30_000))
      trace.note(.clockFreeze, at: now, node.number, UInt64(size % 30_000))
    case .slowDisk:
      node.slowUntil = now + UInt64(size % 5_000)
      trace.note(.slowDisk, at: now, node.number, UInt64(size % 5_000))
    case .fullDisk:
      node.fullUntil = now + UInt64(size % 5_000)
      trace.note(.fullDisk, at: now, node.number, UInt64(size % 5_000))
    case .lostTail, .restore, .clone: replace(node, fault)
    case .wrongClock:
      node.clock.wrong = (WallClock.error(size), now + UInt64(size % 60_000))
      trace.note(.wrongClock, at: now, node.number, UInt64(size))
    }
  }

  // MARK: Links

  private func cutAny(_ fault: Fault) {
    let open = wires.filter { !$0.isCut && !$0.ends[0].isClosed }
    guard !open.isEmpty else { return }
    cut(open[Int(fault.first) % open.count])
  }

  /// Breaks a wire: some of what is under way still arrives, cut at any byte.
  private func cut(_ wire: Wire) {
    guard !wire.isCut else { return }
    trace.note(.cut, at: now, wire.ends[0].node, UInt64(wire.number))
    for side in 0...1 {
      let keep = network.within(0...wire.streams[side].count)
      let bytes = wire.streams[side].take(keep)
      let end = wire.ends[1 - side]
      if keep > 0, end.isOpen, isAlive(wire, 1 - side) {
        trace.note(.bytes, at: now, end.node, UInt64(wire.number), bytes: bytes)
        give(.bytes(wire, bytes), to: nodes[end.node])
      }
    }
    wire.isCut = true
    for side in 0...1 where !network.chance(options.silentLoss) {
      schedule(.lost(wire, side: side), in: network.within(0...2_000))
    }
  }

  private func clog(_ node: Node, _ fault: Fault) {
    let other = Int(fault.second) % nodes.count
    clogs[node.number * options.peers + other] = now + UInt64(fault.second % 10_000)
    trace.note(.clog, at: now, node.number, UInt64(other))
  }

  /// Blocks some pairs of peers for a while.
  private func part(_ fault: Fault) {
    let count = options.peers
    let lonely = Int(fault.first) % count
    let kind = Int(fault.second) % 4
    func side(_ number: Int) -> UInt32 { fault.first >> UInt32(number % 32) & 1 }
    var blocked: [Int] = []
    for from in 0..<count {
      for to in 0..<count where from != to {
        let isBlocked =
          switch kind {
          case 0: from == lonely && to == (lonely + 1) % count
          case 1: from == lonely || to == lonely
          case 2: side(from) != side(to)
          default: abs(from - to) > 1
          }
        if isBlocked { blocked.append(from * count + to) }
      }
    }
    trace.note(.partition, at: now, lonely, UInt64(kind))
    for pair in blocked { blocks[pair] += 1 }
    schedule(.mend(blocked), in: 100 + Int(fault.second / 4) % 12_000)
  }

  func mend(_ pairs: [Int]) {
    guard !isHealed else { return }
    trace.note(.mend, at: now, 0, UInt64(pairs.count))
    for pair in pairs { blocks[pair] -= 1 }
    resumeDeliveries()
  }

  private func resumeDeliveries() {
    for wire in wires where !wire.isCut {
      for side in 0...1 { scheduleDelivery(wire, side) }
    }
  }

  // MARK: Peers

  /// A peer stops without a word. A commit that was under way is on the disk or is not.
  private func crash(_ node: Node, _ fault: Fault) {
    guard node.isUp else { return }
    trace.note(.crash, at: now, node.number, 0)
    if node.writes != nil, fault.second & 1 == 0 { makeDurable(node) }
    tearDown(node)
    node.disk.crash()
    schedule(.restart(node.number), in: 10 + Int(fault.second / 2) % 3_000)
  }

  func tearDown(_ node: Node) {
    let severed = wires.filter { wire in
      !wire.isCut && wire.ends.contains { $0.node == node.number && $0.boot == node.boot }
    }
    node.stop()
    for wire in severed { cut(wire) }
  }

  /// A peer says farewell and stops; what it sent still arrives.
  private func stop(_ node: Node, _ size: Int) {
    guard node.isUp else { return }
    trace.note(.stop, at: now, node.number, 0)
    if node.writes != nil {
      makeDurable(node)
      node.engine.committed()
    }
    for wire in node.wires {
      node.engine.end(
        LinkID(UInt64(wire.number)), with: Farewell(.leaving, "it stops"), at: time(at: node))
    }
    for wire in node.wires {
      send(wire, from: node)
      close(wire, at: node, reason: "it stops")
    }
    node.stop()
    schedule(.restart(node.number), in: 10 + size % 3_000)
  }

  /// A peer's disk is replaced by an older copy of itself, or by a copy of another's.
  private func replace(_ node: Node, _ fault: Fault) {
    let size = Int(fault.second)
    let other = nodes[(node.number + 1 + size % max(1, nodes.count - 1)) % nodes.count]
    if fault.kind != .clone && node.backupCount == 0 { return }
    let kind: Trace.Kind =
      switch fault.kind {
      case .lostTail: .lostTail
      case .restore: .restore
      default: .clone
      }
    trace.note(kind, at: now, node.number, UInt64(size))
    if node.isUp { tearDown(node) }
    let before = node.disk.kept
    let replica = ReplicaID(UInt128(identities.next()) << 64 | UInt128(identities.next()))
    switch fault.kind {
    case .lostTail: node.restore(commitsAgo: size % 4, as: replica)
    case .restore: node.restore(commitsAgo: size % node.backupCount, as: replica)
    default: node.become(other, as: replica)
    }
    model.forget(before, but: nodes.map(\.disk.kept))
    schedule(.restart(node.number), in: 10 + size % 1_000)
  }

  // MARK: Healing

  /// The end of all faults: every peer runs and joins every space, every neighbour can be dialled.
  func heal() {
    guard failure == nil else { return }
    trace.note(.heal, at: now, 0, 0)
    isHealed = true
    for pair in blocks.indices { blocks[pair] = 0 }
    resumeDeliveries()
    for node in nodes {
      node.clock.wrong = nil
      start(node)
      for space in spaceIDs { give(.join(space), to: node) }
      noteRenewal(of: node)
    }
  }
}
