import HyperbasisCore

extension Store {
  private static let schema = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE spaces (
      number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, vector BLOB NOT NULL,
      history BLOB NOT NULL, record BLOB NOT NULL);
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

  /// Checks what the file is before anything is written to it; makes the tables of a new one.
  static func prepare(_ database: Database, directory: String) throws(StoreError) {
    try database.execute("PRAGMA busy_timeout = 2000")
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
    guard isNew || version == formatVersion else {
      throw .older(path: directory, version: Int(version))
    }
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      """)
    guard isNew else { return }
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
}
