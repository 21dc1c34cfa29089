import HyperbasisCore

/// A damaged database, of which is read what can be read.
///
/// Use it on a copy: SQLite may write to it.
struct Salvage {
  private static let tables = [
    "meta", "spaces", "anchors", "replicas", "history", "anchor_history", "peers", "maps", "chunks",
    "whole_maps",
  ]

  let database: Database
  /// What could not be read, a line each.
  private(set) var problems: [String] = []

  /// Gives the file another first page where that is what is damaged.
  ///
  /// - Throws: `StoreError.foreign`, `newer` or `older` for a file that is no damaged store, and
  ///   `failed` where not even an empty one can be opened.
  init(_ file: some DamagedFile) throws(StoreError) {
    do throws(StoreError) {
      try self.init(file.database())
    } catch {
      switch error {
      case .foreign, .newer, .older: throw error
      default: try self.init(withoutFirstPage: file, problem: error)
      }
    }
  }

  /// - Throws: `StoreError` where the first page is damaged, or is none of a damaged store.
  init(_ database: Database) throws(StoreError) {
    let database = try Salvage.open(database)
    try Salvage.check(database)
    guard try Salvage.countTables(database) == Salvage.tables.count else {
      throw database.damaged("tables are missing")
    }
    if try !Store.isCurrent(database) { try Store.migrate(database) }
    self.database = database
  }

  private init(
    withoutFirstPage file: some DamagedFile, problem: StoreError
  ) throws(StoreError) {
    var file = file
    try file.replaceFirstPage()
    database = try Salvage.open(file.database())
    problems.append("the first page: \(problem.what)")
    let isReadable = (try? Salvage.countTables(database)) == Salvage.tables.count
    if !isReadable { problems.append("nothing of the file is a store") }
  }

  /// Has SQLite read a file that is shorter than it says.
  private static func open(_ database: Database) throws(StoreError) -> Database {
    // Even where it is on already, to set it has all statements be prepared again.
    if try database.integer("PRAGMA writable_schema") == 0 {
      try database.execute("PRAGMA writable_schema = ON")
    }
    return database
  }

  private static func countTables(_ database: Database) throws(StoreError) -> Int {
    let names = tables.map { "'\($0)'" }.joined(separator: ",")
    return Int(
      try database.integer(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (\(names))"))
  }

  private static func check(_ database: Database) throws(StoreError) {
    let application = try database.integer("PRAGMA application_id")
    let version = Int(try database.integer("PRAGMA user_version"))
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
    let ours = try countTables(database)
    if application != Store.applicationID, tables > 0, ours < Salvage.tables.count / 2 {
      throw .foreign(path: database.path)
    }
    guard application == Store.applicationID else { return }
    if version > Store.formatVersion { throw .newer(path: database.path, version: version) }
    if version == 1 { throw .older(path: database.path, version: version) }
  }

  // MARK: Reading

  /// Nil when it cannot be read.
  var identity: Identity? {
    guard
      let select = try? Statement("SELECT value FROM meta WHERE key = 'identity'", in: database),
      (try? select.step()) ?? false
    else { return nil }
    var reader = ByteReader(select.bytes(0))
    guard reader.remaining == 32, let device: DeviceID = try? reader.identifier(),
      let replica: ReplicaID = try? reader.identifier()
    else { return nil }
    return Identity(device: device, replica: replica)
  }

  /// The spaces whose id can be read, with what is left of each.
  mutating func spaces() -> [SpaceRemains] {
    var spaces: [SpaceRemains] = []
    let (rows, problem) = database.spaceRows()
    if let problem { problems.append("table spaces: \(problem)") }
    let authors = authors()
    for row in rows {
      if let problem = row.problem { problems.append("row \(row.number) of spaces: \(problem)") }
      guard let id = row.id, !spaces.contains(where: { $0.id == id }) else {
        problems.append("row \(row.number) of spaces: which space it is cannot be told")
        continue
      }
      let anchors = database.anchorRows(of: row)
      var space = SpaceRemains(
        id: id, vector: row.vector, history: row.history, floor: row.floor,
        lastGivenUp: row.lastGivenUp, cut: row.cut, cells: Array(anchors.cells),
        slots: anchors.slots,
        isWhole: anchors.problem == nil && row.problem == nil)
      if let problem = anchors.problem { problems.append("space \(id): \(problem)") }
      for author in authors { readHistory(of: row.number, by: author, into: &space) }
      if space.limitReplicas() {
        problems.append(
          "space \(id): more than \(Limits.authors / 2) replicas, of which some are left out")
      }
      spaces.append(space)
    }
    return spaces
  }

  /// A number under which an author may have changes; of a known author those of others are not believed.
  private typealias Author = (number: Int64, replica: ReplicaID?)

  /// Those that are known, as a store knows them, then others that are there, and a few that may not be.
  private func authors() -> [Author] {
    var numbers: Set<Int64> = []
    let range = RowRange(table: "replicas NOT INDEXED", key: "number", columns: "id")
    _ = database.scan(range) { numbers.insert($0.integer(0)) }
    let known = HistoryTable(database, directory: database.path).numbers
      .map { Author(number: $0.value, replica: $0.key) }.sorted { $0.number < $1.number }
    numbers.formUnion(known.map(\.number))
    let others = numbers.union(1...Int64(numbers.count) + 16).subtracting(known.map(\.number))
    return known + others.sorted().map { Author(number: $0, replica: nil) }
  }

  private mutating func readHistory(
    of number: Int64, by author: Author, into space: inout SpaceRemains
  ) {
    var found: [String] = []
    var changes: [Change] = []
    let range = RowRange(
      table: "history", key: "sequence", columns: "change",
      condition: "space = ?3 AND author = ?4", values: [number, author.number], after: 0)
    let failure = database.scan(range) { row in
      do {
        var reader = ByteReader(row.bytes(1))
        let change = try Change(from: &reader)
        try reader.finish()
        guard Int64(exactly: change.dot.sequence) == row.integer(0),
          author.replica.map({ $0 == change.dot.replica }) ?? true
        else {
          throw CodecError.invalid("change: another's", offset: 0)
        }
        changes.append(change)
      } catch {
        found.append("change \(row.integer(0)) of author \(author.number): \(error)")
      }
    }
    // An author that has none may be unreadable as well: that is told once, by the others.
    if let failure, !changes.isEmpty {
      found.append("history of author \(author.number): \(failure.what)")
    }
    problems += found.map { "space \(space.id): \($0)" }
    space.changes += changes
  }

  // MARK: Rows that are taken as they are

  /// Copies the rows of a table that can be read; ``FirstPage`` and hashes say what they are worth.
  mutating func copy(
    _ table: String, columns: [String], by order: String, where condition: String = "1",
    to target: Store
  ) throws(StoreError) {
    let list = columns.joined(separator: ", ")
    let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let put = try Statement(
      "INSERT OR IGNORE INTO \(table) (\(list)) VALUES (\(places))", in: target.database)
    for direction in ["ASC", "DESC"] {
      let select = """
        SELECT \(list) FROM \(table) WHERE \(condition) ORDER BY \(order) \(direction)
        """
      do throws(StoreError) {
        let rows = try Statement(select, in: database)
        while try rows.step() { try insert(rows, by: put, columns.count, into: target) }
        return
      } catch {
        if case .full = error { throw error }
        if direction == "ASC" { problems.append("table \(table): \(error.what)") }
      }
    }
  }

  /// As ``copy(_:columns:by:where:to:)`` for a table with many large rows.
  mutating func copyChunks(to target: Store) throws(StoreError) {
    let put = try Statement(
      "INSERT OR IGNORE INTO chunks (hash, codec, bytes) VALUES (?2, ?3, ?4)", in: target.database)
    var failure: StoreError?
    let range = RowRange(table: "chunks", key: "rowid", columns: "hash, codec, bytes")
    let problem = database.scan(range) { rows in
      guard failure == nil else { return }
      do throws(StoreError) { try insert(rows, by: put, 4, into: target) } catch { failure = error }
    }
    if let failure { throw failure }
    if let problem { problems.append("table chunks: \(problem.what)") }
  }

  private func insert(
    _ row: Statement, by put: Statement, _ count: Int, into target: Store
  ) throws(StoreError) {
    for column in 0..<Int32(count) { put.bind(column + 1, column: column, of: row) }
    do throws(StoreError) { try put.run() } catch {
      // A row that the table does not take is none.
      if case .full = error { throw error }
      if case .notWritable = error { throw error }
    }
  }
}
