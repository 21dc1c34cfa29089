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
    var spaces: [UUID: SpaceBase] = [:]
    var anchors: [Place: SaveBase] = [:]
    /// Noted and not looked at yet, oldest first.
    var waiting: [NotedAnchors] = []
    /// When a space was forgotten: what was read before comes too late.
    var forgotten: [UUID: EditMoment] = [:]
    /// When everything was.
    var start = EditMoment.zero

    mutating func sort() {
      for noted in waiting {
        for index in noted.anchors.indices { set(noted.base(index)) }
      }
      waiting = []
    }

    mutating func set(_ new: SaveBase) {
      let place = Place(new.value)
      guard isNews(place.space, new.noted) else { return }
      if anchors[place]?.note(new) == nil { anchors[place] = new }
    }

    mutating func set(_ new: SpaceBase) {
      let id = new.value.id
      guard isNews(id, new.noted), spaces[id]?.noted ?? .zero < new.noted else { return }
      spaces[id] = new
    }

    mutating func forget(_ space: UUID, at moment: EditMoment) {
      sort()
      spaces[space] = nil
      anchors = anchors.filter { $0.key.space != space }
      forgotten[space] = moment
    }

    private func isNews(_ space: UUID, _ moment: EditMoment) -> Bool {
      moment > forgotten[space] ?? start
    }
  }

  /// Lists that may wait.
  private static let waitingLimit = 8

  // MARK: What is known

  func base(_ place: Place) -> SaveBase? {
    state.withLock { state in
      state.sort()
      return state.anchors[place]
    }
  }

  func base(of space: UUID) -> SpaceBase? {
    state.withLock { $0.spaces[space] }
  }

  // MARK: What was handed out

  /// Values are handed out: to be called just before.
  ///
  /// Those that are deleted are left out: saves that do not know of that would bring them back.
  /// O(keys) for a list with the anchors of the last one, else O(n).
  ///
  /// - Parameter moment: one of the turn in which they were in force. Calls end in another order than
  ///   their turns, and the base is what was read or written in the last turn.
  func note(_ new: [HBAnchor], at moment: EditMoment) {
    let living = new.contains(where: \.isDeleted) ? new.filter { !$0.isDeleted } : new
    let handedOut = EditMoment.next()
    state.withLock { state in
      let last = state.waiting.indices.last
      if let last, state.waiting[last].renew(living, at: moment, known: handedOut) { return }
      state.waiting.append(NotedAnchors(living, at: moment, known: handedOut))
      if state.waiting.count > SaveMemory.waitingLimit { state.sort() }
    }
  }

  /// As ``note(_:at:)-([HBAnchor],_)``.
  func note(_ new: [HBSpace], at moment: EditMoment) {
    state.withLock { state in
      for space in new { state.set(SpaceBase(value: space, noted: moment)) }
    }
  }

  // MARK: What was written

  /// What a turn noted is on disk.
  func keep(_ notes: TurnNotes) {
    state.withLock { state in
      for (space, moment) in notes.forgotten { state.forget(space, at: moment) }
      state.sort()
      for base in notes.anchors.values { state.set(base) }
      for base in notes.spaces.values { state.set(base) }
    }
  }

  func forgetAll() {
    state.withLock { state in
      state = State()
      state.start = .next()
    }
  }
}

/// What was last handed out or written of a space, and in which turn that was in force.
struct SpaceBase: Sendable {
  let value: HBSpace
  let noted: EditMoment
}
