import HyperbasisStore

/// A store whose tables have any rows: opened in memory and asked for everything.
///
/// The first byte says whether it is written to as well; the rows follow, as ``StoreRow`` takes them. One
/// connection serves all inputs, since rows leave the schema alone: each input replaces all rows.
enum RowsTarget: FuzzTarget {
  static let name = "database-rows"

  static func seeds() throws -> [[UInt8]] {
    try (SmallStores.all() + RowStores.all() + RowStores.misfits()).flatMap { file in
      let rows = try StoreTables.input(file)
      return [[0] + rows, [1] + rows]
    }
  }

  static func run(_ bytes: [UInt8]) throws {
    var feed = Feed(bytes)
    let isWritten = feed.byte() % 2 == 1
    var rows: [StoreRow] = []
    while !feed.isEmpty { rows.append(StoreRow(&feed)) }
    try tables.replace(by: rows)
    guard let store = try? Store(reopening: tables.store) else { return }
    let loaded = try StoreQuestions.ask(store)
    if isWritten { try StoreQuestions.writeAndLoad(loaded, to: store) }
  }

  /// Safe because targets run on one thread.
  nonisolated(unsafe) private static let tables = try! StoreTables(of: Store(inMemory: "rows"))
}
