extension Store {
  /// A database of at most so many bytes keeps its free pages.
  private static let leastVacuumBytes: Int64 = 1 << 20
  /// Pages in use that may be written anew in the middle of work: 16 MiB, a fraction of a second.
  static let shortVacuumPages: Int64 = 4_096

  /// Writes the database anew where more than half of it is free and at most `pages` are not.
  ///
  /// So a file is at most twice as large as its content, and each free page is paid for once. What
  /// fails here, as on a full disk, is tried again the next time.
  func giveRoomBack(upTo pages: Int64) {
    do throws(StoreError) {
      let count = try database.integer("PRAGMA page_count")
      let free = try database.integer("PRAGMA freelist_count")
      guard free > count - free, count - free <= pages,
        count * (try database.integer("PRAGMA page_size")) > Store.leastVacuumBytes
      else { return }
      // Who reads beside us, as a backup does, is not waited for.
      try database.execute("PRAGMA busy_timeout = 0")
      try? database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
      try database.execute("PRAGMA busy_timeout = \(Store.busyMilliseconds)")
    } catch {
      // The file stays as large as it is.
    }
  }
}
