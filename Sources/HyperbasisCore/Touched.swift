/// What an applied change or delta altered.
package struct Touched: Equatable, Sendable {
  /// Whether the space's own registers changed.
  package private(set) var space = false
  /// In the order in which they were noted, some more than once: they are put in order when somebody
  /// asks, which costs less than a set.
  private var noted: [AnchorID] = []

  package init() {}

  /// The anchors with a register that took a new value, ascending. O(n log n).
  package var anchors: [AnchorID] { noted.sorted().withoutRepetitions }

  package var isEmpty: Bool { !space && noted.isEmpty }

  mutating func note(_ anchor: AnchorID?) {
    guard let anchor else {
      space = true
      return
    }
    if noted.last != anchor { noted.append(anchor) }
  }

  package mutating func formUnion(_ other: Touched) {
    space = space || other.space
    noted += other.noted
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
