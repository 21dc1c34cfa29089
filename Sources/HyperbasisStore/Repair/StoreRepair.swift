import Foundation
import HyperbasisCore

/// What a repair found and did.
package struct RepairReport: Sendable {
  /// The paths of the damaged files, which are kept.
  package internal(set) var kept: [String] = []
  /// Spaces that are as they were.
  package internal(set) var intact: [SpaceID] = []
  /// Spaces with the state that they had, and a history that ends where the damage begins.
  package internal(set) var historyCut: [SpaceID] = []
  /// Spaces that were made anew from what can be read.
  package internal(set) var rebuilt: [SpaceID] = []
  /// Values that were written again, under their old times.
  package internal(set) var rewritten = 0
  /// What could not be read, a line each.
  package internal(set) var problems: [String] = []
}

extension Store {
  /// Makes a new store of what can be read of a damaged one, under a new replica id, and keeps the old
  /// files aside.
  ///
  /// ```swift
  /// let report = try Store.repair(directory: "/home/user/.local/share/hyperbasis")
  /// print(report.kept)  // ["/home/user/.local/share/hyperbasis/damaged-20261130-101112.sqlite"]
  /// ```
  ///
  /// `Docs/DAMAGE.md` says what becomes of each space. O(store); it needs as much room as the store has
  /// twice.
  ///
  /// - Throws: `StoreError`; the store is then as it was.
  package static func repair(
    directory: String, at date: Date = Date()
  ) throws(StoreError) -> RepairReport {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory),
      isDirectory.boolValue
    else { throw .failed(path: directory, reason: "there is no store to repair") }
    let lock = try StoreLock(directory: directory)
    defer { withExtendedLifetime(lock) {} }
    let files = RepairFiles(directory: directory)
    try files.complete()
    guard FileManager.default.fileExists(atPath: files.store) else {
      throw .failed(path: directory, reason: "there is no store to repair")
    }
    var report = RepairReport()
    do throws(StoreError) {
      try files.copyStore()
      var salvage = try Salvage(files)
      try rebuild(from: &salvage, in: files, &report)
      report.problems = salvage.problems
    } catch {
      files.discard()
      throw error
    }
    report.kept = try files.replace(at: date)
    // Of what stays undone here the next opening makes one more replica id.
    try? prove(Database(file: files.store, directory: directory), directory: directory)
    return report
  }

  /// Writes the new store, and closes it.
  private static func rebuild(
    from salvage: inout Salvage, in files: RepairFiles, _ report: inout RepairReport
  ) throws(StoreError) {
    let new = try newStore(inPlaceOf: salvage.identity, in: files)
    // It counts from the moment on when it gets its name, and is synced as a whole before.
    try new.database.execute("PRAGMA synchronous = OFF")
    for remains in salvage.spaces() {
      let space = SpaceRebuild(remains, as: new.replica)
      let writes = space.state.allWrites(
        history: space.history, changes: space.changes, cut: space.cut)
      try new.commit([writes])
      report.rewritten += space.rewritten
      switch space.outcome {
      case .intact: report.intact.append(remains.id)
      case .historyCut: report.historyCut.append(remains.id)
      case .rebuilt: report.rebuilt.append(remains.id)
      }
    }
    let settings = Setting.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    try salvage.copy(
      "meta", columns: ["key", "value"], by: "key", where: "key IN (\(settings))", to: new)
    try salvage.copy(
      "peers", columns: ["replica", "device", "name", "address", "met"], by: "replica", to: new)
    try salvage.copy("maps", columns: ["hash", "manifest"], by: "hash", to: new)
    try salvage.copy("whole_maps", columns: ["space", "map", "size"], by: "space", to: new)
    try salvage.copyChunks(to: new)
    _ = try new.load()
    try new.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// An empty store with a new replica id, of the same device where that is known.
  private static func newStore(
    inPlaceOf old: Identity?, in files: RepairFiles
  ) throws(StoreError) -> Store {
    makePrivate(files.folder + "/store.sqlite")
    let database = try Database(
      file: files.folder + "/store.sqlite", directory: files.directory)
    try prepare(database, directory: files.directory)
    let identity = Identity(
      device: old?.device ?? DeviceID(.random(in: 1 ... .max)),
      replica: ReplicaID(.random(in: 1 ... .max)))
    try setIdentity(identity, in: database)
    if let old { try note(.repaired, of: old.replica, in: database) }
    // The lock is the whole directory's, and what proves a continuation is written in its place.
    return try Store(prepared: database, directory: files.directory, lock: nil, boot: nil)
  }

  /// Has the next opening of what lies in a directory be a continuation.
  private static func prove(_ database: Database, directory: String) throws(StoreError) {
    var continuation = try Continuation(
      database, directory: directory, boot: Continuation.bootNumber)
    try continuation.begin()
    try continuation.end()
  }
}
