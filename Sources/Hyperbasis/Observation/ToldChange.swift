/// A change that waits for its reader, and a moment of the turn in which its values were in force.
struct ToldChange: Sendable {
  let change: HBChange
  let moment: EditMoment

  /// What was in force after the last of several changes: an anchor that it does not name is as an
  /// earlier one has it.
  static func merged(_ told: [ToldChange]) -> ToldChange {
    ToldChange(
      change: .merged(told.map(\.change)), moment: told.map(\.moment).max() ?? .zero)
  }
}

extension SaveMemory {
  /// The reader of ``HBStorage/changes(spaceId:)`` gets this: it is handed out as by a load.
  func note(_ told: ToldChange) {
    note(told.change.anchors.compactMap(\.after), at: told.moment)
    if let space = told.change.space?.after { note([space], at: told.moment) }
  }
}
