import Foundation
import HyperbasisCore
import HyperbasisSync

/// One reader of a space's changes, and what it was last told.
///
/// Touched on the loop's thread only.
final class SpaceWatch {
  let space: SpaceID
  private let scope: EditScope
  private let tell: (ToldChange) -> Void
  /// As last told; a reader that begins knows what is there.
  private var shown: [AnchorID: Anchor]
  private var record: SpaceRecord?
  private let show: (SpaceRecord?) -> HBSpace?

  /// `show` makes of a record what apps see: nil where there is no space, or a deleted one.
  init(
    _ space: SpaceID, state: SpaceState?, scope: EditScope,
    show: @escaping (SpaceRecord?) -> HBSpace?, tell: @escaping (ToldChange) -> Void
  ) {
    self.space = space
    self.scope = scope
    self.tell = tell
    self.show = show
    record = state?.record
    let anchors = state?.anchors(includingDeleted: true) ?? []
    shown = Dictionary(uniqueKeysWithValues: anchors.map { ($0.id, $0) })
  }

  /// Tells what is different from what was told before. Anchors go with a space that is deleted, and are
  /// back with it.
  func became(record new: SpaceRecord?, anchors: [Anchor], origin: HBChange.Origin) {
    let wasDeleted = isDeleted(record)
    let isDeleted = isDeleted(new ?? record)
    var changes = !wasDeleted && isDeleted ? gone() : []
    for anchor in anchors {
      let before = shown.updateValue(anchor, forKey: anchor.id)
      guard before != anchor, !wasDeleted, !isDeleted else { continue }
      changes.append(
        HBChange.Anchor(
          id: UUID(anchor.id), before: before.map(shown),
          after: shown(anchor)))
    }
    if wasDeleted && !isDeleted { changes = back() }
    post(changes, spaceChange(to: new), origin)
  }

  private func isDeleted(_ record: SpaceRecord?) -> Bool { record?.existence?.deleted != nil }

  /// All living anchors, as they go.
  private func gone() -> [HBChange.Anchor] {
    living.map { HBChange.Anchor(id: UUID($0.id), before: shown($0), after: nil) }
  }

  /// All living anchors, as they come.
  private func back() -> [HBChange.Anchor] {
    living.map { HBChange.Anchor(id: UUID($0.id), before: nil, after: shown($0)) }
  }

  private var living: [Anchor] {
    shown.values.filter { $0.deleted == nil }.sorted { $0.id < $1.id }
  }

  /// Anchors that were told as deleted and are no more need not be remembered. O(n).
  func forget(where isGone: (AnchorID) -> Bool) {
    shown = shown.filter { $0.value.deleted == nil || !isGone($0.key) }
  }

  /// The space is held no more, or anew: everything that was told is gone.
  func emptied() {
    let changes =
      isDeleted(record)
      ? []
      : shown.values.sorted { $0.id < $1.id }.map {
        HBChange.Anchor(id: UUID($0.id), before: shown($0), after: nil)
      }
    shown = [:]
    let old = show(record)
    record = nil
    post(changes, old.map { HBChange.Space(before: $0, after: nil) }, .local)
  }

  private func shown(_ anchor: Anchor) -> HBAnchor {
    HBAnchor(anchor, in: space, from: scope)
  }

  private func spaceChange(to new: SpaceRecord?) -> HBChange.Space? {
    guard let new, new != record else { return nil }
    defer { record = new }
    return HBChange.Space(before: show(record), after: show(new))
  }

  private func post(
    _ anchors: [HBChange.Anchor], _ space: HBChange.Space?, _ origin: HBChange.Origin
  ) {
    guard !anchors.isEmpty || space != nil else { return }
    let change = HBChange(
      spaceId: UUID(self.space), anchors: anchors, space: space, origins: [origin])
    tell(ToldChange(change: change, moment: .next()))
  }
}
