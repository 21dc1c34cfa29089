import HyperbasisCore

extension Store {
  /// How long another connection may hold the database.
  static let busyMilliseconds = 2_000

  private static let schema = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE spaces (
      number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, vector BLOB NOT NULL,
      history BLOB NOT NULL, record BLOB NOT NULL,
      floor BLOB NOT NULL DEFAULT x'', cut BLOB NOT NULL DEFAULT x'',
      swept BLOB NOT NULL DEFAULT x'', anchors INTEGER NOT NULL DEFAULT -1,
      given_up INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE anchors (key INTEGER PRIMARY KEY, record BLOB NOT NULL);
    CREATE TABLE replicas (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE);
    CREATE TABLE history (
      space INTEGER NOT NULL, author INTEGER NOT NULL, sequence INTEGER NOT NULL,
      change BLOB NOT NULL, PRIMARY KEY (space, author, sequence)) WITHOUT ROWID;
    CREATE TABLE anchor_history (
      space INTEGER NOT NULL, slot INTEGER NOT NULL, author INTEGER NOT NULL,
      sequence INTEGER NOT NULL, PRIMARY KEY (space, slot, author, sequence)) WITHOUT ROWID;
    CREATE TABLE peers (
      replica BLOB PRIMARY KEY, device BLOB NOT NULL, name BLOB NOT NULL, address BLOB NOT NULL,
      met INTEGER NOT NULL) WITHOUT ROWID;
    """

  /// The first format that is brought up.
  private static let oldestVersion = 2

  /// Checks what the file is before anything is written to it; makes the tables of a new one, and
  /// those of an older format into today's.
  static func prepare(_ database: Database, directory: String) throws(StoreError) {
    try database.execute("PRAGMA busy_timeout = \(busyMilliseconds)")
    let application = try database.integer("PRAGMA application_id")
    let version = try database.integer("PRAGMA user_version")
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
    let isNew = application == 0 && version == 0 && tables == 0
    guard isNew || application == applicationID else { throw .foreign(path: directory) }
    guard isNew || version > 0 else {
      throw .damaged(path: directory, what: "its format version is \(version)")
    }
    guard version <= formatVersion else {
      throw .newer(path: directory, version: Int(version))
    }
    guard isNew || version >= oldestVersion else {
      throw .older(path: directory, version: Int(version))
    }
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      """)
    guard isNew else {
      if version < formatVersion { try migrate(database) }
      return
    }
    try database.execute(
      """
      BEGIN IMMEDIATE;
      \(schema)
      \(mapsSchema)
      \(wholeMapsSchema)
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(formatVersion);
      COMMIT;
      """)
  }
  // MARK: Older formats

  /// Brings a database of format 2 or 3 up, in one transaction. O(spaces), whatever they hold.
  ///
  /// - Throws: `StoreError`; the database is then as it was.
  static func migrate(_ database: Database) throws(StoreError) {
    try database.execute("BEGIN IMMEDIATE")
    do {
      // A damaged header may tell of an older format than the tables are.
      if try !has(database, "anchors") { try addColumns(database) }
      if try !has(database, "given_up") { try addGivenUp(database) }
      try database.execute("PRAGMA user_version = \(formatVersion); COMMIT")
    } catch {
      try? database.execute("ROLLBACK")
      throw error
    }
  }

  /// Whether the tables are today's, whatever the database says of its format.
  static func isCurrent(_ database: Database) throws(StoreError) -> Bool {
    try has(database, "given_up")
  }

  private static func has(_ database: Database, _ column: String) throws(StoreError) -> Bool {
    try database.integer(
      "SELECT count(*) FROM pragma_table_info('spaces') WHERE name = '\(column)'") == 1
  }

  /// Adds the column that format 4 has beyond format 3. How late the writes were that a space has given up is not known
  /// there: not later than now.
  private static func addGivenUp(_ database: Database) throws(StoreError) {
    try database.execute("ALTER TABLE spaces ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0")
    try passingOverDamage(
      """
      UPDATE spaces SET given_up = (CAST(strftime('%s', 'now') AS INTEGER) * 1000) << 16
        WHERE floor <> x''
      """, in: database)
  }

  /// Damaged pages are the matter of the spaces on them, whose rows are checked as ever.
  private static func passingOverDamage(
    _ sql: String, in database: Database
  ) throws(StoreError) {
    do throws(StoreError) {
      try database.execute(sql)
    } catch {
      guard case .damaged = error else { throw error }
    }
  }

  /// Adds the columns that format 3 has beyond format 2.
  private static func addColumns(_ database: Database) throws(StoreError) {
    try database.execute(
      """
      ALTER TABLE spaces ADD COLUMN floor BLOB NOT NULL DEFAULT x'';
      ALTER TABLE spaces ADD COLUMN cut BLOB NOT NULL DEFAULT x'';
      ALTER TABLE spaces ADD COLUMN swept BLOB NOT NULL DEFAULT x'';
      ALTER TABLE spaces ADD COLUMN anchors INTEGER NOT NULL DEFAULT -1;
      """)
    // The slots of format 2 have no gap, so the last one says how many there were, those lost
    // included.
    try passingOverDamage(
      """
      UPDATE spaces SET anchors = 1 + max(
        coalesce((SELECT max(key) & 0xFFFFFFFF FROM anchors
          WHERE key BETWEEN number << 32 AND (number << 32) + 0xFFFFFFFF), -1),
        coalesce((SELECT max(slot) FROM anchor_history WHERE space = number), -1))
      """, in: database)
  }
}
