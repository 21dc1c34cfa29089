import HyperbasisCore

extension HistoryTable {
  // MARK: Giving up

  /// Rows of `anchor_history` that are swept at once, however many stay.
  private static let smallSweep: UInt64 = 4_096

  /// Deletes the changes between what was given up before and what is now: O(those).
  func cut(
    ofSpace space: Int64, from old: VersionVector, to new: VersionVector
  ) throws(StoreError) {
    let drop = try Statement(
      "DELETE FROM history WHERE space = ?1 AND author = ?2 AND sequence > ?3 AND sequence <= ?4",
      in: database)
    for entry in new.entries where entry.sequence > old[entry.replica] {
      // An author without a number has no changes here.
      guard let author = numbers[entry.replica] else { continue }
      drop.bind(1, space).bind(2, author).bind(3, Int64(old[entry.replica]))
      try drop.bind(4, Int64(entry.sequence)).run()
    }
  }

  /// Whether it is time to go through `anchor_history`, which is in the order of anchors: few
  /// changes are kept, or as many are given up since the last time as are a quarter of those. So a
  /// sweep costs O(changes given up), and no more than a quarter of the rows are for nothing.
  static func isSweepDue(_ writes: SpaceWrites, since swept: VersionVector) -> Bool {
    let kept = writes.history.count(beyond: writes.cut)
    return kept <= smallSweep || writes.cut.count(beyond: swept) >= kept / 4
  }

  /// Deletes the rows of `anchor_history` whose changes are given up. O(rows of the space).
  func sweep(ofSpace space: Int64, upTo cut: VersionVector) throws(StoreError) {
    var last: [Int64: Int64] = [:]
    for entry in cut.entries {
      if let author = numbers[entry.replica] { last[author] = Int64(entry.sequence) }
    }
    // The first row of each anchor and author is the oldest.
    let select = try Statement(
      """
      SELECT slot, author, min(sequence) FROM anchor_history WHERE space = ?1 GROUP BY slot, author
      """, in: database)
    var stale: [(slot: Int64, author: Int64)] = []
    select.bind(1, space)
    while try select.step() {
      let (slot, author) = (select.integer(0), select.integer(1))
      if let last = last[author], select.integer(2) <= last { stale.append((slot, author)) }
    }
    let drop = try Statement(
      """
      DELETE FROM anchor_history
      WHERE space = ?1 AND slot = ?2 AND author = ?3 AND sequence <= ?4
      """, in: database)
    for (slot, author) in stale {
      try drop.bind(1, space).bind(2, slot).bind(3, author).bind(4, last[author]!).run()
    }
  }

  /// Deletes the changes that `kept` does not cover. O(those and the rows of the space's anchors).
  func drop(ofSpace space: Int64, beyond kept: VersionVector) throws(StoreError) {
    for table in ["history", "anchor_history"] {
      let drop = try Statement(
        "DELETE FROM \(table) WHERE space = ?1 AND author = ?2 AND sequence > ?3", in: database)
      for (replica, author) in numbers {
        try drop.bind(1, space).bind(2, author).bind(3, Int64(kept[replica])).run()
      }
    }
  }

  // MARK: Checking

  /// The greatest slot of an anchor that a change writes to; -1 when there is none.
  ///
  /// - Throws: `StoreError.damaged` for one that no anchor can have.
  func lastSlot(ofSpace space: Int64) throws(StoreError) -> Int {
    let select = try Statement(
      "SELECT coalesce(max(slot), -1) FROM anchor_history WHERE space = ?1", in: database)
    let last = try select.bind(1, space).step() ? Int(select.integer(0)) : -1
    guard last <= SpaceTable.lastSlot else {
      throw database.damaged("anchor_history of space \(space) has the slot \(last)")
    }
    return last
  }

  /// Compares first and last rows with the vector and with what was given up: O(authors * log n),
  /// whatever the length.
  ///
  /// A row that is missing between them is found when it is read.
  func check(
    ofSpace space: Int64, after cut: VersionVector, upTo vector: VersionVector
  ) throws(StoreError) {
    let select = try Statement(
      """
      SELECT author, sequence, (SELECT max(sequence) FROM history WHERE space = ?1
        AND author = first.author) FROM history AS first WHERE space = ?1 AND author > ?2
      ORDER BY author, sequence LIMIT 1
      """, in: database)
    var ends: [Int64: ClosedRange<Int64>] = [:]
    var author: Int64 = -1
    while try select.bind(1, space).bind(2, author).step() {
      // Of a text or a fraction that stands in its place there is no next one: it would come for ever.
      guard select.integer(0) > author else {
        throw .damaged(
          path: directory, what: "history of space \(space) has no number for an author")
      }
      author = select.integer(0)
      ends[author] = select.integer(1)...max(select.integer(1), select.integer(2))
      select.reset()
    }
    let expected = vector.entries.filter { $0.sequence > cut[$0.replica] }
    let fits = expected.allSatisfy { entry in
      let first = Int64(cut[entry.replica]) + 1
      return ends[numbers[entry.replica] ?? 0] == first...Int64(entry.sequence)
    }
    guard ends.count == expected.count, fits else {
      throw .damaged(
        path: directory, what: "the history of space \(space) is not what its vector says")
    }
  }
}
