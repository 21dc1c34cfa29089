extension CellTable {
  /// The greatest timestamp of any write; nil where there is none. O(n).
  package var lastTimestamp: Timestamp? { rows.lazy.map(\.timestamp).max() }

  /// Whether the writes continue what is known: of each replica none is known, all are within `end`, and their
  /// sequences ascend. O(n).
  package func isInOrder(from start: VersionVector, to end: VersionVector) -> Bool {
    let known = authors.elements.map { start[$0] }
    let covered = authors.elements.map { end[$0] }
    var reached = known
    for row in rows {
      let (author, sequence) = (row.dot.author, row.dot.sequence)
      guard sequence > known[author], sequence >= reached[author], sequence <= covered[author]
      else { return false }
      reached[author] = sequence
    }
    return true
  }
}
