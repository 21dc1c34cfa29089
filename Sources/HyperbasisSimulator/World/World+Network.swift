import HyperbasisSync

/// Who dials whom, and how bytes come from one to the other.
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

  // MARK: Links

  /// Dials neighbours that no link leads to, and now and then others as well.
  func dial(_ node: Node) {
    schedule(.dial(node.number), in: driver.within(200...800))
    guard node.isUp else { return }
    for other in neighbours(of: node.number) {
      let isUnderWay = node.wires.contains { wire in
        wire.ends[1 - wire.side(of: node.number)].node == other && wire.made + 3_000 > now
      }
      let isWanted =
        node.ask({ $0.openLinkCount(to: nodes[other].replica) }) > 0 || isUnderWay
        ? !isHealed && driver.chance(options.needlessDial) : driver.chance(Ratio(3, in: 4))
      guard isWanted, nodes[other].isUp, !isBlocked(from: node.number, to: other),
        !isBlocked(from: other, to: node.number)
      else { continue }
      connect(node, nodes[other])
    }
  }

  private func connect(_ node: Node, _ other: Node) {
    trace.note(.dial, at: now, node.number, UInt64(other.number))
    counts.links += 1
    let ends = [node, other].map { Wire.End(node: $0.number, boot: $0.boot) }
    let wire = Wire(number: wires.count, made: now, ends: ends)
    wires.append(wire)
    for side in 0...1 { schedule(.opened(wire, side: side), in: network.within(options.delay)) }
  }

  /// Whether an end belongs to a peer that still runs and has the link.
  func isAlive(_ wire: Wire, _ side: Int) -> Bool {
    let end = wire.ends[side]
    return !end.isClosed && nodes[end.node].isUp && nodes[end.node].boot == end.boot
  }

  func opened(_ wire: Wire, _ side: Int) {
    guard isAlive(wire, side) else { return }
    trace.note(.opened, at: now, wire.ends[side].node, UInt64(wire.number))
    give(.opened(wire), to: nodes[wire.ends[side].node])
  }

  /// A side learns that the connection is no more.
  func lost(_ wire: Wire, _ side: Int) {
    guard isAlive(wire, side), wire.ends[side].isOpen else {
      wire.ends[side].isClosed = true
      return
    }
    trace.note(.lost, at: now, wire.ends[side].node, UInt64(wire.number))
    give(.lost(wire), to: nodes[wire.ends[side].node])
  }

  /// A peer closes its end; the other learns of it after the last byte.
  func close(_ wire: Wire, at node: Node, reason: String) {
    let side = wire.side(of: node.number)
    guard !wire.ends[side].isClosed else { return }
    wire.ends[side].isClosed = true
    node.wires.removeAll { $0 === wire }
    node.engine.close(LinkID(UInt64(wire.number)), reason: reason, at: time(at: node))
    wire.streams[side].isEnding = true
    scheduleDelivery(wire, side)
  }

  // MARK: Bytes

  /// Pulls frames while the wire has room.
  func send(_ wire: Wire, from node: Node) {
    let side = wire.side(of: node.number)
    guard !wire.ends[side].isClosed else { return }
    let link = LinkID(UInt64(wire.number))
    let time = time(at: node)
    wire.streams[side].isFull = false
    while let frame = node.engine.nextFrame(for: link, at: time) {
      count(frame)
      trace.note(.frame, at: now, node.number, UInt64(wire.number), bytes: frame)
      // On a cut wire nothing arrives any more, but its window fills all the same.
      wire.streams[side].append(frame)
      guard wire.streams[side].count < Wire.window else {
        wire.streams[side].isFull = true
        break
      }
    }
    if !wire.streams[side].isFull { readHistory(for: wire, at: node) }
    scheduleDelivery(wire, side)
  }

  private func count(_ frame: [UInt8]) {
    counts.bytes += frame.count
    let isKeepAlive = frame.count == 5 && (frame[4] == 6 || frame[4] == 7)
    if !isKeepAlive { counts.frames += 1 }
    if frame[4] == 3 { counts.requests += 1 }
    if frame[4] == 5 { changeFrames += 1 }
    if frame[4] == 8 { counts.historyRequests += 1 }
  }

  func scheduleDelivery(_ wire: Wire, _ side: Int) {
    guard !wire.streams[side].isScheduled, !wire.isCut, wire.ends[1 - side].isOpen,
      wire.streams[side].count > 0 || wire.streams[side].isEnding
    else { return }
    let pair = (wire.ends[side].node, wire.ends[1 - side].node)
    guard !isBlocked(from: pair.0, to: pair.1) else { return }
    wire.streams[side].isScheduled = true
    var delay = network.within(options.delay)
    if !isHealed {
      if network.chance(options.stragglers) { delay *= 10 }
      if now < clogs[pair.0 * options.peers + pair.1] { delay *= 50 }
    }
    schedule(.deliver(wire, side: side), in: delay)
  }

  /// A chunk of what `side` sent arrives at the other end.
  func deliver(_ wire: Wire, _ side: Int) {
    wire.streams[side].isScheduled = false
    let (from, to) = (wire.ends[side], wire.ends[1 - side])
    guard !wire.isCut, isAlive(wire, 1 - side), !isBlocked(from: from.node, to: to.node) else {
      return
    }
    let count = wire.streams[side].count
    guard count > 0 else {
      if wire.streams[side].isEnding { lost(wire, 1 - side) }
      return
    }
    let isCrumb = network.chance(options.crumbs)
    let most = isHealed ? count : min(options.arrival, count)
    let bytes = wire.streams[side].take(isCrumb ? network.within(1...min(40, most)) : most)
    trace.note(.bytes, at: now, to.node, UInt64(wire.number), bytes: bytes)
    give(.bytes(wire, bytes), to: nodes[to.node])
    scheduleDelivery(wire, side)
    if wire.streams[side].isFull, wire.streams[side].count < Wire.window / 2, isAlive(wire, side),
      from.isOpen
    {
      give(.writable, to: nodes[from.node])
    }
  }
}
