import Foundation
import HyperbasisNet

/// The values that an `HBStorage` last handed out or wrote, by anchor and by space: the base of saves
/// of values that were built afresh.
final class SaveMemory: Sendable {
  private let spaces = Locked<[UUID: HBSpace]>([:])
  private let anchors = Locked(Anchors())

  private struct Place: Hashable {
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

  private struct Anchors: Sendable {
    var bases: [Place: SaveBase] = [:]
    /// Noted and not looked at yet, oldest first.
    var waiting: [NotedAnchors] = []

    mutating func sort() {
      for noted in waiting {
        for index in noted.anchors.indices { set(noted.base(index)) }
      }
      waiting = []
    }

    private mutating func set(_ new: SaveBase) {
      let place = Place(new.value)
      if bases[place]?.note(new) == nil { bases[place] = new }
    }
  }

  /// Lists that may wait.
  private static let waitingLimit = 8

  // MARK: Anchors

  func base(of anchor: UUID, in space: UUID) -> SaveBase? {
    anchors.withLock { anchors in
      anchors.sort()
      return anchors.bases[Place(space: space, anchor: anchor)]
    }
  }

  /// A value was handed out. One that was handed out as deleted is not to be noted: saves that do not
  /// know of that would bring it back.
  ///
  /// - Parameter moment: one of the turn in which it was read. Calls end in another order than their
  ///   turns, and the base is what the last turn read or wrote.
  func note(_ anchor: HBAnchor, at moment: EditMoment) {
    note([anchor], at: moment)
  }

  /// As ``note(_:at:)-(HBAnchor,_)``; O(keys) for a list with the anchors of the last one, else O(1).
  func note(_ new: [HBAnchor], at moment: EditMoment) {
    anchors.withLock { anchors in
      let last = anchors.waiting.indices.last
      if let last, anchors.waiting[last].renew(new, at: moment) { return }
      anchors.waiting.append(NotedAnchors(new, at: moment))
      if anchors.waiting.count > SaveMemory.waitingLimit { anchors.sort() }
    }
  }

  /// To be called in the turn that wrote the value.
  func noteSaved(_ anchor: HBAnchor, wrote written: WrittenFields) {
    anchors.withLock { anchors in
      anchors.sort()
      let place = Place(anchor)
      anchors.bases[place] = .after(saving: anchor, wrote: written, over: anchors.bases[place])
    }
  }

  /// A transaction saved values: what is known of their anchors since.
  func note(_ bases: [SaveBase]) {
    anchors.withLock { anchors in
      anchors.sort()
      for base in bases { anchors.bases[Place(base.value)] = base }
    }
  }

  // MARK: Spaces

  func base(of space: UUID) -> HBSpace? {
    spaces.withLock { $0[space] }
  }

  func note(_ space: HBSpace) {
    spaces.withLock { $0[space.id] = space }
  }

  func forget(space: UUID) {
    spaces.withLock { $0[space] = nil }
    anchors.withLock { anchors in
      anchors.sort()
      anchors.bases = anchors.bases.filter { $0.key.space != space }
    }
  }

  func forgetAll() {
    spaces.withLock { $0 = [:] }
    anchors.withLock { $0 = Anchors() }
  }
}
