import HyperbasisNet

/// The edits that a transaction wrote: they count as written in it, and elsewhere once it is kept.
///
/// ```swift
/// let marks = EditMarks(transactionOf: core.scope)
/// marks.mark(anchor.edits)  // another save of the value within the transaction writes nothing
/// marks.undo()              // it failed: the edits are to be written again
/// ```
final class EditMarks: Sendable {
  /// That of the transaction.
  let scope: EditScope
  private let marks = Locked<[Mark]>([])

  struct Mark: Sendable {
    let token: EditToken
    /// Who wrote it last before.
    let previous: Int
  }

  init(transactionOf scope: EditScope) {
    self.scope = EditScope(transactionOf: scope)
  }

  /// The transaction wrote these, or handed out a value that has its writes.
  func mark(_ edits: ValueEdits) {
    let new = edits.tokens.map { Mark(token: $0, previous: $0.markWritten(in: scope)) }
    marks.withLock { $0 += new }
  }

  /// The transaction is a change of its turn: the storage has written the edits. Returns those that
  /// nobody else had written there.
  func keep() -> [Mark] {
    take().filter {
      $0.token.replace(scope.writer, by: scope.storage, last: scope.storage)
    }
  }

  /// The closure failed: nobody has written them.
  func undo() {
    for mark in take() { mark.token.replace(scope.writer, by: 0, last: mark.previous) }
  }

  private func take() -> [Mark] {
    marks.withLock { marks in
      defer { marks = [] }
      return marks
    }
  }
}
