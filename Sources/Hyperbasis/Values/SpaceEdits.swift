/// What was edited in an ``HBSpace`` since a storage wrote or handed it out; see ``ValueEdits``.
package struct SpaceEdits: Sendable {
  /// Unsaved in a value that an app made: then all of it is to be written.
  package var initial: EditToken
  package var name: EditToken?
  package var worldMap: EditToken?

  package init(initial: EditToken = EditToken()) {
    self.initial = initial
  }

  /// No storage at all has written or handed out the value.
  package var isNew: Bool { !initial.isWrittenAnywhere }

  package func isFresh(in scope: EditScope) -> Bool { !initial.isWritten(in: scope) }

  package func hasUnsaved(in scope: EditScope) -> Bool {
    isFresh(in: scope) || name.isUnsaved(in: scope) || worldMap.isUnsaved(in: scope)
  }

  /// Marks every edit that this copy holds as written, for all copies that share it.
  package func markSaved(in scope: EditScope) {
    for token in tokens { token.markWritten(in: scope) }
  }

  package var tokens: [EditToken] { [initial] + [name, worldMap].compactMap { $0 } }
}

extension SpaceEdits: Hashable {
  package static func == (left: Self, right: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
