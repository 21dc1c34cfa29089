import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// What a save costs in a space with a long past; run with `HYPERBASIS_COST=1`, since the past takes a
/// while to make.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["HYPERBASIS_COST"] != nil), .serialized)
struct HistoryCostTests {
  let space = SpaceID(7)
  private let anchors = 1_000

  /// A store whose space has as many anchors, and `past` changes of them by two authors.
  private func store(in directory: TemporaryDirectory, past: Int) throws -> (Store, Author) {
    var author = Author(space: space, replica: ReplicaID(1))
    let store = try Store(directory: directory.store)
    for number in 1...anchors {
      let anchor = AnchorID(UInt128(number))
      let writes = try author.change([
        .existence(anchor, Existence(created: 1)), .transform(anchor, .identity),
      ])
      try store.commit([writes])
    }
    if past > 0 {
      RawDatabase(directory.database).execute(
        """
        INSERT INTO replicas (number, id) VALUES (2, zeroblob(15) || x'09');
        WITH RECURSIVE step (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step WHERE n < \(past))
        INSERT INTO history SELECT 1, 2, n, randomblob(150) FROM step;
        INSERT INTO anchor_history SELECT 1, sequence * 7919 % \(anchors), 2, sequence
          FROM history WHERE author = 2 ORDER BY 2, 4;
        PRAGMA wal_checkpoint(TRUNCATE);
        """)
      author.state = try SpaceState(
        id: space,
        vector: {
          var vector = author.state.vector
          vector[ReplicaID(9)] = UInt64(past)
          return vector
        }(),
        cells: (1...anchors).flatMap { author.state.record(of: AnchorID(UInt128($0))) })
    }
    return (store, author)
  }

  private func save(_ store: Store, _ author: inout Author, _ number: Int) throws -> Double {
    let anchor = AnchorID(UInt128(number * 7_919 % anchors + 1))
    let operations = [Operation.metadata(anchor, "n", .int(Int64(number)))]
    let start = ContinuousClock.now
    try store.commit([author.change(operations)])
    let time = ContinuousClock.now - start
    return Double(time.components.attoseconds) / 1e15
  }

  @Test func aSaveCostsTheSameWithAMillionChangesInThePast() throws {
    let short = TemporaryDirectory()
    let long = TemporaryDirectory()
    var (empty, first) = try store(in: short, past: 0)
    var (full, second) = try store(in: long, past: 1_000_000)
    var times: ([Double], [Double]) = ([], [])
    for number in 1...2_000 {
      times.0.append(try save(empty, &first, number))
      times.1.append(try save(full, &second, number))
    }
    func figures(_ times: [Double]) -> (median: Double, mean: Double) {
      (times.sorted()[times.count / 2], times.reduce(0, +) / Double(times.count))
    }
    let (before, after) = (figures(times.0), figures(times.1))
    print("a save: median \(before.median) ms, mean \(before.mean) ms with no past;")
    print("median \(after.median) ms, mean \(after.mean) ms with a million changes")
    #expect(after.median <= 1.2 * before.median)
    withExtendedLifetime((empty, full)) {}
  }
}
