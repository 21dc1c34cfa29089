import Foundation

/// One change in the history of an anchor.
///
/// ```swift
/// for event in try await storage.history(anchorId: note.id) {
///   print(event.version, event.type)
/// }
/// // 1 created
/// // 2 moved
/// ```
///
/// An event holds what it set whole: an `updated` event has all metadata, and not the changed keys
/// alone.
public struct HBAnchorEvent: Codable, Identifiable, Hashable, Sendable {
  /// The event's id; from a storage the same on every device.
  public let id: UUID
  /// The anchor that changed.
  public let anchorId: UUID
  /// The space that the anchor is in.
  public let spaceId: UUID
  /// What happened.
  public let type: EventType
  /// When the change was made, by the clock of who made it.
  public let timestamp: Date
  /// Counts the events of one anchor, from 1.
  public let version: Int
  /// 16 numbers, column by column; nil where the event did not set them.
  public let transform: [Float]?
  /// Nil where the event did not set it.
  public let metadata: [String: AnyCodableValue]?
  /// Who made the change, where that is known.
  public let actorId: String?
  /// When the anchor was made, where that is known; for `created` it may lie before `timestamp`.
  package let createdAt: Date?

  /// What can happen to an anchor. A save that changes several of these gives an event for each.
  public enum EventType: String, Codable, Hashable, Sendable {
    /// The anchor was made; the event has its transform and metadata.
    case created
    /// The transform changed; the event has it.
    case moved
    /// The metadata changed; the event has all of it.
    case updated
    /// The anchor was deleted; the event has neither.
    case deleted
    /// The anchor was brought back, or rolled back; the event has its transform and metadata.
    case restored
  }

  /// An event of given parts; they are not checked.
  public init(
    id: UUID = UUID(), anchorId: UUID, spaceId: UUID, type: EventType, timestamp: Date = Date(),
    version: Int, transform: [Float]? = nil, metadata: [String: AnyCodableValue]? = nil,
    actorId: String? = nil
  ) {
    self.init(
      id: id, anchorId: anchorId, spaceId: spaceId, type: type, timestamp: timestamp,
      version: version, transform: transform, metadata: metadata, actorId: actorId,
      createdAt: nil)
  }

  /// As the public initialiser, with the time when the anchor was made.
  package init(
    id: UUID = UUID(), anchorId: UUID, spaceId: UUID, type: EventType, timestamp: Date = Date(),
    version: Int, transform: [Float]? = nil, metadata: [String: AnyCodableValue]? = nil,
    actorId: String? = nil, createdAt: Date?
  ) {
    self.id = id
    self.anchorId = anchorId
    self.spaceId = spaceId
    self.type = type
    self.timestamp = timestamp
    self.version = version
    self.transform = transform
    self.metadata = metadata
    self.actorId = actorId
    self.createdAt = createdAt
  }

  /// False for `deleted`, and true for all others.
  public var isActiveState: Bool { type != .deleted }

  /// Whether the event set the transform.
  public var hasTransform: Bool { transform != nil }

  /// Whether the event set the metadata.
  public var hasMetadata: Bool { metadata != nil }
}

// MARK: The events of an anchor as it is now

extension HBAnchorEvent {
  /// Version 1 of an anchor, now: its transform and metadata.
  public static func created(anchor: HBAnchor) -> HBAnchorEvent {
    HBAnchorEvent(
      .created, of: anchor, version: 1, transform: anchor.transform, metadata: anchor.metadata)
  }

  /// The version after `previousVersion`, now: the anchor's transform.
  public static func moved(anchor: HBAnchor, previousVersion: Int) -> HBAnchorEvent {
    HBAnchorEvent(.moved, of: anchor, after: previousVersion, transform: anchor.transform)
  }

  /// The version after `previousVersion`, now: the anchor's metadata.
  public static func updated(anchor: HBAnchor, previousVersion: Int) -> HBAnchorEvent {
    HBAnchorEvent(.updated, of: anchor, after: previousVersion, metadata: anchor.metadata)
  }

  /// The version after `previousVersion`, now: neither transform nor metadata.
  public static func deleted(anchor: HBAnchor, previousVersion: Int) -> HBAnchorEvent {
    HBAnchorEvent(.deleted, of: anchor, after: previousVersion)
  }

  /// The version after `previousVersion`, now: the anchor's transform and metadata.
  public static func restored(anchor: HBAnchor, previousVersion: Int) -> HBAnchorEvent {
    HBAnchorEvent(
      .restored, of: anchor, after: previousVersion, transform: anchor.transform,
      metadata: anchor.metadata)
  }

  private init(
    _ type: EventType, of anchor: HBAnchor, after previousVersion: Int,
    transform: [Float]? = nil, metadata: [String: AnyCodableValue]? = nil
  ) {
    self.init(
      type, of: anchor, version: previousVersion == .max ? .max : previousVersion + 1,
      transform: transform, metadata: metadata)
  }

  private init(
    _ type: EventType, of anchor: HBAnchor, version: Int, transform: [Float]?,
    metadata: [String: AnyCodableValue]?
  ) {
    self.init(
      anchorId: anchor.id, spaceId: anchor.spaceId, type: type, version: version,
      transform: transform, metadata: metadata, createdAt: anchor.createdAt)
  }
}

extension HBAnchorEvent {
  /// The order of a timeline: by time, then version, then anchor, then id.
  static func precedes(_ left: HBAnchorEvent, _ right: HBAnchorEvent) -> Bool {
    if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
    if left.version != right.version { return left.version < right.version }
    if left.anchorId != right.anchorId { return left.anchorId.bits < right.anchorId.bits }
    return left.id.bits < right.id.bits
  }
}
