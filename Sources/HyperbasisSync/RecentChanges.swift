import HyperbasisCore

/// The last whole changes of a space, in the order in which they became durable here.
///
/// Live peers are served from it, each by the frames of its own link. A peer whose position has fallen out of it is served by a catch-up instead, so memory is bounded whatever a slow peer does.
package struct RecentChanges: Sendable {
  /// Bytes of changes, as they are written in full, beyond which the oldest are dropped.
  private let limit: Int
  private var changes: [(change: Change, bytes: Int)] = []
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

  package mutating func append(_ change: Change) {
    let length = change.encodedLength
    changes.append((change, length))
    bytes += length
    guard bytes > limit else { return }
    // Half is dropped at once, so that the cost of moving the rest is shared by many appends.
    var dropped = 0
    while bytes > limit / 2 && dropped < changes.count {
      bytes -= changes[dropped].bytes
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
  package subscript(position: Int) -> Change {
    changes[position - start].change
  }
}
