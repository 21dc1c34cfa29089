import Hyperbasis
import HyperbasisCore
import HyperbasisStore
import HyperbasisSync

/// The JSON objects that commands print.
enum Report {
  /// Precondition: each key occurs once.
  static func object(_ entries: [(String, Value)]) -> Value {
    .object(Value.Object(entries.map { Value.Object.Entry(key: Key($0.0), value: $0.1) })!)
  }

  static func space(_ state: SpaceState) -> Value {
    let counts = state.counts
    return object([
      ("id", .string("\(state.id)")), ("name", state.name.map(Value.string) ?? .null),
      ("anchors", .int(Int64(counts.live))), ("deleted", .int(Int64(counts.deleted))),
    ])
  }

  /// With what it keeps of its past.
  private static func space(_ state: SpaceState, of loop: PeerLoop) -> Value {
    guard case .object(var entries) = space(state) else { preconditionFailure("it is an object") }
    entries["retention"] = .string(RetentionWord.write(state.retention))
    entries["heldBack"] = heldBack(loop.heldBack(in: state.id))
    return .object(entries)
  }

  /// An anchor, as `list-anchors` and an export have it.
  static func line(_ anchor: Anchor, in space: SpaceID) -> String {
    AnchorLines.line(
      id: anchor.id, space: space, transform: anchor.transform, metadata: anchor.metadata,
      created: anchor.created, updated: anchor.updated, deleted: anchor.deleted)
  }

  static func anchor(_ anchor: Anchor, in space: SpaceID) -> Value {
    do { return try JSON.parse(Array(line(anchor, in: space).utf8)) } catch {
      preconditionFailure("a line of an anchor is JSON: \(error)")
    }
  }

  static func damaged(_ space: DamagedSpace, in store: String) -> Value {
    .string("\(space.error(path: store))")
  }

  static func digest(_ state: SpaceState) -> Value {
    let counts = state.counts
    let vector = state.vector.entries.map { ($0.replica.hex, Value.int(Int64($0.sequence))) }
    return object([
      ("space", .string("\(state.id)")), ("digest", .string("\(state.digest)")),
      ("vector", object(vector)), ("anchors", .int(Int64(counts.live))),
      ("deleted", .int(Int64(counts.deleted))), ("registers", .int(Int64(state.registerCount))),
    ])
  }

  static func status(_ loop: PeerLoop, isRunning: Bool) -> Value {
    let status = loop.status
    let discovery =
      isRunning
      ? [
        ("state", Value.string(status.discovery.state)),
        ("reason", .string(status.discovery.reason)),
      ]
      : [("state", .string("off")), ("reason", .string("no peer is running on this store"))]
    let peers = status.peers.map { peer in
      object([
        ("id", .string("\(peer.device)")), ("replica", .string(peer.replica.hex)),
        ("name", .string(peer.name)), ("state", .string(peer.isConnected ? "connected" : "gone")),
        ("address", peer.address.isEmpty ? .null : .string(peer.address)),
      ])
    }
    return object([
      ("store", .string(status.store)), ("device", .string("\(status.device)")),
      ("replica", .string(status.replica.hex)), ("replicaChange", change(status.identityChange)),
      ("name", .string(status.name)),
      ("running", .bool(isRunning)), ("port", status.port.map { .int(Int64($0)) } ?? .null),
      ("links", .string("not protected")), ("discovery", object(discovery)),
      ("spaces", .array(loop.engine.rooms.values.map { space($0.state, of: loop) })),
      ("rejoins", .array(loop.rejoins.values.map { rejoin($0, of: loop) })),
      ("damaged", .array(loop.damaged.map { damaged($0, in: status.store) })),
      ("offered", .array(status.offered.map { .string("\($0)") })), ("peers", .array(peers)),
    ])
  }

  private static func change(_ change: IdentityChange?) -> Value {
    guard let change else { return .null }
    return object([
      ("previous", .string(change.previous.hex)), ("reason", .string(change.reason.word)),
      ("at", .int(Int64(change.date))),
    ])
  }
}
