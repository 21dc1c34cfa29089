import HyperbasisCore

/// Whose changes go around on links of their own. Where all are linked to all, each change would come to each
/// from everybody else.
struct Routes: Sendable {
  /// The peer gets the changes of these from themselves.
  var theirs: Set<ReplicaID> = []
  /// We do of these, the peer itself not counted, ascending; and what the peer was told last.
  private(set) var ours: [ReplicaID] = []
  private(set) var told: [ReplicaID] = []
  /// When to tell the peer.
  private(set) var due: UInt64?
  /// When to ask the peer for what its vector had and we lacked, which is to come from its authors.
  var askDue: UInt64?

  /// What does not come from itself any more is told at once; who joins a room waits for others that do.
  mutating func note(_ replicas: [ReplicaID], after delay: UInt64, at now: Now) {
    ours = replicas
    guard ours != told else {
      due = nil
      return
    }
    let kept = Set(ours)
    let isLost = told.contains { !kept.contains($0) }
    due = isLost ? now.monotonic : due ?? now.monotonic + delay
  }

  mutating func tell() -> [ReplicaID] {
    due = nil
    told = ours
    return told
  }
}

extension SyncSession {
  /// The replicas whose changes of a space come here on links of their own.
  mutating func noteDirect(
    _ replicas: [ReplicaID], of space: SpaceID, after delay: UInt64, at now: Now
  ) {
    guard isOpen, let index = spaces.index(of: space), spaces[at: index].theirs != nil else {
      return
    }
    spaces[at: index].routes.note(
      replicas.filter { $0 != peer?.replica }, after: delay, at: now)
  }

  mutating func nextDirect(at now: Now) -> Frame? {
    for index in spaces.indices {
      guard let due = spaces[at: index].routes.due, due <= now.monotonic else { continue }
      return .direct(spaces.keys[index], spaces[at: index].routes.tell())
    }
    return nil
  }
}

extension Frame {
  static func direct(from reader: inout ByteReader) throws(CodecError) -> Frame {
    let space: SpaceID = try reader.identifier()
    let start = reader.offset
    let count = try reader.count(of: "direct replicas", most: Limits.links, itemBytes: 16)
    var replicas: [ReplicaID] = []
    for _ in 0..<count {
      let replica: ReplicaID = try reader.identifier()
      if let last = replicas.last, last >= replica {
        throw .invalid("order of direct replicas", offset: start)
      }
      replicas.append(replica)
    }
    return .direct(space, replicas)
  }
}
