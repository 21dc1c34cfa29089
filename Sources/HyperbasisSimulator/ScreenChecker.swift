import HyperbasisCore

/// What an observer knows that saw the spaces when the peer started, and was told of all since.
struct Screen {
  private var spaces = SortedMap<SpaceID, Shown>()

  private struct Shown {
    var record: SpaceRecord?
    var anchors = SortedMap<AnchorID, Anchor>()
  }

  init() {}

  init(of states: [SpaceState]) {
    for state in states {
      note(state.id, state.record, state.anchors(includingDeleted: true))
    }
  }

  mutating func note(_ space: SpaceID, _ record: SpaceRecord?, _ anchors: [Anchor]) {
    if let record { spaces[space, default: Shown()].record = record }
    for anchor in anchors { spaces[space, default: Shown()].anchors[anchor.id] = anchor }
  }

  /// What is wrong when all was told.
  func fault(_ states: [SpaceState]) -> String? {
    for state in states {
      let shown = spaces[state.id] ?? Shown()
      if Array(shown.anchors.values) != state.anchors(includingDeleted: true) {
        return "events: an observer sees other anchors"
      }
      if shown.record ?? state.record != state.record
        || shown.record == nil && state.record.updated != 0
      {
        return "events: an observer sees another record of the space"
      }
    }
    let known = states.map(\.id)
    for space in spaces.keys where !known.contains(space) {
      return "events: an observer sees a space that is not there"
    }
    return nil
  }
}
