extension SpaceState {
  /// What one replica wrote, in the order of its sequences, as rows of the table.
  struct ReplicaLog: Sendable {
    private(set) var entries = Column<Entry>()
    /// Entries that are still the last write of their register.
    var live = 0

    /// Twelve bytes.
    struct Entry: Sendable {
      private let low: UInt32
      private let high: UInt32
      private let packedRow: UInt32

      fileprivate init(_ sequence: UInt64, _ row: Int) {
        low = UInt32(truncatingIfNeeded: sequence)
        high = UInt32(sequence >> 32)
        packedRow = UInt32(row)
      }

      var sequence: UInt64 { UInt64(high) << 32 | UInt64(low) }
      var row: Int { Int(packedRow) }
    }

    init() {}

    /// A write of the register that the last entry is of takes its place: one that is dragged is written over and over.
    mutating func append(sequence: UInt64, row: Int) {
      live += 1
      guard let last = entries.last else { return entries.append(Entry(sequence, row)) }
      precondition(last.sequence <= sequence, "dot order")
      if last.row == row {
        entries[entries.count - 1] = Entry(sequence, row)
      } else {
        entries.append(Entry(sequence, row))
      }
    }

    /// The index of the first entry beyond `sequence`. O(log n).
    func firstEntry(beyond sequence: UInt64) -> Int {
      entries.firstIndex(notBelow: { $0.sequence <= sequence })
    }

    /// Whether a third of it is superseded.
    fileprivate var isStale: Bool {
      // In the small worlds of the simulator a log is seldom compacted else.
      let least = Defect.logForgetsLiveEntries.isPlanted ? 4 : 64
      return entries.count > live + live / 2 + least
    }

    fileprivate mutating func keep(_ isKept: (Entry) -> Bool) {
      entries.keep(isKept)
    }

    /// Takes an entry out of order; ``sort()`` follows.
    fileprivate mutating func add(sequence: UInt64, row: Int) {
      entries.append(Entry(sequence, row))
    }

    fileprivate mutating func sort() {
      live = entries.count
      for (entry, next) in zip(entries, entries.dropFirst()) where next.sequence < entry.sequence {
        entries.sort { ($0.sequence, $0.row) < ($1.sequence, $1.row) }
        return
      }
    }

    fileprivate mutating func finishUnsorted() { live = entries.count }
  }

  /// Makes the logs anew, of the registers.
  mutating func makeLogs() {
    logs = cells.authors.elements.map { _ in ReplicaLog() }
    for (row, cell) in cells.rows.enumerated() where cell.dot != .forgotten {
      logs[cell.dot.author].add(sequence: cell.dot.sequence, row: row)
    }
    for author in logs.indices {
      if Defect.loadedLogUnsorted.isPlanted {
        logs[author].finishUnsorted()
      } else {
        logs[author].sort()
      }
    }
  }

  /// The log of a replica; an empty one where it wrote nothing that still holds.
  func log(of replica: ReplicaID) -> ReplicaLog {
    cells.authors.place(of: replica).map { logs[$0] } ?? ReplicaLog()
  }

  /// Drops superseded entries when they are a third of the log: O(1) a write in the mean.
  mutating func compactLog(of author: Int) {
    guard logs[author].isStale else { return }
    let rows = cells.rows
    logs[author].keep { entry in
      let dot = rows[entry.row].dot
      return dot.author == author && dot.sequence == entry.sequence
        && !Defect.logForgetsLiveEntries.isPlanted
    }
  }
}
