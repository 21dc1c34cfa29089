import Foundation
import HyperbasisCore

/// One entry of a space's own history: its name, its world map, its life.
///
/// ```swift
/// for event in try await storage.spaceHistory(spaceId: space.id) {
///   print(event.version, event.type, event.name ?? "-", event.worldMapSize)
/// }
/// // 1 created Kitchen 0
/// // 2 worldMapChanged Kitchen 5242880
/// ```
///
/// Versions count from 1 and are the same on every converged device.
public struct HBSpaceEvent: Identifiable, Hashable, Codable, Sendable {
  /// What can happen to a space itself.
  public enum EventType: String, Codable, Sendable {
    /// The space was made, with the name and the map that it had then.
    case created
    /// The name changed.
    case renamed
    /// The world map was set, replaced or removed.
    case worldMapChanged
    /// The space was deleted with its anchors.
    case deleted
    /// A deleted space was saved anew.
    case restored
  }

  /// The event's id, the same on every device.
  public let id: UUID
  /// The space.
  public let spaceId: UUID
  /// What happened.
  public let type: EventType
  /// When the change was made, by the clock of who made it.
  public let timestamp: Date
  /// Counts the events of one space, from 1.
  public let version: Int
  /// The name from then on.
  public let name: String?
  /// Names the world map from then on: equal for equal maps. Nil for a space without one.
  public let worldMapHash: Data?
  /// Bytes of the world map from then on.
  public let worldMapSize: Int
  /// The store that made the change; see ``HBStorage/actorId``.
  public let actorId: String
}

/// Turns whole changes, in the order of their stamps, into a space's own events.
struct SpaceEventProjection {
  let space: SpaceID
  private var existence: Existence?
  private var name: String?
  private var map: MapReference?
  private var version = 0
  /// When each of them was last written; as in ``EventProjection``, a repeat gives no event.
  private var existenceAt: Timestamp?
  private var nameAt: Timestamp?
  private var mapAt: Timestamp?

  init(space: SpaceID) {
    self.space = space
  }

  /// Precondition: `change` has a greater stamp than those before it.
  mutating func events(of change: Change) -> [HBSpaceEvent] {
    var types: [HBSpaceEvent.EventType] = []
    let time = change.stamp.timestamp
    for operation in change.operations {
      switch operation {
      case .spaceExistence(let written):
        let isRepeat = existenceAt == time && existence == written
        if !isRepeat, let type = type(of: written) { types.append(type) }
        (existence, existenceAt) = (written, time)
      case .name(let written):
        if nameAt != time || name != written?.text { types.append(.renamed) }
        (name, nameAt) = (written?.text, time)
      case .worldMap(let written):
        if mapAt != time || map != written { types.append(.worldMapChanged) }
        (map, mapAt) = (written, time)
      case .existence, .transform, .metadata, .retention, .member: continue
      }
    }
    // What a space is created with is part of its creation.
    if types.contains(.created) { types = [.created] }
    return types.map { event($0, at: change.stamp) }
  }

  /// Nil for a space that was made on two devices at once and lives already.
  private func type(of written: Existence) -> HBSpaceEvent.EventType? {
    if written.deleted != nil { return .deleted }
    guard let existence else { return .created }
    return written.restored != nil || existence.deleted != nil ? .restored : nil
  }

  private mutating func event(
    _ type: HBSpaceEvent.EventType, at stamp: Stamp
  ) -> HBSpaceEvent {
    version += 1
    var writer = ByteWriter()
    writer.identifier(space)
    writer.identifier(stamp.dot.replica)
    writer.varint(stamp.dot.sequence)
    writer.text(type.rawValue)
    return HBSpaceEvent(
      id: UUID(Identifier<Self>(Digest(of: writer.bytes).bits)), spaceId: UUID(space), type: type,
      timestamp: Date(nanoseconds: stamp.timestamp.nanoseconds), version: version, name: name,
      worldMapHash: map.map { Data($0.manifest.bytes) }, worldMapSize: Int(map?.byteCount ?? 0),
      actorId: UUID(stamp.dot.replica).uuidString)
  }
}
