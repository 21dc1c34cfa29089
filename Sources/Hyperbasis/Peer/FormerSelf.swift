import HyperbasisCore
import HyperbasisStore

/// A replica id that this store had before.
struct FormerSelf: Equatable, Sendable {
  let replica: ReplicaID
  /// Whether nobody can go on under it: the store was the only one that could. Of a copy or a restored backup the
  /// original may.
  let isDead: Bool
}

extension PeerLoop {
  /// So many are remembered, the last ones.
  private static let formerSelves = 64

  /// Reads who this store was, and notes what the last change of its identity added to that.
  ///
  /// - Throws: `StoreError`, or `CodecError` where the setting is damaged.
  func readFormerSelves(after change: IdentityChange?) throws {
    if let bytes = try store.setting(.formerReplicas) {
      var reader = ByteReader(bytes)
      let count = try reader.count(of: "former ids", most: PeerLoop.formerSelves, itemBytes: 17)
      for _ in 0..<count {
        let replica: ReplicaID = try reader.identifier()
        settings.former.append(FormerSelf(replica: replica, isDead: try reader.byte() == 1))
      }
    }
    spacesToReview = settings.former.isEmpty ? [] : Set(engine.rooms.keys)
    guard let change, !settings.former.contains(where: { $0.replica == change.previous }) else {
      return
    }
    let isDead = [.cut, .clockWasWrong, .logDamaged].contains(change.reason)
    let added = FormerSelf(replica: change.previous, isDead: isDead)
    try note(former: settings.former + [added])
    spacesToReview = Set(engine.rooms.keys)
  }

  /// - Throws: `StoreError` when the disk refuses.
  func note(former: [FormerSelf]) throws(StoreError) {
    let kept = Array(former.suffix(PeerLoop.formerSelves))
    var writer = ByteWriter()
    writer.varint(kept.count)
    for former in kept {
      writer.identifier(former.replica)
      writer.byte(former.isDead ? 1 : 0)
    }
    try store.set(.formerReplicas, to: writer.bytes)
    settings.former = kept
  }
}
