import HyperbasisCore

/// One store directory: a SQLite database, and a lock that keeps a second opener out.
///
/// ```swift
/// let store = try Store(directory: "/home/user/.local/share/hyperbasis")
/// let spaces = try store.load()
/// try store.commit(writes)   // durable when it returns
/// ```
///
/// Used by one thread at a time. `Docs/STORAGE.md` describes every table and byte.
package final class Store {
  /// The format that this version writes.
  static let formatVersion = 4
  /// "HYPB", in the header of the database file.
  static let applicationID = 0x4859_5042

  package let directory: String
  package let device: DeviceID
  package private(set) var replica: ReplicaID

  let database: Database
  /// Nil for a store in memory.
  let lock: StoreLock?
  /// Nil for a store in memory.
  var continuation: Continuation?
  /// Why this opening took a new replica id; nil when it did not.
  package let breach: IdentityBreach?
  let spaces: SpaceTable
  let history: HistoryTable

  /// Opens a store, creating what is missing.
  ///
  /// - Parameter boot: the number of the system's present start.
  /// - Throws: `StoreError`; an existing store is then as it was.
  package convenience init(
    directory: String, boot: UInt128 = Continuation.bootNumber
  ) throws(StoreError) {
    try makeDirectory(directory)
    let lock = try StoreLock(directory: directory)
    try RepairFiles(directory: directory).complete()
    let file = directory + "/store.sqlite"
    makePrivate(file)
    let logMark = LogMark(directory: directory, boot: boot)
    let isLogDamaged = try Store.setAsideWrongLog(than: logMark?.last, in: directory)
    let database = try Database(file: file, directory: directory)
    database.logMark = logMark
    try Store.prepare(database, directory: directory)
    try self.init(
      prepared: database, directory: directory, lock: lock, boot: boot, isLogDamaged: isLogDamaged)
  }

  /// Opens a store in a database whose tables are today's; no lock and no boot for one in memory.
  init(
    prepared database: Database, directory: String, lock: StoreLock?, boot: UInt128?,
    isLogDamaged: Bool = false
  ) throws(StoreError) {
    spaces = SpaceTable(database)
    history = HistoryTable(database, directory: directory)
    if let boot {
      continuation = try Continuation(database, directory: directory, boot: boot)
    }
    let identity = try Store.identity(
      database, directory: directory, continuation: &continuation, isLogDamaged: isLogDamaged)
    (device, replica) = (identity.device, identity.replica)
    breach = identity.breach
    self.directory = directory
    self.database = database
    self.lock = lock
    tellLog()
  }

  /// From now on the mark tells of the log of this opening. The database itself has the opening's number by then.
  func tellLog() {
    guard let mark = database.logMark, let number = Continuation.number(in: directory),
      database.checkpoint()
    else { return }
    mark.begin(number: number)
  }

  deinit {
    // What fails here costs a new replica id after a restart of the system, and nothing else.
    try? continuation?.end()
  }

  /// Keeps a log that is another one than it was, or shorter, as far as it can be read, under another name. Another one, and
  /// one of which the database has all, goes. Returns whether commits are lost.
  private static func setAsideWrongLog(
    than last: (reach: LogMark.Reach, number: UInt128)?, in directory: String
  ) throws(StoreError) -> Bool {
    guard let last, last.number == Continuation.number(in: directory) else { return false }
    let files = RepairFiles(directory: directory)
    let found = WriteAheadLog.found(at: files.log)
    let isLost = last.reach.frames > 0 && !last.reach.isInDatabase
    if found.frames > 0 {
      guard last.reach.isFollowed(by: found.salts) else {
        // Where the database is another one as well, both were put back, and belong together.
        guard Continuation.number(inDatabaseOf: directory) == last.number else { return false }
        try files.setAsideLog(isMoved: true)
        return isLost
      }
      // It began anew just before the kill.
      if found.salts != last.reach.salts { return false }
    }
    guard found.frames < last.reach.frames else { return false }
    try files.setAsideLog(isMoved: last.reach.isInDatabase)
    return isLost
  }

  /// Makes the writes durable together: when it returns they survive a crash, when it throws
  /// nothing of them is there.
  ///
  /// The cost depends on the writes and on what they give up, not on the length of the history or
  /// on other spaces. Where little is left of a large file, it is made short.
  package func commit(_ writes: [SpaceWrites]) throws(StoreError) {
    var isLess = false
    try transaction { () throws(StoreError) in
      for space in writes where try write(space) { isLess = true }
    }
    guard isLess else { return }
    giveRoomBack(upTo: Store.shortVacuumPages)
    shortenLog()
  }

  /// Goes on as another replica; what is remembered of spaces is read anew.
  func begin(as replica: ReplicaID) {
    self.replica = replica
    spaces.forgetAll()
  }

  // MARK: Private

  /// Returns whether rows were given up.
  private func write(_ writes: SpaceWrites) throws(StoreError) -> Bool {
    let old = spaces.known[writes.space]
    let (cut, swept) = (old?.cut ?? VersionVector(), old?.swept ?? VersionVector())
    let isCut = writes.cut != cut
    let isSwept = isCut && HistoryTable.isSweepDue(writes, since: swept)
    let number = try spaces.write(writes, sweptTo: isSwept ? writes.cut : swept)
    try history.write(writes.changes, ofSpace: number)
    if isCut { try history.cut(ofSpace: number, from: cut, to: writes.cut) }
    if isSwept { try history.sweep(ofSpace: number, upTo: writes.cut) }
    if let marks = writes.marks { try write(marks, ofSpace: number) }
    return isCut || !writes.removed.isEmpty
  }

  func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    spaces.begin()
    let knownReplicas = history.numbers
    try Statement("BEGIN IMMEDIATE", in: database).run()
    do {
      try body()
      try Statement("COMMIT", in: database).run()
    } catch {
      // A failed COMMIT may have rolled back already; then this has nothing to do.
      try? database.execute("ROLLBACK")
      spaces.undo()
      history.numbers = knownReplicas
      throw error
    }
  }
}
