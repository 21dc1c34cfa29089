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
    var report: RepairReport
    do throws(StoreError) {
      try files.copyStore()
      report = try rebuild(in: files)
    } catch {
      files.discard()
      throw error
    }
    report.kept = try files.replace(at: date)
    // Of what stays undone here the next opening makes one more replica id.
    try? prove(Database(file: files.store, directory: directory), directory: directory)
    return report
  }

  /// Writes the new store beside the old one, and closes it.
  private static func rebuild(in files: RepairFiles) throws(StoreError) -> RepairReport {
    var salvage = try Salvage(files)
    makePrivate(files.new)
    let database = try Database(file: files.new, directory: files.directory)
    try prepare(database, directory: files.directory)
    // It counts from the moment on when it gets its name, and is synced as a whole before.
    try database.execute("PRAGMA synchronous = OFF")
    let replica = ReplicaID(.random(in: 1 ... .max))
    let report = try rebuilt(from: &salvage, in: database, as: replica).report
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return report
  }

  /// Has the next opening of what lies in a directory be a continuation.
  private static func prove(_ database: Database, directory: String) throws(StoreError) {
    var continuation = try Continuation(
      database, directory: directory, boot: Continuation.bootNumber)
    try continuation.begin()
    try continuation.end()
  }
}
