import Foundation
import HyperbasisCore

/// The living anchors of a space as a load hands them out, sorted by creation, then id.
///
/// The next list is made of it: an anchor that did not change since has the same transform and
/// metadata, which the values share.
struct ShownAnchors: Sendable {
  private(set) var anchors: [HBAnchor] = []
  /// When each was made, as the order has it: a `Date` is less exact.
  private var created: [Int64] = []
  let point: ReadPoint
  /// The list that it was made of; nil where it was made of the space alone.
  let last: ReadPoint?
  /// The anchors that were written to since the last list, ascending.
  let changed: [AnchorID]
  /// Where each of them is; nil for those gone.
  private(set) var places: [Int?]

  /// O(n log m), where m anchors changed.
  init(_ news: AnchorNews, in space: SpaceID, from scope: EditScope) {
    (point, last, changed) = (news.point, news.last?.point, news.changed)
    places = [Int?](repeating: nil, count: changed.count)
    merge(news.last, with: news.living, in: space, from: scope)
  }

  /// These and those that are deleted, in order. O(n).
  func anchors(with deleted: [Anchor], in space: SpaceID, from scope: EditScope) -> [HBAnchor] {
    guard !deleted.isEmpty else { return anchors }
    var all: [HBAnchor] = []
    all.reserveCapacity(anchors.count + deleted.count)
    var taken = 0
    for index in anchors.indices {
      while taken < deleted.count, isAfter(deleted[taken].created, deleted[taken].id, index) {
        all.append(HBAnchor(deleted[taken], in: space, from: scope))
        taken += 1
      }
      all.append(anchors[index])
    }
    return all + deleted[taken...].map { HBAnchor($0, in: space, from: scope) }
  }

  func has(_ anchor: UUID, at index: Int) -> Bool {
    index < anchors.count && anchors[index].id == anchor
  }

  /// Whether both have the same anchors in the same places. O(n).
  func hasPlaces(of other: ShownAnchors) -> Bool {
    anchors.count == other.anchors.count
      && anchors.indices.allSatisfy { anchors[$0].id == other.anchors[$0].id }
  }

  /// Whether the anchor at an index comes after another.
  private func isAfter(_ created: Int64, _ id: AnchorID, _ index: Int) -> Bool {
    self.created[index] != created
      ? self.created[index] > created : AnchorID(anchors[index].id) > id
  }

  /// Takes in the last list but for what changed, and what that became. Precondition: `new` is sorted.
  private mutating func merge(
    _ last: ShownAnchors?, with new: [Anchor], in space: SpaceID, from scope: EditScope
  ) {
    let old = last?.anchors ?? []
    anchors.reserveCapacity(old.count + new.count)
    created.reserveCapacity(old.count + new.count)
    var taken = 0
    old.withUnsafeBufferPointer { old in
      for index in old.indices where !isChanged(old[index].id) {
        while taken < new.count, last!.isAfter(new[taken].created, new[taken].id, index) {
          append(new[taken], in: space, from: scope)
          taken += 1
        }
        // Lent by the buffer, since a copy of all its parts would cost more than the rest.
        anchors.append(old[index].handedOutAgain(by: scope))
        created.append(last!.created[index])
      }
    }
    for index in taken..<new.count { append(new[index], in: space, from: scope) }
  }

  private func isChanged(_ anchor: UUID) -> Bool {
    !changed.isEmpty && changeIndex(AnchorID(anchor)) != nil
  }

  /// The index among those that changed.
  private func changeIndex(_ anchor: AnchorID) -> Int? {
    let index = changed.firstIndex(notBelow: { $0 < anchor })
    return index < changed.count && changed[index] == anchor ? index : nil
  }

  private mutating func append(_ anchor: Anchor, in space: SpaceID, from scope: EditScope) {
    if let index = changeIndex(anchor.id) { places[index] = anchors.count }
    anchors.append(HBAnchor(anchor, in: space, from: scope))
    created.append(anchor.created)
  }
}

/// What a list of a space's anchors is made of.
struct AnchorNews: Sendable {
  let point: ReadPoint
  /// The list that this one is made of, where there is one of the same states.
  let last: ShownAnchors?
  /// The anchors that were written to since, ascending.
  let changed: [AnchorID]
  /// Those of them that live, or all without a last list; sorted.
  let living: [Anchor]
  /// All that are deleted, where they are asked for; sorted.
  let deleted: [Anchor]

  /// What became of a state since a list was made of it. O(what was written since), and O(n log n) where
  /// the list is of other states, or there is none.
  init(_ state: SpaceState, at point: ReadPoint, since last: ShownAnchors?, deleted: [Anchor]) {
    (self.point, self.deleted) = (point, deleted)
    guard let last, point.covers(last.point) else {
      self.last = nil
      changed = []
      living = state.anchorsByCreation()
      return
    }
    self.last = last
    changed = state.anchors(changedSince: last.point.vector)
    living = state.anchorsByCreation(among: changed)
  }
}

/// When the state of a space was read, and what it had come to.
struct ReadPoint: Sendable {
  let vector: VersionVector
  /// What may have been given up of it.
  let floor: VersionVector
  /// How often the state had been replaced, as the space was joined.
  let joins: Int
  /// States of another time say nothing of what changed; see ``PeerLoop/statesSince``.
  let statesSince: EditMoment
  /// Of the turn.
  let moment: EditMoment

  /// Whether this is an earlier point of the same states.
  func isEarlier(than other: ReadPoint) -> Bool {
    statesSince == other.statesSince && joins == other.joins && moment < other.moment
  }

  /// Whether another is an earlier point of the same states, and nothing of it is gone since, nor a deletion given
  /// up that it did not know.
  func covers(_ other: ReadPoint) -> Bool {
    other.isEarlier(than: self) && vector.covers(other.vector) && other.vector.covers(floor)
  }
}
