import CSQLite
import HyperbasisCore
import Testing

@testable import HyperbasisStore

/// Statements that are kept prepared, and stores in memory that are opened again.
struct StatementTests {
  @Test func `a statement that is kept forgets what was bound, and the row it was at`() throws {
    let database = try Database(file: ":memory:", directory: "a")
    try database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
    do {
      let first = try Statement("SELECT x, ?1 FROM t ORDER BY x", in: database)
      #expect(try first.bind(1, 7).step())
      #expect(first.integer(1) == 7)
    }
    let again = try Statement("SELECT x, ?1 FROM t ORDER BY x", in: database)
    #expect(try again.step())
    #expect(again.integer(0) == 1 && again.integer(1) == 0)
    again.reset()
    // None is in the middle of something.
    try database.execute("DROP TABLE t")
  }

  @Test func `two of one text at the same time are two`() throws {
    let database = try Database(file: ":memory:", directory: "a")
    try database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
    for _ in 0..<2 {
      let one = try Statement("SELECT x FROM t ORDER BY x", in: database)
      let other = try Statement("SELECT x FROM t ORDER BY x", in: database)
      #expect(try one.step() && other.step() && one.step())
      #expect(one.integer(0) == 2 && other.integer(0) == 1)
    }
  }

  @Test func `many texts are no growth without bound`() throws {
    let database = try Database(file: ":memory:", directory: "a")
    for number in 0..<1_000 { #expect(try database.integer("SELECT \(number)") == number) }
    var count = 0
    var statement = sqlite3_next_stmt(database.handle, nil)
    while statement != nil {
      count += 1
      statement = sqlite3_next_stmt(database.handle, statement)
    }
    #expect((1...100).contains(count))
  }

  @Test
  func `a store in memory that is opened again has what it had, and sees what was written besides`()
    throws
  {
    var author = Author(space: SpaceID(7), replica: ReplicaID(1))
    let store = try Store(inMemory: "a")
    try store.commit([author.change([.name("Kitchen")])])
    let again = try Store(reopening: store)
    #expect(again.replica == store.replica && again.device == store.device)
    #expect(try again.load().map(\.state.digest) == [author.state.digest])
    sqlite3_exec(again.connection, "DELETE FROM history", nil, nil, nil)
    let damaged = try Store(reopening: again).loadReadable()
    #expect(damaged.spaces.isEmpty && damaged.damaged.map(\.id) == [SpaceID(7)])
  }
}
