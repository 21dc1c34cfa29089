import HyperbasisCore

/// The digest of a state is another one when a write is: its value, its timestamp or its date.
///
/// In a run that goes well no two peers with equal vectors differ, so it would not be seen there.
enum DigestChecker {
  static func fault(of state: SpaceState) -> String? {
    // There it is of what is shown, and one cell alone may not be.
    if state.hasMembers { return nil }
    let anchors = state.anchors(includingDeleted: true).map(\.id)
    let cells = state.record(of: nil) + anchors.flatMap { state.record(of: $0) }
    guard let last = cells.last, let right = digest(cells, state) else { return nil }
    let stamp = last.stamp
    let others: [(String, Cell)] = [
      (
        "timestamp",
        Cell(
          operation: last.operation,
          stamp: Stamp(
            timestamp: Timestamp(bits: stamp.timestamp.bits + 1), dot: stamp.dot,
            date: stamp.date))
      ),
      (
        "date",
        Cell(
          operation: last.operation,
          stamp: Stamp(timestamp: stamp.timestamp, dot: stamp.dot, date: stamp.date + 1))
      ),
      ("value", Cell(operation: altered(last.operation), stamp: stamp)),
    ]
    for (what, cell) in others where digest(cells.dropLast() + [cell], state) == right {
      return "it is the same with another \(what) of \(last.operation.register)"
    }
    return nil
  }

  private static func digest(_ cells: [Cell], _ state: SpaceState) -> Digest? {
    (try? SpaceState(id: state.id, vector: state.vector, cells: cells))?.digest
  }

  private static func altered(_ operation: Operation) -> Operation {
    switch operation {
    case .name: .name("altered")
    case .spaceExistence: .spaceExistence(Existence(created: -1))
    case .worldMap(let map): .worldMap(map == nil ? SimulatedMap.reference(0) : nil)
    case .existence(let anchor, _): .existence(anchor, Existence(created: -1))
    case .transform(let anchor, let transform):
      .transform(anchor, transform == .identity ? turned : .identity)
    case .metadata(let anchor, let key, let value):
      .metadata(anchor, key, value == nil ? .null : nil)
    case .retention: .retention(.seconds(17))
    case .member(let replica, _): .member(replica, .retired)
    }
  }

  private static var turned: Transform {
    do { return try Transform.identity.moved(to: (1, 2, 3)) } catch {
      preconditionFailure("the numbers are finite")
    }
  }
}
