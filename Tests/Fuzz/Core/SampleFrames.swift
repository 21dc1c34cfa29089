import HyperbasisCore
import HyperbasisSync

/// A frame of each kind.
enum SampleFrames {
  static let hello = Hello(
    device: DeviceID(2), replica: Samples.remote, incarnation: 7, name: "caf\u{E9}")

  static var all: [Frame] {
    let (space, hash) = (Samples.space, ContentHash(high: 1, low: 2))
    let changes = Samples.changes(of: Samples.remote)
    let state = Samples.state(of: Samples.remote)
    let delta = state.delta(since: VersionVector())
    var history = VersionVector()
    history[Samples.remote] = 1
    var confirmations = Confirmations()
    confirmations.cut = history
    confirmations.members[Samples.remote] = MemberProgress(
      since: Timestamp(bits: 5), vector: state.vector, floor: history)
    let batch = Batch(
      space: space, base: VersionVector(), covers: delta.covers, horizon: delta.covers,
      cells: CellTable(delta.cells))
    let rank = MemberRank(
      isAhead: true, timestamp: Timestamp(bits: 9), author: Samples.remote, holder: Samples.remote)
    return [
      .hello(hello), .have(space, state.vector, state.digest, history: history),
      .have(space, state.vector, state.digest, history: state.vector),
      .want(space, since: history), .want(space, since: history, byIDs: true), .batch(batch), .ping,
      .bye(Farewell(.leaving, "too far")),
      .wantHistory(space, since: history),
      .history(HistoryPart(space: space, changes: changes, isLast: true)),
      .wantBlob(BlobName(space: space, hash: hash)), .noBlob(hash),
      .blob(hash, BlobPart(codec: 1, total: 300, offset: 200, bytes: [1, 2, 3])),
      .map(space, MapNews(manifest: hash, chunks: nil)),
      .map(space, MapNews(manifest: hash, chunks: ChunkSet([1, 70]))),
      .members(space, state.memberCells), .join(space, rank), .admitted(space),
      .wantSnapshot(space), .confirmed(space, confirmations),
      .snapshot(space, GivenUp(floor: state.vector, last: state.lastTimestamp)),
    ] + changes.map { .change(space, $0) }
  }

  /// What a receiver has of whom ``named`` are for: anchors that were made alone, and two of one change.
  static let known: SpaceState = {
    var state = Samples.state(of: Samples.remote)
    let pair = [AnchorID(0xC), AnchorID(0xD)].map {
      HyperbasisCore.Operation.existence($0, Existence(created: 7))
    }
    _ = try! state.apply(change(state.vector[Samples.remote] + 1, by: Samples.remote, pair))
    return state
  }()

  /// A catch-up of two batches that name known anchors by writes, and one by its id.
  static var named: [Frame] {
    var state = known
    for (sequence, anchors) in [(1, [0xA, 0xC, 0xE]), (2, [0xC, 0xB, 0xD, 0xA])] {
      let operations = anchors.map {
        HyperbasisCore.Operation.metadata(AnchorID(UInt128($0)), Key("\(sequence)"), .int(7))
      }
      _ = try! state.apply(change(UInt64(sequence), by: ReplicaID(3), operations))
    }
    var (reached, frames): (VersionVector, [Frame]) = (known.vector, [])
    repeat {
      let part = state.part(after: reached, budget: 1)
      frames.append(
        .batch(
          Batch(
            space: Samples.space, base: frames.isEmpty ? reached : nil, covers: part.covers,
            horizon: state.vector, cells: part.cells,
            names: WriteNamer(of: part, of: state, within: known.vector))))
      reached = part.covers
    } while !reached.covers(state.vector)
    return frames
  }

  private static func change(
    _ sequence: UInt64, by replica: ReplicaID, _ operations: [HyperbasisCore.Operation]
  ) -> Change {
    let stamp = Stamp(
      timestamp: Timestamp(milliseconds: 1_700_000_001_000 + sequence),
      dot: Dot(replica: replica, sequence: sequence))
    return Change(stamp: stamp, operations: operations)
  }

  /// Changes that follow each other on a link: what they name has been named before.
  static var live: [Frame] {
    let other = ReplicaID(3)
    let moves: [HyperbasisCore.Operation] = (1...4).map { step in
      .transform(
        Samples.anchor,
        try! Transform.identity.moved(to: (Float(step) * 0.01, -0.0, 1 / Float(step))))
    }
    let operations: [[HyperbasisCore.Operation]] =
      moves.map { [$0] } + [
        [
          .metadata(Samples.anchor, "kind", .string("wall")), .metadata(AnchorID(0xB), "kind", nil),
        ],
        [moves[0], .transform(AnchorID(0xB), .identity)],
        [
          .existence(AnchorID(0xB), Existence(created: 7)), .metadata(AnchorID(0xB), "kind", .null),
        ],
      ]
    return operations.enumerated().flatMap { index, operations in
      [Samples.remote, other].map { author in
        let stamp = Stamp(
          timestamp: Timestamp(bits: 1_700_000_000_000 << 16 | UInt64(index * index) << 7),
          dot: Dot(replica: author, sequence: UInt64(index + 1)), date: index == 3 ? 9 : nil)
        return .change(Samples.space, Change(stamp: stamp, operations: operations))
      }
    }
  }
}
