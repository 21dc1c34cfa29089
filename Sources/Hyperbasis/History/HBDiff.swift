import Foundation

/// What changed in a space between two times.
///
/// ```swift
/// let diff = try await storage.diff(spaceId: space.id, from: yesterday, to: Date())
/// print(diff.summary)                   // 1 added, 1 moved, 1 updated
/// print(diff.changeCount)               // 2: one anchor was moved and updated
/// print(diff.moved[0].distanceMoved)    // 0.5, in metres
/// ```
public struct HBDiff: Hashable, Sendable {
  /// The space that was compared.
  public let spaceId: UUID
  /// The time that ``previousAnchors`` are of.
  public let fromDate: Date
  /// The time that ``currentAnchors`` are of.
  public let toDate: Date
  /// Not there before.
  public let added: [HBAnchor]
  /// Not there after, as they were before.
  public let removed: [HBAnchor]
  /// With another transform; one whose metadata changed as well is in `updated` too.
  public let moved: [MovedAnchor]
  /// With other metadata; one whose transform changed as well is in `moved` too.
  public let updated: [UpdatedAnchor]
  /// There before and after, with the same transform and metadata.
  public let unchanged: [HBAnchor]
  private var former = FormerState()

  /// A diff of given lists; they are not checked.
  public init(
    spaceId: UUID, fromDate: Date, toDate: Date, added: [HBAnchor] = [],
    removed: [HBAnchor] = [], moved: [MovedAnchor] = [], updated: [UpdatedAnchor] = [],
    unchanged: [HBAnchor] = []
  ) {
    self.spaceId = spaceId
    self.fromDate = fromDate
    self.toDate = toDate
    self.added = added
    self.removed = removed
    self.moved = moved
    self.updated = updated
    self.unchanged = unchanged
  }
}

extension HBDiff {
  /// Compares two states; each list is by creation, then id. O(n log n).
  package init(
    spaceId: UUID, fromDate: Date, toDate: Date, from old: [HBAnchor], to new: [HBAnchor]
  ) {
    let before = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
    let kept = Set(new.map(\.id))
    var added: [HBAnchor] = []
    var moved: [MovedAnchor] = []
    var updated: [UpdatedAnchor] = []
    var unchanged: [HBAnchor] = []
    for anchor in new.inOrder {
      guard let previous = before[anchor.id] else {
        added.append(anchor)
        continue
      }
      let isMoved = anchor.transform != previous.transform
      let isUpdated = anchor.metadata != previous.metadata
      if isMoved {
        moved.append(MovedAnchor(anchor: anchor, previousTransform: previous.transform))
      }
      if isUpdated {
        updated.append(UpdatedAnchor(anchor: anchor, previousMetadata: previous.metadata))
      }
      if !isMoved && !isUpdated { unchanged.append(anchor) }
    }
    self.init(
      spaceId: spaceId, fromDate: fromDate, toDate: toDate, added: added,
      removed: old.filter { !kept.contains($0.id) }.inOrder, moved: moved, updated: updated,
      unchanged: unchanged)
    former.anchors = old.inOrder
  }

  /// Anchors that changed; one that was moved and updated counts once.
  public var changeCount: Int {
    Set(
      added.map(\.id) + removed.map(\.id) + moved.map(\.anchor.id) + updated.map(\.anchor.id)
    ).count
  }

  /// Whether anything but ``unchanged`` has an element.
  public var hasChanges: Bool {
    !(added.isEmpty && removed.isEmpty && moved.isEmpty && updated.isEmpty)
  }

  /// The anchors at `toDate`, by creation, then id.
  public var currentAnchors: [HBAnchor] {
    (unchanged + added + moved.map(\.anchor) + updated.map(\.anchor)).eachOnce.inOrder
  }

  /// The anchors at `fromDate`, by creation, then id.
  ///
  /// In a diff that an app put together, an anchor that changed has its present `updatedAt`, since
  /// the former one is not known.
  public var previousAnchors: [HBAnchor] {
    if let anchors = former.anchors { return anchors }
    let transforms = Dictionary(moved.map { ($0.anchor.id, $0.previousTransform) }) { $1 }
    let metadata = Dictionary(updated.map { ($0.anchor.id, $0.previousMetadata) }) { $1 }
    let changed = moved.map(\.anchor) + updated.map(\.anchor)
    let changedBack = changed.map { anchor in
      HBAnchor(
        id: anchor.id, spaceId: anchor.spaceId,
        transform: transforms[anchor.id] ?? anchor.transform,
        metadata: metadata[anchor.id] ?? anchor.metadata, createdAt: anchor.createdAt,
        updatedAt: anchor.updatedAt, deletedAt: anchor.deletedAt)
    }
    return (unchanged + removed + changedBack).eachOnce.inOrder
  }

  /// The counts of the lists that are not empty, as "1 added, 2 moved", or "No changes".
  public var summary: String {
    let counts = [
      (added.count, "added"), (removed.count, "removed"), (moved.count, "moved"),
      (updated.count, "updated"),
    ]
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? "No changes" : parts.joined(separator: ", ")
  }
}

extension [HBAnchor] {
  /// The first anchor with each id.
  fileprivate var eachOnce: [HBAnchor] {
    var ids: Set<UUID> = []
    return filter { ids.insert($0.id).inserted }
  }
}

/// The state that a diff was made from; not a part of what the diff means.
private struct FormerState: Hashable {
  var anchors: [HBAnchor]?

  static func == (left: Self, right: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
