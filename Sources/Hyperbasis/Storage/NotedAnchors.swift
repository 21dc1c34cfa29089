import HyperbasisCore

/// A list of anchors that was handed out, and nothing made of it yet: what was loaded costs little until
/// it is looked at.
struct NotedAnchors: Sendable {
  private(set) var anchors: [HBAnchor]
  /// When the first list of these anchors was handed out.
  private let first: EditMoment
  /// When the last one was in force.
  private var last: EditMoment
  /// Of the anchors that had other keys in later lists.
  private var changed: [Int: KnownKeys] = [:]

  init(_ anchors: [HBAnchor], at moment: EditMoment, known: EditMoment) {
    self.anchors = anchors
    first = known
    last = moment
  }

  /// Takes a newer list in, and returns true, where it is of the same anchors. O(keys).
  mutating func renew(_ new: [HBAnchor], at moment: EditMoment, known: EditMoment) -> Bool {
    guard anchors.count == new.count,
      zip(anchors, new).allSatisfy({ $0.id == $1.id && $0.spaceId == $1.spaceId })
    else { return false }
    guard moment > last else { return true }
    for index in new.indices where !anchors[index].hasKeys(of: new[index]) {
      var base = self.base(index)
      base.note(SaveBase(new[index], known: KnownKeys(since: known), noted: moment))
      changed[index] = base.known
    }
    anchors = new
    last = moment
    return true
  }

  func base(_ index: Int) -> SaveBase {
    SaveBase(anchors[index], known: changed[index] ?? KnownKeys(since: first), noted: last)
  }
}

extension HBAnchor {
  /// Whether both have the same keys.
  fileprivate func hasKeys(of other: HBAnchor) -> Bool {
    metadata.count == other.metadata.count
      && other.metadata.keys.allSatisfy { metadata.hasExactKey($0) }
  }
}
