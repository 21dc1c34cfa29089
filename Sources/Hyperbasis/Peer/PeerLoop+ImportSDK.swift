import HyperbasisCore
import HyperbasisSync

/// What the import of the SDK's directory writes, in one turn each.
extension PeerLoop {
  /// Whether a device that made the space was heard of, also when it was deleted since.
  func isKnown(_ space: SpaceID) -> Bool {
    engine.rooms[space]?.state.record.existence != nil
  }

  /// Takes a space over unless it is known here; returns whether it did.
  ///
  /// Its name and map bear the time of `updatedAt`: what another device wrote later stays.
  ///
  /// - Throws: `PeerError.invalid` when the store holds as many spaces as it may.
  func record(_ space: SDKSpace, map: MapReference?) throws(PeerError) -> Bool {
    guard !isKnown(space.id) else { return false }
    try join(space.id)
    let born = Operation.spaceExistence(Existence(created: space.createdAt))
    var rest: [Operation] = []
    if let name = space.name { rest.append(.name(Key(name))) }
    if let map { rest.append(.worldMap(map)) }
    let (first, last) = (space.createdAt, max(space.createdAt, space.updatedAt))
    let changes =
      rest.isEmpty || first == last
      ? [PastChange(time: first, date: space.updatedAt, operations: [born] + rest)]
      : [
        PastChange(time: first, date: first, operations: [born]),
        PastChange(time: last, date: space.updatedAt, operations: rest),
      ]
    record(changes, in: space.id, at: .current)
    return true
  }

  /// Takes over those anchors that the space does not have, each whole.
  func record(_ pasts: [SDKAnchorPast], in space: SpaceID) -> SDKRecorded {
    var recorded = SDKRecorded()
    let now = Now.current
    for past in pasts {
      guard let state = shownState(of: space), state.anchor(past.id) == nil else {
        recorded.unchanged += 1
        continue
      }
      record(past.changes, in: space, at: now)
      recorded.anchors += 1
      recorded.events += past.eventCount
    }
    return recorded
  }

  /// Precondition: the changes ascend in time and are within the limits, and the space is held.
  private func record(_ changes: [PastChange], in space: SpaceID, at now: Now) {
    let stamps = PastChange.stamps(of: changes.map(\.time), latest: now.timestamp)
    for (change, stamp) in zip(changes, stamps) {
      engine.record(space, change.operations, timestamp: stamp, date: change.date, at: now)
    }
  }
}

/// How many of some anchors came in.
struct SDKRecorded: Sendable {
  var anchors = 0
  var events = 0
  var unchanged = 0
}
