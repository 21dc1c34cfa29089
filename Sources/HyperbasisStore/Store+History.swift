import HyperbasisCore

extension Store {
  /// All whole changes of a space that are durable, ascending by stamp; none for an unknown space.
  ///
  /// O(n log n) in their number. They are all in memory then.
  ///
  /// - Throws: `StoreError.damaged` naming the change that cannot be read.
  package func changes(of space: SpaceID) throws(StoreError) -> [Change] {
    guard let row = try spaces.row(of: space) else { return [] }
    return try history.all(ofSpace: row).sorted { $0.stamp < $1.stamp }
  }

  /// The whole changes that write to one anchor, ascending by stamp; `slot` is the anchor's
  /// ``SpaceState/slotNumber(of:)``. Its cost does not depend on those of other anchors.
  package func changes(of space: SpaceID, slot: Int) throws(StoreError) -> [Change] {
    guard let row = try spaces.row(of: space) else { return [] }
    return try history.all(ofSpace: row, slot: slot).sorted { $0.stamp < $1.stamp }
  }

  /// A part of the history that lies between two vectors, replica by replica, of each a prefix
  /// without gaps; the change that reaches `bytes` is the last. What was given up is left out.
  ///
  /// - Throws: `StoreError.damaged` when a change that `last` covers cannot be read.
  package func changes(
    of space: SpaceID, after known: VersionVector, upTo last: VersionVector, bytes: Int
  ) throws(StoreError) -> [Change] {
    guard let row = try spaces.row(of: space) else { return [] }
    var left = max(1, bytes)
    var changes: [Change] = []
    for entry in last.entries where left > 0 {
      let start = max(known[entry.replica], row.cut[entry.replica])
      guard entry.sequence > start else { continue }
      changes += try history.changes(
        of: entry.replica, inSpace: row.number, after: start, upTo: entry.sequence, bytes: &left)
    }
    return changes
  }
}
