import Foundation

/// What a storage last handed out or wrote of one space: see ``SaveMemory``.
struct SpaceMemory: Sendable {
  private(set) var space: SpaceBase?
  /// The list that was handed out last; of its anchors, what is newer here counts.
  private(set) var list: NotedAnchors?
  /// Of anchors that were handed out or written one by one, and of those that changed between lists.
  private var anchors: [UUID: SaveBase] = [:]
  /// Those of which the list says nothing that is not there.
  private var settled: Set<UUID> = []
  /// When the newest was read or written.
  private var newest = EditMoment.zero
  /// What was read before comes too late.
  private let start: EditMoment

  init(since start: EditMoment) {
    self.start = start
  }

  /// What an anchor is compared with. O(keys), and O(n) for the first of a list.
  mutating func base(of anchor: UUID) -> SaveBase? {
    listed(anchor)?.noted(over: anchors[anchor]) ?? anchors[anchor]
  }

  /// What the list says of an anchor, where that is news.
  private mutating func listed(_ anchor: UUID) -> SaveBase? {
    guard let moment = list?.shown.point.moment, !isKnown(anchor, at: moment) else { return nil }
    return list!.base(of: anchor)
  }

  /// Whether what is known of an anchor by itself is as new as a list.
  private func isKnown(_ anchor: UUID, at moment: EditMoment) -> Bool {
    anchors.index(forKey: anchor).map { anchors.values[$0].noted >= moment } ?? false
  }

  /// An anchor was handed out or written.
  mutating func set(_ new: SaveBase) {
    guard new.noted > start else { return }
    let id = new.value.id
    anchors[id] = new.noted(over: base(of: id))
    newest = max(newest, new.noted)
    if list != nil { settled.insert(id) }
  }

  mutating func set(_ new: SpaceBase) {
    guard new.noted > start, space?.noted ?? .zero < new.noted else { return }
    space = new
  }

  /// A list was handed out.
  mutating func note(_ new: ShownAnchors, known: EditMoment) {
    guard new.point.moment > start else { return }
    if list?.isFollowed(by: new) ?? false {
      follow(new, known: known)
    } else if list.map({ $0.shown.point.moment < new.point.moment }) ?? true {
      for base in list?.bases ?? [] { set(base) }
      list = NotedAnchors(new, known: known)
      settle(at: new.point.moment)
    } else {
      for base in NotedAnchors(new, known: known).bases { set(base) }
    }
  }

  /// Forgets the anchors that are no more. O(n).
  mutating func forget(where isGone: (UUID) -> Bool) {
    if let list, list.shown.anchors.contains(where: { isGone($0.id) }) {
      for base in list.bases where !isGone(base.value.id) { set(base) }
      self.list = nil
      settled = []
    }
    let kept = anchors.filter { !isGone($0.key) }
    if kept.count < anchors.count { anchors = kept }
    settled.formIntersection(anchors.keys)
  }

  /// Replaces the list by one that tells what changed since. O(what changed), where the anchors are the
  /// same.
  private mutating func follow(_ new: ShownAnchors, known: EditMoment) {
    for (anchor, place) in zip(new.changed, new.places) {
      let id = UUID(anchor)
      if settled.contains(id) { continue }
      if let old = listed(id) {
        if anchors[id] == nil, let place, new.anchors[place].hasNoKey(beyond: old.value) {
          continue
        }
        anchors[id] = old.noted(over: anchors[id])
      }
      settled.insert(id)
    }
    list!.follow(new, settled: settled, known: known)
    settle(at: new.point.moment)
  }

  /// What is newer than a list is all that counts, until another comes.
  private mutating func settle(at moment: EditMoment) {
    settled = newest < moment ? [] : Set(anchors.keys.filter { isKnown($0, at: moment) })
  }
}

extension HBAnchor {
  /// Whether each of its keys is one of the other's.
  fileprivate func hasNoKey(beyond other: HBAnchor) -> Bool {
    metadata.keys.allSatisfy { other.metadata.hasExactKey($0) }
  }
}

/// What was last handed out or written of a space, and in which turn that was in force.
struct SpaceBase: Sendable {
  let value: HBSpace
  let noted: EditMoment
}
