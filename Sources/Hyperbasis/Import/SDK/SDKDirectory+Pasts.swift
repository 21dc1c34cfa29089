import HyperbasisCore

extension SDKDirectory {
  /// Everything that is known of the anchors of a space, those with a file first, by their creation.
  ///
  /// Complexity: O(n log n) in its events and anchors.
  package func pasts(of space: SpaceID, _ groups: AnchorGroups) -> [SDKAnchorPast] {
    let filed = groups.files[space] ?? []
    let events = groups.events[space] ?? [:]
    let ids = Set(filed.map(\.id))
    let others = events.keys.filter { !ids.contains($0) }.sorted()
    return filed.map { file in
      SDKAnchorPast(id: file.id, space: space, file: file, events: events[file.id] ?? [])
    }
      + others.map { id in
        SDKAnchorPast(
          id: id, space: space, file: nil, events: events[id]!,
          isUnreadable: !listsAnchors || unreadableAnchors.contains(id))
      }
  }

  /// Anchors and events by the space that they are in.
  package struct AnchorGroups: Sendable {
    let files: [SpaceID: [SDKAnchor]]
    let events: [SpaceID: [AnchorID: [SDKEvent]]]

    package init(_ directory: SDKDirectory) {
      files = Dictionary(grouping: directory.anchors, by: \.spaceId)
      events = Dictionary(grouping: directory.events, by: \.spaceId)
        .mapValues { Dictionary(grouping: $0, by: \.anchorId) }
    }
  }
}
