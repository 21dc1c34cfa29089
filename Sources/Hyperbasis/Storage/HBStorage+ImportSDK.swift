import Foundation

extension HBStorage {
  // MARK: Import

  /// Brings in what the archived Hyperbasis SDK kept in its directory, `Documents/Hyperbasis`.
  ///
  /// ```swift
  /// let report = try await storage.importSDK(directory: documents.appendingPathComponent("Hyperbasis"))
  /// print(report.spaces, report.anchors, report.worldMaps, report.problems)
  /// ```
  ///
  /// Spaces, world maps, anchors and their histories come in with their dates. What cannot be read is
  /// listed in ``HBImportReport/problems``, the rest comes in. The directory is only read. Importing
  /// twice changes nothing: spaces and anchors that are here already, deleted ones included, stay as
  /// they are. So an import that was interrupted is completed by the next. Devices that import the
  /// same directory each on its own do not show anything twice once they meet.
  ///
  /// What the log lacks and the file of an anchor has (the SDK logs no deletion by `deleteAnchor`)
  /// comes last, at `updatedAt` or `deletedAt`. Anchors of which only events are left were purged, and
  /// come in deleted. Times that lie ahead count as now. A save here wins over whatever comes in.
  ///
  /// O(n log n) in the events; they are all in memory meanwhile, and one world map at a time. Edits
  /// and the network go on between parts of about 1,000 changes.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` with an ``HBImportFailure`` when the directory is
  ///   not there or is none of the SDK's, with an ``HBStoreFailure`` when the disk refuses; what came
  ///   in before that is kept.
  public func importSDK(directory: URL) async throws -> HBImportReport {
    try await peer().importSDK(
      path: directory.path, compressesMaps: config.compression == .balanced)
  }
}
