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
  static let formatVersion = 2
  /// "HYPB", in the header of the database file.
  static let applicationID = 0x4859_5042

  package let directory: String
  package let device: DeviceID
  package private(set) var replica: ReplicaID

  let database: Database
  /// Nil for a store in memory.
  private let lock: StoreLock?
  /// Nil for a store in memory.
  var continuation: Continuation?
  /// Why this opening took a new replica id; nil when it did not.
  package let breach: IdentityBreach?
  var spaceNumbers: [SpaceID: Int64] = [:]
  private let insertSpace: Statement
  private let updateSpace: Statement
  private let putAnchor: Statement
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
    try self.init(
      Database(file: file, directory: directory), directory: directory, lock: lock, boot: boot)
  }

  /// A new store that is on no disk and ends with this object; errors call it `name`.
  package convenience init(inMemory name: String) throws(StoreError) {
    try self.init(
      Database(file: ":memory:", directory: name), directory: name, lock: nil, boot: nil)
  }

  private init(
    _ database: Database, directory: String, lock: StoreLock?, boot: UInt128?
  ) throws(StoreError) {
    try Store.prepare(database, directory: directory)
    insertSpace = try Statement(
      Store.insertSpaceSQL, in: database)
    updateSpace = try Statement(
      "UPDATE spaces SET vector = ?2, history = ?3, record = ?4 WHERE number = ?1", in: database)
    putAnchor = try Statement(
      "INSERT OR REPLACE INTO anchors (key, record) VALUES (?1, ?2)", in: database)
    history = try HistoryTable(database, directory: directory)
    if let boot {
      continuation = try Continuation(database, directory: directory, boot: boot)
    }
    let identity = try Store.identity(
      database, directory: directory, continuation: &continuation)
    (device, replica) = (identity.device, identity.replica)
    breach = identity.breach
    self.directory = directory
    self.database = database
    self.lock = lock
  }

  deinit {
    // What fails here costs a new replica id after a restart of the system, and nothing else.
    try? continuation?.end()
  }

  /// Makes the writes durable together: when it returns they survive a crash, when it throws
  /// nothing of them is there.
  ///
  /// The cost depends on the writes, not on the length of the history or on other spaces.
  package func commit(_ writes: [SpaceWrites]) throws(StoreError) {
    try transaction { () throws(StoreError) in
      for space in writes { try write(space) }
    }
  }

  /// The number of a space in the tables; nil for one that is not in the store.
  func number(of space: SpaceID) throws(StoreError) -> Int64? {
    if let known = spaceNumbers[space] { return known }
    let select = try Statement("SELECT number FROM spaces WHERE id = ?1", in: database)
    var id = ByteWriter()
    id.identifier(space)
    return try select.bind(1, id.bytes).step() ? select.integer(0) : nil
  }

  /// Nothing of what is remembered of the tables holds any more.
  func begin(as replica: ReplicaID) {
    self.replica = replica
    spaceNumbers = [:]
    history.numbers = [:]
  }

  // MARK: Private

  /// The number is above all that any table has, so that rows which a lost row of spaces left behind are
  /// never another space's.
  private static let insertSpaceSQL = """
    INSERT INTO spaces (number, id, vector, history, record) VALUES (1 + max(
      coalesce((SELECT max(number) FROM spaces), 0),
      coalesce((SELECT max(key) >> 32 FROM anchors), 0),
      coalesce((SELECT max(space) FROM history), 0)), ?1, ?2, ?3, ?4)
    """

  private func write(_ writes: SpaceWrites) throws(StoreError) {
    var vector = ByteWriter()
    writes.vector.encode(into: &vector)
    var past = ByteWriter()
    if writes.history != writes.vector { writes.history.encode(into: &past) }
    let record = encodeRecord(writes.spaceRecord)
    let number: Int64
    if let known = spaceNumbers[writes.space] {
      number = known
      updateSpace.bind(1, number).bind(2, vector.bytes).bind(3, past.bytes)
      try updateSpace.bind(4, record).run()
    } else {
      var id = ByteWriter()
      id.identifier(writes.space)
      insertSpace.bind(1, id.bytes).bind(2, vector.bytes).bind(3, past.bytes)
      try insertSpace.bind(4, record).run()
      number = try database.integer("SELECT last_insert_rowid()")
      spaceNumbers[writes.space] = number
    }
    for anchor in writes.anchors {
      let key = number << 32 | Int64(anchor.slot)
      try putAnchor.bind(1, key).bind(2, encodeRecord(anchor.cells)).run()
    }
    try history.write(writes.changes, ofSpace: number)
  }

  func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    let knownSpaces = spaceNumbers
    let knownReplicas = history.numbers
    try database.execute("BEGIN IMMEDIATE")
    do {
      try body()
      try database.execute("COMMIT")
    } catch {
      // A failed COMMIT may have rolled back already; then this has nothing to do.
      try? database.execute("ROLLBACK")
      spaceNumbers = knownSpaces
      history.numbers = knownReplicas
      throw error
    }
  }
}

/// A row's registers, with their tables of replicas and anchors.
private func encodeRecord(_ cells: [Cell]) -> [UInt8] {
  var writer = ByteWriter()
  Cell.encode(cells, into: &writer)
  return writer.bytes
}

func decodeRecord(_ bytes: [UInt8]) throws(CodecError) -> [Cell] {
  var reader = ByteReader(bytes)
  let cells = try Cell.decode(from: &reader)
  try reader.finish()
  return cells
}
