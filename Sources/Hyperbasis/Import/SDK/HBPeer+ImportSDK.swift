import HyperbasisCore

extension HBPeer {
  /// As ``HBStorage/importSDK(directory:)``, on an open peer.
  package func importSDK(
    path: String, compressesMaps: Bool = true
  ) async throws(HBStorageError) -> HBImportReport {
    let directory: SDKDirectory
    do throws(SDKDirectoryError) { directory = try SDKDirectory(path: path) } catch {
      throw .fileOperationFailed(underlying: HBImportFailure(error))
    }
    var run = SDKImport(peer: self, directory: directory, compressesMaps: compressesMaps)
    try await run.perform()
    return run.report
  }
}

/// One import: the directory's values go to the peer's thread a part at a time, so that edits and the
/// network come between. Each anchor is in one part, and so comes in whole or not at all.
private struct SDKImport {
  /// Changes in one turn; an anchor with more has a turn of its own.
  private static let turnChanges = 1_000
  /// Encoded bytes of changes in one turn.
  private static let turnBytes = 1_048_576

  let peer: HBPeer
  let directory: SDKDirectory
  let compressesMaps: Bool
  private(set) var report = HBImportReport()

  init(peer: HBPeer, directory: SDKDirectory, compressesMaps: Bool) {
    self.peer = peer
    self.directory = directory
    self.compressesMaps = compressesMaps
    report.problems = directory.problems.map(\.description)
  }

  mutating func perform() async throws(HBStorageError) {
    let groups = SDKDirectory.AnchorGroups(directory)
    for space in directory.spaces {
      guard try await bringIn(space) else { continue }
      try await bringIn(directory.pasts(of: space.id, groups), to: space.id)
    }
  }

  /// Returns whether the space is held here then.
  private mutating func bringIn(_ space: SDKSpace) async throws(HBStorageError) -> Bool {
    let id = space.id
    if try await peer.turn({ loop throws(HBStorageError) in loop.isKnown(id) }) { return true }
    let map = try await worldMap(of: id)
    // What is prepared of a map stays until a space has it.
    defer { withExtendedLifetime(map) {} }
    let reference = map?.reference
    let result = try await peer.turn { loop throws(HBStorageError) in
      Result { () throws(HBPeerError) in try loop.record(space, map: reference) }
    }
    do throws(HBPeerError) {
      guard try result.get() else { return true }
    } catch {
      note("\(SDKFolder.spaces)/\("\(id)".uppercased()).json", error.description)
      return false
    }
    report.spaces += 1
    if map != nil { report.worldMaps += 1 }
    return true
  }

  /// Reads a map and puts its pieces into the store; nil where there is none that can be had.
  private mutating func worldMap(of space: SpaceID) async throws(HBStorageError) -> PreparedMap? {
    let bytes: [UInt8]
    do throws(SDKProblem) {
      guard let map = try directory.worldMap(of: space) else { return nil }
      bytes = map
    } catch {
      report.problems.append(error.description)
      return nil
    }
    do throws(HBPeerError) {
      return try await peer.prepareMap(bytes, compresses: compressesMaps)
    } catch {
      guard case .invalid(let reason) = error else { throw HBStorageError(error) }
      note("\(SDKFolder.worldmaps)/\("\(space)".uppercased()).bin", reason)
      return nil
    }
  }

  private mutating func bringIn(
    _ pasts: [SDKAnchorPast], to space: SpaceID
  ) async throws(HBStorageError) {
    var part: [SDKAnchorPast] = []
    var (changes, bytes) = (0, 0)
    for past in pasts {
      report.problems += past.problems.map(\.description)
      guard let size = size(of: past), !past.changes.isEmpty else { continue }
      if !part.isEmpty,
        changes + past.changes.count > SDKImport.turnChanges || bytes + size > SDKImport.turnBytes
      {
        try await record(part, in: space)
        (part, changes, bytes) = ([], 0, 0)
      }
      part.append(past)
      changes += past.changes.count
      bytes += size
    }
    try await record(part, in: space)
  }

  /// The encoded bytes of an anchor's changes; nil when one of them is beyond a limit.
  private mutating func size(of past: SDKAnchorPast) -> Int? {
    do throws(HBPeerError) {
      var size = 0
      for change in past.changes { size += try PeerLoop.encodedBytes(of: change.operations) }
      return size
    } catch {
      note("\(SDKFolder.anchors)/\("\(past.id)".uppercased()).json", error.description)
      return nil
    }
  }

  private mutating func record(
    _ part: [SDKAnchorPast], in space: SpaceID
  ) async throws(HBStorageError) {
    guard !part.isEmpty else { return }
    let recorded = try await peer.turn { loop throws(HBStorageError) in
      loop.record(part, in: space)
    }
    report.anchors += recorded.anchors
    report.events += recorded.events
    report.unchanged += recorded.unchanged
  }

  private mutating func note(_ file: String, _ reason: String) {
    report.problems.append("\(SDKProblem(file: file, reason: reason))")
  }
}
