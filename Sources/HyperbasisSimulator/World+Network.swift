import HyperbasisSync

extension World {
  /// The peers that a peer may dial, and that may dial it.
  func neighbours(of number: Int) -> [Int] {
    let count = options.peers
    switch options.topology {
    case .full: return (0..<count).filter { $0 != number }
    case .chain: return [number - 1, number + 1].filter { (0..<count).contains($0) }
    case .ring:
      let sides = [(number + count - 1) % count, (number + 1) % count]
      return sides[0] == sides[1] ? [sides[0]] : sides
    case .star: return number == 0 ? Array(1..<count) : [0]
    }
  }

  func isBlocked(from: Int, to: Int) -> Bool {
    blocks[from * options.peers + to] > 0
  }

  /// Dials neighbours that no link leads to, and now and then others as well.
  func dial(_ number: Int) {
    schedule(.dial(number), in: random.within(200...800))
    guard let engine = nodes[number].engine else { return }
    let connected = engine.peers.map(\.replica)
    for other in neighbours(of: number) {
      let isUnderWay = nodes[number].wires.contains { index in
        let wire = wires[index]
        return wire.ends[1 - wire.side(of: number)].node == other && wire.made + 3_000 > now
      }
      let isWanted =
        connected.contains(nodes[other].replica) || isUnderWay
        ? !isHealed && random.chance(options.needlessDial) : random.chance(Ratio(3, in: 4))
      guard isWanted, nodes[other].engine != nil, !isBlocked(from: number, to: other),
        !isBlocked(from: other, to: number)
      else { continue }
      connect(number, other)
    }
  }

  private func connect(_ number: Int, _ other: Int) {
    note("dial", number, UInt64(other))
    counts.links += 1
    let ends = [number, other].map { Wire.End(node: $0, boot: nodes[$0].boot) }
    wires.append(Wire(made: now, ends: ends))
    for side in 0...1 {
      schedule(.opened(wire: wires.count - 1, side: side), in: random.within(options.delay))
    }
  }

  /// Whether an end belongs to a peer that still runs and has the link.
  private func isAlive(_ wire: Int, _ side: Int) -> Bool {
    let end = wires[wire].ends[side]
    return !end.isClosed && nodes[end.node].engine != nil && nodes[end.node].boot == end.boot
  }

  func opened(_ wire: Int, _ side: Int) {
    guard isAlive(wire, side) else { return }
    note("opened", wires[wire].ends[side].node, UInt64(wire))
    give(.opened(wire: wire), to: wires[wire].ends[side].node)
  }

  /// Pulls frames while the wire has room.
  func send(_ wire: Int, from number: Int) {
    let side = wires[wire].side(of: number)
    guard !wires[wire].ends[side].isClosed else { return }
    let link = LinkID(UInt64(wire))
    let time = time(at: number)
    while wires[wire].streams[side].count < Wire.window,
      let frame = nodes[number].engine!.nextFrame(for: link, at: time)
    {
      note("frame", number, UInt64(wire), bytes: frame)
      counts.bytes += frame.count
      let isKeepAlive = frame.count == 5 && (frame[4] == 6 || frame[4] == 7)
      if !isKeepAlive { counts.frames += 1 }
      if frame[4] == 5 { changeFrames += 1 }
      if frame[4] == 3 { counts.requests += 1 }
      if frame[4] == 8 { counts.historyRequests += 1 }
      // On a cut wire nothing arrives any more, but its window fills all the same.
      wires[wire].streams[side].append(frame)
    }
    readHistory(for: wire, at: number)
    scheduleDelivery(wire, side)
  }

  private func scheduleDelivery(_ wire: Int, _ side: Int) {
    let stream = wires[wire].streams[side]
    guard !stream.isScheduled, !wires[wire].isCut, stream.count > 0 || stream.isEnding else {
      return
    }
    wires[wire].streams[side].isScheduled = true
    schedule(.deliver(wire: wire, side: side), in: random.within(options.delay))
  }

  /// A chunk of what `side` sent arrives at the other end.
  func deliver(_ wire: Int, _ side: Int) {
    wires[wire].streams[side].isScheduled = false
    let from = wires[wire].ends[side]
    let to = wires[wire].ends[1 - side]
    guard !wires[wire].isCut, isAlive(wire, 1 - side) else { return }
    if isBlocked(from: from.node, to: to.node) || !to.isOpen {
      wires[wire].streams[side].isScheduled = true
      return schedule(.deliver(wire: wire, side: side), in: 20)
    }
    let count = wires[wire].streams[side].count
    guard count > 0 else {
      if wires[wire].streams[side].isEnding { lost(wire, 1 - side) }
      return
    }
    let most = random.chance(Ratio(1, in: 5)) ? 40 : isHealed ? 40_000 : options.arrival
    let bytes = wires[wire].streams[side].take(random.within(1...min(most, count)))
    note("bytes", to.node, UInt64(wire), bytes: bytes)
    give(.bytes(wire: wire, bytes), to: to.node)
    scheduleDelivery(wire, side)
    if isAlive(wire, side), from.isOpen, wires[wire].streams[side].count < Wire.window / 2 {
      give(.writable, to: from.node)
    }
  }

  /// A side learns that the connection is no more.
  func lost(_ wire: Int, _ side: Int) {
    guard isAlive(wire, side), wires[wire].ends[side].isOpen else {
      wires[wire].ends[side].isClosed = true
      return
    }
    note("lost", wires[wire].ends[side].node, UInt64(wire))
    give(.lost(wire: wire), to: wires[wire].ends[side].node)
  }

  /// A peer closes its end; the other learns of it after the last byte.
  func close(_ wire: Int, at number: Int, reason: String) {
    let side = wires[wire].side(of: number)
    guard !wires[wire].ends[side].isClosed else { return }
    wires[wire].ends[side].isClosed = true
    nodes[number].wires.removeAll { $0 == wire }
    nodes[number].engine!.close(LinkID(UInt64(wire)), reason: reason, at: time(at: number))
    wires[wire].streams[side].isEnding = true
    scheduleDelivery(wire, side)
  }

  /// Breaks a wire: some of what is under way still arrives, cut at any byte.
  func cut(_ wire: Int) {
    guard !wires[wire].isCut else { return }
    note("cut", wires[wire].ends[0].node, UInt64(wire))
    counts.cuts += 1
    for side in 0...1 {
      let keep = random.within(0...wires[wire].streams[side].count)
      let bytes = wires[wire].streams[side].take(keep)
      let end = wires[wire].ends[1 - side]
      if keep > 0, end.isOpen, isAlive(wire, 1 - side) {
        note("bytes", end.node, UInt64(wire), bytes: bytes)
        give(.bytes(wire: wire, bytes), to: end.node)
      }
    }
    wires[wire].isCut = true
    for side in 0...1 where !random.chance(options.silentLoss) {
      schedule(.lost(wire: wire, side: side), in: random.within(0...2_000))
    }
  }
}
