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
      .want(space, since: history), .batch(batch), .ping, .bye(Farewell(.leaving, "too far")),
      .wantHistory(space, since: history),
      .history(HistoryPart(space: space, changes: changes, isLast: true)),
      .wantBlob(BlobName(space: space, hash: hash)), .noBlob(hash),
      .blob(hash, BlobPart(codec: 1, total: 300, offset: 200, bytes: [1, 2, 3])),
      .map(space, MapNews(manifest: hash, chunks: nil)),
      .map(space, MapNews(manifest: hash, chunks: ChunkSet([1, 70]))),
      .members(space, state.memberCells), .join(space, rank), .admitted(space),
      .wantSnapshot(space), .confirmed(space, confirmations), .snapshot(space, floor: state.vector),
    ] + changes.map { .change(space, $0) }
  }
}
