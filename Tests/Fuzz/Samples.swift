import HyperbasisCore

/// A small space that seeds are made of: each kind of operation, and awkward values.
enum Samples {
  static let space = SpaceID(0x5ACE)
  static let local = ReplicaID(1)
  static let remote = ReplicaID(2)
  static let anchor = AnchorID(0xA)

  static let values: [Value] = [
    .null, .bool(true), .int(.min), .int(300), .double(-0.0), .double(0.1), .string("caf\u{E9}"),
    .array([.int(1), .double(1), .array([])]),
    .object(
      Value.Object([
        .init(key: "", value: .null), .init(key: "cafe\u{301}", value: .array([.bool(false)])),
      ])!),
  ]

  /// Changes 1, 2 and so on of a replica, one for each kind of operation.
  static func changes(of replica: ReplicaID) -> [Change] {
    operations.enumerated().map { index, operations in
      let stamp = Stamp(
        timestamp: Timestamp(milliseconds: 1_700_000_000_000 + UInt64(index)),
        dot: Dot(replica: replica, sequence: UInt64(index + 1)),
        date: index % 2 == 0 ? nil : 1_234)
      return Change(stamp: stamp, operations: operations)
    }
  }

  /// The space with the changes of a replica.
  static func state(of replica: ReplicaID) -> SpaceState {
    var state = SpaceState(id: space)
    for change in changes(of: replica) { _ = try! state.apply(change) }
    return state
  }

  private static let operations: [[HyperbasisCore.Operation]] = [
    [.spaceExistence(Existence(created: 5)), .name("Kitchen")],
    [
      .existence(anchor, Existence(created: 7)), .transform(anchor, .identity),
      .metadata(anchor, "kind", .string("wall")),
    ],
    values.enumerated().map { .metadata(anchor, Key("\($0)"), $1) },
    [.metadata(anchor, "kind", nil), .name(nil), .worldMap(nil), .retention(.seconds(60))],
    [
      .worldMap(MapReference(manifest: ContentHash(high: 1, low: 2), byteCount: 300_000)),
      .retention(.latest), .existence(AnchorID(0xB), Existence(created: 1, restored: 3)),
      .member(local, .founder), .member(remote, .kept(Dot(replica: local, sequence: 1))),
    ],
    [
      .existence(anchor, Existence(created: 7, deleted: 9)), .retention(.everything),
      .spaceExistence(Existence(created: 5, deleted: 6)), .member(remote, .retired),
      .member(ReplicaID(3), .joined),
    ],
  ]
}
