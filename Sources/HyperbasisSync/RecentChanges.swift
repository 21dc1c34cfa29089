import HyperbasisCore

/// The last whole changes of a space as the frames that tell of them, in the order in which they became
/// durable here.
///
/// Live peers are served from it, each change encoded once for all of them. A peer whose position has
/// fallen out of it is served by a catch-up instead, so memory is bounded whatever a slow peer does.
package struct RecentChanges: Sendable {
  /// Bytes of frames beyond which the oldest are dropped.
  private let limit: Int
  private var changes: [(dot: Dot, frame: [UInt8])] = []
  private var bytes = 0
  /// The position of the oldest change kept.
  package private(set) var start = 0

  package init(limit: Int) {
    self.limit = limit
  }

  /// The number of changes kept.
  package var count: Int { changes.count }

  /// The position of the next change to come.
  package var end: Int { start + changes.count }

  package mutating func append(_ change: Change, of space: SpaceID) {
    let frame = Frame.change(space, change).encoded()
    changes.append((change.dot, frame))
    bytes += frame.count
    guard bytes > limit else { return }
    // Half is dropped at once, so that the cost of moving the rest is shared by many appends.
    var dropped = 0
    while bytes > limit / 2 && dropped < changes.count {
      bytes -= changes[dropped].frame.count
      dropped += 1
    }
    changes.removeFirst(dropped)
    if Defect.ringStartStays.isPlanted { return }
    start += dropped
  }

  /// Forgets everything: something was applied that is no single change.
  package mutating func interrupt() {
    start = end + 1
    changes.removeAll()
    bytes = 0
  }

  /// Precondition: `position` lies in `start..<end`.
  package func dot(at position: Int) -> Dot {
    changes[position - start].dot
  }

  /// The frame that tells of a change.
  ///
  /// Precondition: `position` lies in `start..<end`.
  package func frame(at position: Int) -> [UInt8] {
    changes[position - start].frame
  }
}
