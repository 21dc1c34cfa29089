import HyperbasisCore

/// The changes of one stamp order, and what must be held once they are known.
///
/// As naive as it can be: of all writes to a register that are known the greatest is right.
struct MergeOracle {
  let order: StampOrder
  /// By change, then by what it writes less one.
  let changes: [[Change]]

  static let names = ["A", "B", "C"]

  init(_ order: StampOrder) {
    self.order = order
    changes = order.items.map { item in
      MergeWorld.Target.allCases.map { MergeOracle.change(item, writing: $0) }
    }
  }

  static func replica(_ author: Int) -> ReplicaID {
    ReplicaID(UInt128(author + 1))
  }

  static func timestamp(_ rank: Int) -> Timestamp {
    Timestamp(milliseconds: UInt64(100 + rank))
  }

  private static func change(_ item: StampOrder.Item, writing target: MergeWorld.Target) -> Change {
    let dot = Dot(replica: replica(item.author), sequence: UInt64(item.sequence))
    let number = 10 * item.author + item.sequence
    var operations: [Operation] = []
    if target.contains(.transform) {
      // Small whole numbers are finite.
      let transform = try? Transform.identity.moved(to: (Float(number), 0, 0))
      operations.append(.transform(MergeWorld.Target.anchor, transform!))
    }
    if target.contains(.key) {
      operations.append(.metadata(MergeWorld.Target.anchor, "k", .int(Int64(number))))
    }
    return Change(
      stamp: Stamp(timestamp: timestamp(item.rank), dot: dot), operations: operations)
  }

  /// The index of the right write to a register; nil when nobody wrote to it.
  func winner(
    of register: MergeWorld.Target, _ targets: [MergeWorld.Target], _ known: [Int]
  ) -> Int? {
    var best: Int?
    for (index, item) in order.items.enumerated()
    where item.sequence <= known[item.author] && targets[index].contains(register) {
      if best.map({ StampOrder.isGreater(item, than: order.items[$0]) }) ?? true { best = index }
    }
    return best
  }

  /// What is wrong with a state that knows the first `known` changes of each author.
  func fault(in state: SpaceState, _ targets: [MergeWorld.Target], _ known: [Int]) -> String? {
    for author in 0..<StampOrder.authors
    where state.vector[MergeOracle.replica(author)] != UInt64(known[author]) {
      let has = state.vector[MergeOracle.replica(author)]
      return "the vector says \(MergeOracle.names[author]):\(has), right is \(known[author])"
    }
    for register in [MergeWorld.Target.transform, .key] {
      let held = state.cell(register.register)
      let right = winner(of: register, targets, known)
      if held != right.map({ cell($0, register) }) {
        return "the \(register) holds \(name(held)), right is \(right.map(name) ?? "nothing")"
      }
    }
    return logFault(in: state, targets, known)
  }

  /// A delta since nothing holds the last writes in the order of their authors and sequences.
  private func logFault(
    in state: SpaceState, _ targets: [MergeWorld.Target], _ known: [Int]
  ) -> String? {
    let winners = [MergeWorld.Target.transform, .key].compactMap { winner(of: $0, targets, known) }
    let cells = state.delta(since: VersionVector()).cells
    var position = 0
    for author in 0..<StampOrder.authors {
      for sequence in 1...max(1, known[author]) where sequence <= known[author] {
        let index = order.index(author: author, sequence: sequence)
        for _ in winners where position < cells.count {
          guard cells[position].stamp == changes[index][0].stamp else { break }
          position += 1
        }
      }
    }
    guard cells.count == winners.count, position == cells.count else {
      return "a delta since nothing holds \(cells.map { name($0) })"
    }
    return nil
  }

  private func cell(_ index: Int, _ register: MergeWorld.Target) -> Cell {
    let change = changes[index][register.rawValue - 1]
    return Cell(operation: change.operations[0], stamp: change.stamp)
  }

  // MARK: Text

  func name(_ index: Int) -> String {
    "\(MergeOracle.names[order.items[index].author]):\(order.items[index].sequence)"
  }

  private func name(_ cell: Cell?) -> String {
    guard let dot = cell?.stamp.dot else { return "nothing" }
    return "\(MergeOracle.names[Int(dot.replica.bits) - 1]):\(dot.sequence)"
  }

  /// What was made, in the order of stamps.
  func text(_ targets: [MergeWorld.Target]) -> String {
    order.items.indices.map { index in
      let item = order.items[index]
      return "\(MergeOracle.names[item.author]) makes \(name(index)) at time \(item.rank), "
        + "writing \(targets[index])\n"
    }.joined()
  }
}
