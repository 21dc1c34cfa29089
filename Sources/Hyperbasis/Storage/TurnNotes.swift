import Foundation

/// The bases that the calls of one turn noted: they count for the calls that follow in it, and for
/// everybody once the turn is on disk. Where the disk refuses it, they are dropped with what they
/// tell of.
///
/// ```swift
/// loop.note(anchor)          // another call of this turn is compared with it
/// loop.commit()              // from now on it is what this storage knows, or it never was
/// ```
struct TurnNotes {
  private(set) var anchors: [SaveMemory.Place: SaveBase] = [:]
  private(set) var spaces: [UUID: SpaceBase] = [:]
  private(set) var forgotten: [UUID: EditMoment] = [:]
  /// Edits that this turn wrote, and who had written each last before.
  private var written: [(token: EditToken, previous: Int, scope: EditScope)] = []

  var isEmpty: Bool {
    anchors.isEmpty && spaces.isEmpty && forgotten.isEmpty && written.isEmpty
  }

  func base(_ place: SaveMemory.Place, else known: SaveMemory) -> SaveBase? {
    if let base = anchors[place] { return base }
    return forgotten[place.space] == nil ? known.base(place) : nil
  }

  func base(of space: UUID, else known: SaveMemory) -> SpaceBase? {
    if let base = spaces[space] { return base }
    return forgotten[space] == nil ? known.base(of: space) : nil
  }

  mutating func note(_ base: SaveBase) {
    anchors[SaveMemory.Place(base.value)] = base
  }

  mutating func note(_ space: HBSpace) {
    spaces[space.id] = SpaceBase(value: space, noted: .next())
  }

  mutating func forget(space: UUID) {
    anchors = anchors.filter { $0.key.space != space }
    spaces[space] = nil
    forgotten[space] = .next()
  }

  // MARK: Edits

  /// These are written: no copy of the value writes them again, unless the disk refuses the turn.
  mutating func mark(_ tokens: [EditToken], in scope: EditScope) {
    for token in tokens where !token.isWritten(in: scope) {
      written.append((token, token.markWritten(in: scope), scope))
    }
  }

  /// As ``mark(_:in:)`` of all that a transaction wrote.
  ///
  /// From now on the storage has written it, for the calls that follow in the turn too.
  mutating func mark(_ transaction: EditMarks) {
    let scope = transaction.scope.ofStorage
    for mark in transaction.keep() { written.append((mark.token, mark.previous, scope)) }
  }

  /// The turn is over: its edits are on disk, or to be written again.
  func settleEdits(areKept: Bool) {
    guard !areKept else { return }
    for edit in written.reversed() {
      edit.token.replace(edit.scope.writer, by: 0, last: edit.previous)
    }
  }
}
