import CSQLite

extension Store {
  /// A database of at most so many bytes keeps its free pages.
  private static let leastVacuumBytes: Int64 = 1 << 16
  /// Pages in use that may be written anew in the middle of work: 16 MiB, a fraction of a second.
  static let shortVacuumPages: Int64 = 4_096

  /// Writes the database anew where many of its pages are free and at most `pages` are not: more than half as many as
  /// are in use, or as many in a large one. Returns whether it did.
  ///
  /// So a file is at most one and a half times as large as its content, a large one twice, and each free page is paid
  /// for once. What fails here, as on a full disk, is tried again the next time.
  @discardableResult
  func giveRoomBack(upTo pages: Int64) -> Bool {
    do throws(StoreError) {
      let count = try database.integer("PRAGMA page_count")
      let free = try database.integer("PRAGMA freelist_count")
      let bytes = count * (try database.integer("PRAGMA page_size"))
      let used = count - free
      guard free > (used <= Store.shortVacuumPages ? used / 2 : used), used <= pages,
        bytes > Store.leastVacuumBytes
      else { return false }
      return withoutWaiting { () throws(StoreError) in try database.execute("VACUUM") }
    } catch {
      return false
    }
  }

  /// Has the log's pages be in the database, and the log be of no bytes.
  func shortenLog() {
    // The log is no longer needed before it is no more.
    _ = withoutWaiting { () throws(StoreError) in
      if database.checkpoint() { database.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
    }
  }

  /// Who reads beside us, as a backup does, is not waited for. Returns whether it was done.
  private func withoutWaiting(_ body: () throws(StoreError) -> Void) -> Bool {
    do throws(StoreError) {
      try database.execute("PRAGMA busy_timeout = 0")
      defer { try? database.execute("PRAGMA busy_timeout = \(Store.busyMilliseconds)") }
      try body()
      return true
    } catch {
      return false
    }
  }
}
