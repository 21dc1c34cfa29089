import Foundation
import HyperbasisCore
import HyperbasisStore

/// A space whose files do not hold what was written: it is neither synced nor written until
/// ``HBStorage/repair()``.
public struct HBDamagedSpace: Sendable {
  /// Nil when not even that can be read.
  public let id: UUID?
  /// The first thing that is wrong with it, for people.
  public let reason: String
  /// The living anchors that can be read, by their creation, then id. Others may be missing.
  public let anchors: [HBAnchor]
}

/// What a repair found and did.
public struct HBRepairReport: Equatable, Sendable {
  /// The damaged files, which are kept.
  public let keptFiles: [URL]
  /// Spaces that are as they were.
  public let intactSpaces: [UUID]
  /// Spaces that are as they were, with a history that peers complete.
  public let shortenedHistories: [UUID]
  /// Spaces that were made anew from what can be read; peers complete them.
  public let rebuiltSpaces: [UUID]
  /// What could not be read, a line each.
  public let problems: [String]
}

extension HBStorage {
  // MARK: Damage and backups

  /// The spaces that were found damaged and are set aside; none in a storage as it should be.
  ///
  /// ```swift
  /// for space in try await storage.damagedSpaces() {
  ///   print(space.reason, space.anchors.count)  // row 2 of space 1: ... 11
  /// }
  /// ```
  ///
  /// All other spaces are used as ever. Calls that name a damaged one throw
  /// ``HBStoreFailure/damagedSpace(id:path:what:)``, except ``loadAnchor(id:)``, which finds anchors that
  /// are not damaged themselves; so do calls with the id of an anchor that is nowhere else. Its observers
  /// end at once, and ``notices`` has a line for each. Where not even the id can be read, every space that
  /// is unknown here might be that one, and is refused as well. O(n log n) in the anchors of these spaces.
  ///
  /// ``repair()``, ``backup(to:)`` and this are no part of ``HBStorageProtocol``: they are about files.
  ///
  /// - Throws: what ``open()`` throws.
  public func damagedSpaces() async throws -> [HBDamagedSpace] {
    try await read { loop throws(HBStorageError) in
      loop.damaged.map { damage in
        let anchors = damage.remains?.anchorsByCreation() ?? []
        return HBDamagedSpace(
          id: damage.id.map { UUID($0) }, reason: damage.what,
          anchors: anchors.map { HBAnchor($0, in: damage.id!, from: loop.scope) })
      }
    }
  }

  /// Makes a new store of what can be read of a damaged one, and opens it. The damaged files stay in the
  /// directory, under another name.
  ///
  /// ```swift
  /// let report = try await storage.repair()
  /// print(report.rebuiltSpaces.count, report.keptFiles.map(\.lastPathComponent))
  /// // 1 ["damaged-20261130-101112.sqlite"]
  /// ```
  ///
  /// A space that lost something is rebuilt from its history; what is missing then comes from peers, as
  /// soon as one is connected. ``actorId`` is another afterwards, also where nothing was damaged, and all
  /// sequences end. O(store); it blocks its thread, and needs twice the room of the store.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when there is no store, another process has the
  ///   directory open, or the disk refuses; the store is then as it was.
  @discardableResult
  public func repair() async throws -> HBRepairReport {
    try config.checkDirectory()
    return HBRepairReport(try core.repair())
  }

  /// Writes everything, world maps included, to one new file, as it is at one moment.
  ///
  /// ```swift
  /// try await storage.backup(to: URL(fileURLWithPath: "/media/ada/room.sqlite"))
  /// ```
  ///
  /// The storage can be used meanwhile. The file appears when it is whole, and is on the disk when this
  /// returns. To restore it, copy it as `store.sqlite` into an empty directory. O(store); it blocks its
  /// thread.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed`: ``HBStoreFailure/fileExists(path:)`` where the file
  ///   is there already, or what the disk said; nothing is left of the file then.
  public func backup(to file: URL) async throws {
    let peer = try peer()
    do throws(PeerError) { try peer.backup(to: file.standardizedFileURL.path) } catch {
      throw HBStorageError(error)
    }
  }
}

extension HBRepairReport {
  init(_ report: RepairReport) {
    keptFiles = report.kept.map { URL(fileURLWithPath: $0) }
    intactSpaces = report.intact.map { UUID($0) }
    shortenedHistories = report.historyCut.map { UUID($0) }
    rebuiltSpaces = report.rebuilt.map { UUID($0) }
    problems = report.problems
  }
}
