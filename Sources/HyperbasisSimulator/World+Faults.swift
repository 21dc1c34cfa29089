import HyperbasisCore
import HyperbasisSync

extension World {
  /// Rolls for each kind of fault, ten times a second until the network heals.
  func injectFaults() {
    guard !isHealed else { return }
    schedule(.faults, in: 100)
    if random.chance(options.cut) {
      let open = wires.indices.filter { !wires[$0].isCut && !wires[$0].ends[0].isClosed }
      if !open.isEmpty { cut(random.pick(open)) }
    }
    if random.chance(options.crash) {
      let number = random.below(nodes.count)
      if nodes[number].engine != nil {
        crash(number)
        schedule(.restart(number), in: random.within(10...3_000))
      }
    }
    if random.chance(options.partition) { part() }
    if options.clocks == .skewed && random.chance(options.clockStep) {
      let number = random.below(nodes.count)
      nodes[number].skew = random.within(-100_000...100_000)
      note("clock", number, UInt64(bitPattern: Int64(nodes[number].skew)))
    }
  }

  /// A peer stops without a word. A commit that was under way is on the disk or is not.
  func crash(_ number: Int) {
    counts.crashes += 1
    note("crash", number, 0)
    if nodes[number].writes != nil, random.chance(Ratio(1, in: 2)) { makeDurable(number) }
    let severed = wires.indices.filter { index in
      !wires[index].isCut && wires[index].ends.contains { $0.node == number }
    }
    nodes[number].stop()
    for wire in severed { cut(wire) }
  }

  /// Blocks some pairs of peers for a while: one direction, one peer, or two halves.
  private func part() {
    let count = options.peers
    let sides = (0..<count).map { _ in random.below(2) }
    let lonely = random.below(count)
    let kind = random.below(3)
    var blocked: [Int] = []
    for from in 0..<count {
      for to in 0..<count where from != to {
        let isBlocked =
          switch kind {
          case 0: from == lonely && to == (lonely + 1) % count
          case 1: from == lonely || to == lonely
          default: sides[from] != sides[to]
          }
        if isBlocked { blocked.append(from * count + to) }
      }
    }
    counts.partitions += 1
    note("partition", lonely, UInt64(kind))
    for pair in blocked { blocks[pair] += 1 }
    partitions.append(blocked)
    schedule(.mend(partition: partitions.count - 1), in: random.within(100...12_000))
  }

  func mend(_ partition: Int) {
    for pair in partitions[partition] { blocks[pair] -= 1 }
    partitions[partition] = []
  }

  /// The end of all faults: every peer runs and joins every space, every neighbour can be dialled.
  func heal() {
    note("heal", 0, 0)
    isHealed = true
    for partition in partitions.indices { mend(partition) }
    for number in nodes.indices {
      if nodes[number].hasRefused { crash(number) }
      start(number)
      for space in spaceIDs { give(.join(space), to: number) }
    }
  }
}
