import Foundation
import HyperbasisCore

extension HBStorage {
  // MARK: History

  /// Every change of a space's anchors, by whichever device; none for an unknown or deleted space.
  ///
  /// ```swift
  /// let timeline = try await storage.timeline(spaceId: space.id)
  /// print(timeline.events.map(\.type))  // [created, moved, deleted]
  /// ```
  ///
  /// Devices that are in sync get the same timeline, ids and versions included. On a device that is
  /// new to the space it fills in behind the anchors. O(n log n) in the changes, read in small parts.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the disk refuses or a row is damaged.
  public func timeline(spaceId: UUID) async throws -> HBTimeline {
    let space = SpaceID(spaceId)
    var projection = EventProjection(space: space)
    var events: [HBAnchorEvent] = []
    for change in try await changes(of: space) { events += projection.events(of: change) }
    return HBTimeline(spaceId: spaceId, ordered: events)
  }

  /// The anchors that lived in a space at a time; none for an unknown or deleted space.
  ///
  /// Costs and throws as ``timeline(spaceId:)``, which answers many questions of one reading.
  public func anchorsAt(spaceId: UUID, date: Date) async throws -> [HBAnchor] {
    try await timeline(spaceId: spaceId).state(at: date)
  }

  /// What changed in a space between two times; nothing for an unknown or deleted space.
  ///
  /// ```swift
  /// let hourAgo = Date(timeIntervalSinceNow: -3_600)
  /// print(try await storage.diff(spaceId: space.id, from: hourAgo, to: Date()).summary)
  /// // 2 added, 1 moved
  /// ```
  ///
  /// Costs and throws as ``timeline(spaceId:)``.
  public func diff(
    spaceId: UUID, from: Date, to: Date
  ) async throws -> HBDiff {
    try await timeline(spaceId: spaceId).diff(from: from, to: to)
  }

  /// Every change of one anchor, the first version first; also of one that is deleted.
  ///
  /// ```swift
  /// for event in try await storage.history(anchorId: id) { print(event.version, event.type) }
  /// // 1 created
  /// // 2 updated
  /// ```
  ///
  /// Which anchor is meant where several spaces have the id is said at ``loadAnchor(id:)``.
  /// O(n log n) in the changes of this anchor.
  ///
  /// - Throws: `HBStorageError.notFound` for an id that no space here has or had, or only one that is
  ///   deleted; `fileOperationFailed` when the disk refuses or a row is damaged, also where the anchor may
  ///   be in a damaged space.
  public func history(anchorId: UUID) async throws -> [HBAnchorEvent] {
    try await read { loop throws(HBStorageError) in
      guard let (space, _) = try loop.find(AnchorID(anchorId)) else {
        throw .notFound(type: "anchor", id: anchorId)
      }
      return try loop.events(of: AnchorID(anchorId), in: space)
    }
  }

  /// Every change of a space's own name, world map and life, the first version first.
  ///
  /// Costs as ``timeline(spaceId:)``. The bytes of earlier world maps are not kept.
  ///
  /// - Throws: `HBStorageError.notFound` for a space that is unknown here or deleted,
  ///   `fileOperationFailed` when the disk refuses or the space is damaged.
  public func spaceHistory(spaceId: UUID) async throws -> [HBSpaceEvent] {
    let space = SpaceID(spaceId)
    let isHere = try await read { loop throws(HBStorageError) in
      try loop.checkReadable(space)
      return loop.shownState(of: space) != nil
    }
    guard isHere else { throw HBStorageError.notFound(type: "space", id: spaceId) }
    var projection = SpaceEventProjection(space: space)
    return try await changes(of: space).flatMap { projection.events(of: $0) }
  }

  /// Brings an anchor back to what it was at a version, alive; `createdAt` stays as it is.
  ///
  /// ```swift
  /// let note = try await storage.rollback(anchorId: id, toVersion: 1)
  /// print(note.stringMetadata(forKey: "text")!)  // Buy milk
  /// ```
  ///
  /// It is a change like any other: it is sent to the peers, and appears in the history as `restored`.
  /// The version of a deletion stands for the state before it. Costs as ``history(anchorId:)``.
  ///
  /// - Returns: the anchor as it is then.
  /// - Throws: `HBStorageError.notFound` for an unknown anchor, `versionNotFound`,
  ///   `reconstructionFailed` while the history that would tell is still on its way,
  ///   `encodingFailed` where it would write more than one change may, and `fileOperationFailed` as ``history(anchorId:)``.
  @discardableResult
  public func rollback(
    anchorId: UUID, toVersion version: Int
  ) async throws -> HBAnchor {
    try await turn { loop throws(HBStorageError) in
      let anchor = try loop.rollBack(AnchorID(anchorId), toVersion: version)
      loop.note(anchor)
      return anchor
    }
  }

  /// The whole changes of a space in the order of their stamps, read in small parts so that other
  /// calls come between.
  private func changes(of space: SpaceID) async throws(HBStorageError) -> [Change] {
    var changes: [Change] = []
    var after = VersionVector()
    while true {
      let start = after
      let part = try await read { loop throws(HBStorageError) in
        try loop.changes(of: space, after: start)
      }
      changes += part
      for change in part { after[change.dot.replica] = change.dot.sequence }
      if part.isEmpty { return changes.sorted { $0.stamp < $1.stamp } }
    }
  }
}
