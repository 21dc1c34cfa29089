import Synchronization

/// The identity of one edit of a value, and which storages have written it.
///
/// Copies of a value share the tokens of the edits that they have in common. When one copy is
/// saved, no other copy writes the same edits to that storage again; an edit made later, in any copy,
/// has a token of its own.
///
/// Two writers are remembered: the first, which for a value that was handed out is the storage that
/// did, and the last. So a value may go back and forth between two storages; in a third one it
/// is compared with what that one has, as one built afresh.
package final class EditToken: Sendable {
  /// Numbers of writers, 0 for none; see ``EditScope``.
  private let first: Atomic<Int>
  private let last = Atomic(0)

  /// An edit that nobody wrote.
  package init() {
    first = Atomic(0)
  }

  /// What a value that is handed out begins with.
  package init(writtenIn scope: EditScope) {
    first = Atomic(scope.writer)
  }

  /// Whether somebody wrote it.
  package var isWrittenAnywhere: Bool { first.load(ordering: .acquiring) != 0 }

  package func isWritten(in scope: EditScope) -> Bool {
    scope.counts(first.load(ordering: .acquiring)) || scope.counts(last.load(ordering: .acquiring))
  }

  /// Returns who wrote it last before, to be given to ``replace(_:by:last:)``.
  @discardableResult
  package func markWritten(in scope: EditScope) -> Int {
    let previous = last.load(ordering: .acquiring)
    guard !isWritten(in: scope) else { return previous }
    let (isFirst, _) = first.compareExchange(
      expected: 0, desired: scope.writer, ordering: .acquiringAndReleasing)
    if !isFirst { last.store(scope.writer, ordering: .releasing) }
    return previous
  }

  /// Has somebody else stand where a writer stands: in the first place, and in the last. Returns whether
  /// it stood anywhere.
  @discardableResult
  package func replace(_ writer: Int, by first: Int, last: Int) -> Bool {
    let (wasFirst, _) = self.first.compareExchange(
      expected: writer, desired: first, ordering: .acquiringAndReleasing)
    let (wasLast, _) = self.last.compareExchange(
      expected: writer, desired: last, ordering: .acquiringAndReleasing)
    return wasFirst || wasLast
  }
}

extension EditToken? {
  /// Whether there is an edit that is not written there.
  package func isUnsaved(in scope: EditScope) -> Bool {
    self.map { !$0.isWritten(in: scope) } ?? false
  }
}
