import CSQLite
import Foundation
import HyperbasisCore
import HyperbasisStore

typealias Operation = HyperbasisCore.Operation

/// A second connection to a database, as another program would have.
final class RawDatabase {
  private var handle: OpaquePointer?

  init(_ path: String) {
    precondition(sqlite3_open(path, &handle) == SQLITE_OK, "the database opens")
  }

  deinit {
    sqlite3_close(handle)
  }

  /// The single integer that a query gives.
  func integer(_ sql: String) -> Int {
    var statement: OpaquePointer?
    precondition(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, sql)
    defer { sqlite3_finalize(statement) }
    precondition(sqlite3_step(statement) == SQLITE_ROW, "there is a row: \(sql)")
    return Int(sqlite3_column_int64(statement, 0))
  }

  func execute(_ sql: String) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    precondition(code == SQLITE_OK, "the statement runs: \(sql)")
  }
}

/// A directory that goes with the test.
final class TemporaryDirectory {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.path + "/hyperbasis-" + UUID().uuidString
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var store: String { path + "/store" }
  var database: String { store + "/store.sqlite" }
}

/// Makes changes of one replica in one space, and the writes that go with them.
struct Author {
  var state: SpaceState
  let replica: ReplicaID
  /// Up to where the history was given up.
  var cut = VersionVector()

  init(space: SpaceID, replica: ReplicaID) {
    state = SpaceState(id: space)
    self.replica = replica
  }

  mutating func change(_ operations: [Operation]) throws -> SpaceWrites {
    let sequence = state.vector[replica] + 1
    let stamp = Stamp(
      timestamp: Timestamp(milliseconds: 1_000 + sequence),
      dot: Dot(replica: replica, sequence: sequence))
    let change = Change(stamp: stamp, operations: operations)
    let touched = try state.apply(change)!
    return state.writes(touched: touched, history: state.vector, changes: [change], cut: cut)
  }

  /// Has the space members, and so what was deleted may be given up.
  mutating func makeMembers() throws -> SpaceWrites {
    try change([.retention(.latest), .member(replica, .founder)])
  }

  /// Gives up all that is deleted, and all of the history.
  mutating func giveUp() -> SpaceWrites {
    let collected = state.collect(floor: state.vector, dropped: state.vector)
    cut = state.vector
    return state.writes(
      touched: collected.touched, history: state.vector, changes: [], removed: collected.slots,
      cut: cut)
  }
}

/// The values that have lost their type or bits in other stores.
let awkwardValues: [Value] = [
  .null, .bool(true), .int(3), .double(3), .double(-0.0), .int(1 << 53 + 1), .int(.min), .int(.max),
  .double(.leastNonzeroMagnitude), .double(1e308), .string(""), .string("a\u{0}b"),
  .array([
    .double(1), .int(1),
    .object(
      Value.Object([
        Value.Object.Entry(key: "caf\u{E9}", value: .int(1)),
        Value.Object.Entry(key: "cafe\u{301}", value: .double(1)),
      ])!),
  ]),
]
