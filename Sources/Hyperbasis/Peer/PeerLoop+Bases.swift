import Foundation
import HyperbasisCore

/// What saves of values built afresh are compared with; see `Docs/API.md`, "Saves are three-way".
extension PeerLoop {
  // MARK: What is known

  /// What was last handed out or written of an anchor, by the calls of this turn too.
  ///
  /// Where nothing was since the store was opened, an anchor that was deleted by this store is known
  /// as it is: the tombstone says who wrote it.
  func base(of anchor: UUID, in space: UUID) -> SaveBase? {
    notes.base(SaveMemory.Place(space: space, anchor: anchor), else: memory)
      ?? ownDeletion(of: AnchorID(anchor), in: SpaceID(space))
  }

  func base(of space: UUID) -> SpaceBase? {
    notes.base(of: space, else: memory)
  }

  /// Keys that a peer wrote after the deletion are not known.
  private func ownDeletion(of id: AnchorID, in space: SpaceID) -> SaveBase? {
    guard let state = shownState(of: space), let anchor = state.anchor(id), anchor.deleted != nil,
      let deletion = state.stamp(of: .existence(id)),
      deletion.dot.replica == engine.local.replica
    else { return nil }
    var value = HBAnchor(anchor, in: space, from: scope)
    value.metadata = value.metadata.filter { key, _ in
      state.stamp(of: .metadata(id, Key(key))).map {
        $0 <= deletion || $0.dot.replica == deletion.dot.replica
      } ?? false
    }
    value.edits = ValueEdits(initial: EditToken(writtenIn: scope))
    return SaveBase(value, known: KnownKeys(since: .zero), noted: .zero)
  }

  // MARK: What this turn adds

  /// A value is handed out or was written by this turn.
  func note(_ anchor: HBAnchor) {
    let known = base(of: anchor.id, in: anchor.spaceId)
    notes.note(.noting(anchor, over: known, at: .next()))
  }

  /// The turn is over: what it noted is so, or its writes are not on disk, and it never was.
  func settleNotes(areKept: Bool) {
    guard !notes.isEmpty else { return }
    if areKept { memory.keep(notes) }
    notes.settleEdits(areKept: areKept)
    notes = TurnNotes()
  }
}
