import Foundation
import HyperbasisNet

/// The values that an `HBStorage` last handed out or wrote, by anchor and by space: the base of saves
/// of values that were built afresh.
///
/// It says nothing that the disk does not: what a turn wrote is in ``TurnNotes`` until the turn is
/// committed.
final class SaveMemory: Sendable {
  private let state = Locked(State())

  struct Place: Hashable {
    let space: UUID
    let anchor: UUID

    init(space: UUID, anchor: UUID) {
      self.space = space
      self.anchor = anchor
    }

    init(_ anchor: HBAnchor) {
      self.init(space: anchor.spaceId, anchor: anchor.id)
    }
  }

  private struct State: Sendable {
    var spaces: [UUID: SpaceMemory] = [:]
    /// When everything was forgotten: what was read before comes too late.
    var start = EditMoment.zero

    subscript(space: UUID) -> SpaceMemory {
      get { spaces[space, default: SpaceMemory(since: start)] }
      _modify { yield &spaces[space, default: SpaceMemory(since: start)] }
    }
  }

  // MARK: What is known

  func base(_ place: Place) -> SaveBase? {
    state.withLock { $0.spaces[place.space]?.base(of: place.anchor) }
  }

  func base(of space: UUID) -> SpaceBase? {
    state.withLock { $0.spaces[space]?.space }
  }

  /// The list of a space's anchors that was handed out last.
  func shownAnchors(in space: UUID) -> ShownAnchors? {
    state.withLock { $0.spaces[space]?.list?.shown }
  }

  // MARK: What was handed out

  /// Values are handed out: to be called just before.
  ///
  /// Those that are deleted are left out: saves that do not know of that would bring them back. O(keys).
  ///
  /// - Parameter moment: one of the turn in which they were in force. Calls end in another order than
  ///   their turns, and the base is what was read or written in the last turn.
  func note(_ new: [HBAnchor], at moment: EditMoment) {
    let known = KnownKeys(since: .next())
    state.withLock { state in
      for anchor in new where !anchor.isDeleted {
        state[anchor.spaceId].set(SaveBase(anchor, known: known, noted: moment))
      }
    }
  }

  /// As ``note(_:at:)-([HBAnchor],_)``, of all living anchors of a space. O(what changed since the last
  /// list).
  func note(_ new: ShownAnchors, in space: UUID) {
    let known = EditMoment.next()
    state.withLock { $0[space].note(new, known: known) }
  }

  /// As ``note(_:at:)-([HBAnchor],_)``.
  func note(_ new: [HBSpace], at moment: EditMoment) {
    state.withLock { state in
      for space in new { state[space.id].set(SpaceBase(value: space, noted: moment)) }
    }
  }

  // MARK: What was written

  /// What a turn noted is on disk.
  func keep(_ notes: TurnNotes) {
    state.withLock { state in
      for (space, moment) in notes.forgotten { state[space] = SpaceMemory(since: moment) }
      for base in notes.anchors.values { state[base.value.spaceId].set(base) }
      for base in notes.spaces.values { state[base.value.id].set(base) }
    }
  }

  /// Forgets the anchors of a space that are no more. O(anchors that are known of it).
  func forget(in space: UUID, where isGone: (UUID) -> Bool) {
    state.withLock { $0.spaces[space]?.forget(where: isGone) }
  }

  func forgetAll() {
    state.withLock { state in
      state = State()
      state.start = .next()
    }
  }
}
