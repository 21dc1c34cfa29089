import HyperbasisCore
import HyperbasisNet

/// What an import did, in anchors.
package struct ImportReport: Equatable, Sendable {
  package var created = 0
  package var updated = 0
  package var unchanged = 0
  package var deleted = 0
  /// Deleted here; an import does not bring them back.
  package var skipped = 0
}

extension PeerLoop {
  /// Writes per change: an import of more becomes visible in several steps.
  private static let importOperations = 8_192
  private static let importBytes = 2_097_152

  /// Makes the anchors of a space like the drafts; what is equal already is not written.
  ///
  /// - Throws: `PeerError` when the space is not held or an anchor is beyond a limit; nothing is
  ///   written then.
  package func importDrafts(
    _ drafts: [AnchorDraft], into space: SpaceID
  ) throws(PeerError) -> ImportReport {
    var report = ImportReport()
    let changes = try changes(for: drafts, into: space, report: &report)
    // All or nothing: one that is beyond a limit must be found before the first is made.
    for change in changes { try checkSize(of: change, in: space) }
    for change in changes { try edit(space, change) }
    return report
  }

  private func changes(
    for drafts: [AnchorDraft], into space: SpaceID, report: inout ImportReport
  ) throws(PeerError) -> [[Operation]] {
    let state = try state(of: space)
    var changes: [[Operation]] = [[]]
    var bytes = 0
    var seen: Set<AnchorID> = []
    for draft in drafts {
      guard seen.insert(draft.id).inserted else {
        throw .invalid("anchor \(draft.id) is given twice in one import")
      }
      let operations = operations(for: draft, in: state, report: &report)
      let size = operations.reduce(0) { $0 + $1.encodedBytes }
      let count = changes[changes.count - 1].count
      let isFull =
        bytes + size > PeerLoop.importBytes
        || count + operations.count > PeerLoop.importOperations
      if isFull && count > 0 {
        changes.append([])
        bytes = 0
      }
      changes[changes.count - 1] += operations
      bytes += size
    }
    return changes.filter { !$0.isEmpty }
  }

  private func operations(
    for draft: AnchorDraft, in state: SpaceState, report: inout ImportReport
  ) -> [Operation] {
    let known = state.anchor(draft.id)
    if known?.deleted != nil || (known == nil && draft.isDeleted) {
      report.skipped += 1
      return []
    }
    let now = WallClock.nanoseconds
    if let known, draft.isDeleted {
      report.deleted += 1
      return [.existence(draft.id, Existence(created: known.created, deleted: now))]
    }
    var operations: [Operation] = [.transform(draft.id, draft.transform)]
    for entry in draft.metadata.entries {
      operations.append(.metadata(draft.id, entry.key, entry.value))
    }
    for key in draft.ownedKeys where draft.metadata[key] == nil {
      operations.append(.metadata(draft.id, key, nil))
    }
    guard known != nil else {
      report.created += 1
      return [.existence(draft.id, Existence(created: now))] + state.effective(operations)
    }
    let effective = state.effective(operations)
    if effective.isEmpty { report.unchanged += 1 } else { report.updated += 1 }
    return effective
  }
}

extension Operation {
  /// Bytes of the operation with its anchor's id.
  fileprivate var encodedBytes: Int {
    var anchors = IdentifierTable<AnchorKind>()
    var writer = ByteWriter()
    encode(into: &writer, anchors: &anchors)
    return writer.bytes.count + 16
  }
}
