/// What an applied change or delta altered.
package struct Touched: Equatable, Sendable {
  /// Whether the space's own registers changed.
  package private(set) var space = false
  /// In the order in which they were noted, some more than once: they are put in order when somebody
  /// asks, which costs less than a set. Most changes have one, which needs no memory of its own.
  private var first: AnchorID?
  private var others: [AnchorID] = []

  package init() {}

  /// The anchors with a register that took a new value, ascending. O(n log n).
  package var anchors: [AnchorID] {
    guard let first else { return [] }
    return others.isEmpty ? [first] : ([first] + others).sorted().withoutRepetitions
  }

  package var isEmpty: Bool { !space && first == nil }

  mutating func note(_ anchor: AnchorID?) {
    guard let anchor else {
      space = true
      return
    }
    guard let first else {
      self.first = anchor
      return
    }
    if (others.last ?? first) != anchor { others.append(anchor) }
  }

  package mutating func formUnion(_ other: Touched) {
    space = space || other.space
    if let anchor = other.first { note(anchor) }
    others += other.others
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.space == right.space && left.anchors == right.anchors
  }
}

extension Touched: CustomReflectable {
  /// What is noted, not how.
  package var customMirror: Mirror {
    Mirror(self, children: ["space": space, "anchors": anchors], displayStyle: .struct)
  }
}

extension Array where Element: Equatable {
  /// Of equal elements that follow each other, the first.
  var withoutRepetitions: [Element] {
    var kept: [Element] = []
    kept.reserveCapacity(count)
    for element in self where kept.last != element { kept.append(element) }
    return kept
  }
}
