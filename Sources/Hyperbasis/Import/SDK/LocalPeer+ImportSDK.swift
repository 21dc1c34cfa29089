import Foundation
import HyperbasisCore

extension LocalPeer {
  /// As ``HBStorage/importSDK(directory:)``, on an open peer.
  package func importSDK(
    path: String, compressesMaps: Bool = true
  ) async throws(HBStorageError) -> HBImportReport {
    let read = await onOwnThread { () -> Result<SDKDirectory, SDKDirectoryError> in
      Result { () throws(SDKDirectoryError) in try SDKDirectory(path: path) }
    }
    let directory: SDKDirectory
    do throws(SDKDirectoryError) { directory = try read.get() } catch {
      throw .fileOperationFailed(underlying: HBImportFailure(error))
    }
    var run = SDKImport(peer: self, directory: directory, compressesMaps: compressesMaps)
    try await run.perform()
    return run.report
  }
}

/// One import: the directory's values go to the peer's thread a part at a time, so that edits and the
/// network come between.
private struct SDKImport {
  let peer: LocalPeer
  let directory: SDKDirectory
  let compressesMaps: Bool
  private(set) var report = HBImportReport()

  init(peer: LocalPeer, directory: SDKDirectory, compressesMaps: Bool) {
    self.peer = peer
    self.directory = directory
    self.compressesMaps = compressesMaps
    list(directory.problems)
  }

  mutating func perform() async throws(HBStorageError) {
    let groups = SDKDirectory.AnchorGroups(directory)
    for space in directory.spaces {
      guard try await bringIn(space) else { continue }
      let directory = directory
      let anchors = await onOwnThread { SDKParts(directory.pasts(of: space.id, groups)) }
      list(anchors.problems)
      for part in anchors.parts { try await bringIn(part, to: space.id) }
    }
  }

  // MARK: Private

  /// Returns whether the space is held here then.
  private mutating func bringIn(_ space: SDKSpace) async throws(HBStorageError) -> Bool {
    let id = space.id
    if try await peer.turn({ loop throws(HBStorageError) in loop.isKnown(id) }) { return true }
    let map = try await worldMap(of: id)
    // What is prepared of a map stays until a space has it.
    defer { withExtendedLifetime(map) {} }
    let reference = map?.reference
    let result = try await peer.turn { loop throws(HBStorageError) in
      Result { () throws(PeerError) in try loop.record(space, map: reference) }
    }
    do throws(PeerError) {
      guard try result.get() else { return true }
    } catch {
      list([SDKProblem(file: SDKFolder.spaces.file(id, "json"), reason: error.description)])
      return false
    }
    report.spaces += 1
    if map != nil { report.worldMaps += 1 }
    return true
  }

  /// Reads a map and puts its pieces into the store; nil where there is none that can be had.
  private mutating func worldMap(of space: SpaceID) async throws(HBStorageError) -> PreparedMap? {
    let directory = directory
    let read = await onOwnThread { () -> Result<[UInt8]?, SDKProblem> in
      Result { () throws(SDKProblem) in try directory.worldMap(of: space) }
    }
    let bytes: [UInt8]
    switch read {
    case .success(let map?): bytes = map
    case .success(nil): return nil
    case .failure(let problem):
      list([problem])
      return nil
    }
    do throws(PeerError) {
      return try await peer.prepareMap(bytes, compresses: compressesMaps)
    } catch {
      guard case .invalid(let reason) = error else { throw HBStorageError(error) }
      list([SDKProblem(file: SDKFolder.worldmaps.file(space, "bin"), reason: reason)])
      return nil
    }
  }

  private mutating func bringIn(
    _ part: [SDKAnchorPast], to space: SpaceID
  ) async throws(HBStorageError) {
    let recorded = try await peer.turn { loop throws(HBStorageError) in
      loop.record(part, in: space)
    }
    report.anchors += recorded.anchors
    report.events += recorded.events
    report.unchanged += recorded.unchanged
  }

  private mutating func list(_ problems: [SDKProblem]) {
    report.problems += problems.map(\.description)
  }
}

/// Runs what takes long, or waits for files, beside the few threads that all tasks share.
private func onOwnThread<Output: Sendable>(
  _ body: @escaping @Sendable () -> Output
) async -> Output {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
