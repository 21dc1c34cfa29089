import HyperbasisCore
import HyperbasisSync

/// What one observer of a peer knows: what it loaded when the peer started, and what it was told since,
/// in order. It is compared with what the peer shows.
struct Observer {
  private var records = SortedMap<SpaceID, SpaceRecord>()
  private var anchors = SortedMap<SpaceID, [AnchorID: Anchor]>()

  init(_ states: [SpaceState] = []) {
    for state in states {
      records[state.id] = state.record
      anchors[state.id] = Dictionary(
        uniqueKeysWithValues: state.anchors(includingDeleted: true).map { ($0.id, $0) })
    }
  }

  /// Takes what is told of one change.
  mutating func take(_ space: SpaceID, _ record: SpaceRecord?, _ changed: [Anchor]) {
    if let record { records[space] = record }
    if !changed.isEmpty { Observer.put(changed, into: &anchors[space, default: [:]]) }
  }

  private static func put(_ changed: [Anchor], into known: inout [AnchorID: Anchor]) {
    for anchor in changed { known[anchor.id] = anchor }
  }

  /// What is wrong with what was told so far.
  func fault(_ states: [SpaceState]) -> String? {
    for state in states {
      if let text = fault(state) { return text }
    }
    let shown = states.map(\.id)
    for space in anchors.keys + records.keys where !shown.contains(space) {
      return "the space \(space) was told of, and is not there"
    }
    return nil
  }

  private func fault(_ state: SpaceState) -> String? {
    var known = anchors[state.id] ?? [:]
    // Where they are given up, nothing is told of what was deleted before.
    if state.hasMembers { known = known.filter { $0.value.deleted == nil } }
    let shown = state.anchors(includingDeleted: !state.hasMembers)
    guard known.count == shown.count else {
      return "\(known.count) anchors of \(state.id) were told, \(shown.count) are there"
    }
    for anchor in shown where known[anchor.id] != anchor {
      return "anchor \(anchor.id) is not as it was told last"
    }
    let record = records[state.id]
    guard record.map({ $0 == state.record }) ?? (state.record.updated == 0) else {
      return "the space \(state.id) is not as it was told last"
    }
    return nil
  }
}
