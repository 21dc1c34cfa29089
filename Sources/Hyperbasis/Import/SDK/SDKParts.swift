import HyperbasisCore

/// The anchors of a space in parts that are written in one turn each, every anchor in one of them.
package struct SDKParts: Sendable {
  /// Changes in one part; an anchor with more is a part of its own.
  private static let changes = 1_000
  /// Encoded bytes of changes in one part.
  private static let bytes = 1_048_576

  package private(set) var parts: [[SDKAnchorPast]] = []
  package private(set) var problems: [SDKProblem] = []

  /// O(n) in the bytes of the changes.
  package init(_ pasts: [SDKAnchorPast]) {
    var (changes, bytes) = (0, 0)
    for past in pasts {
      problems += past.problems
      guard !past.changes.isEmpty, let size = size(of: past) else { continue }
      changes += past.changes.count
      bytes += size
      if parts.isEmpty || changes > SDKParts.changes || bytes > SDKParts.bytes {
        parts.append([])
        (changes, bytes) = (past.changes.count, size)
      }
      parts[parts.count - 1].append(past)
    }
  }

  /// The encoded bytes of an anchor's changes; nil when one of them is beyond a limit.
  private mutating func size(of past: SDKAnchorPast) -> Int? {
    do throws(PeerError) {
      var size = 0
      for change in past.changes { size += try PeerLoop.encodedBytes(of: change.operations) }
      return size
    } catch {
      problems.append(
        SDKProblem(file: SDKFolder.anchors.file(past.id, "json"), reason: error.description))
      return nil
    }
  }
}
