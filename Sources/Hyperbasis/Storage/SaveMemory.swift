import Foundation
import HyperbasisCore
import Synchronization

/// Which fields of an anchor's value a save is about: those that no storage had written before.
struct WrittenFields: Sendable {
  let isWhole: Bool
  let transform: Bool
  let existence: Bool
  let keys: [Key]

  /// To be taken before the edits are marked as saved.
  init(_ edits: ValueEdits, in scope: EditScope) {
    isWhole = edits.isFresh(in: scope)
    transform = edits.transform.isUnsaved(in: scope)
    existence = edits.existence.isUnsaved(in: scope)
    keys = edits.unsavedKeys(in: scope)
  }
}

extension HBAnchor {
  /// The base after a save of this value: all of a value built afresh, else the fields written.
  func laid(over base: HBAnchor?, wrote written: WrittenFields) -> HBAnchor {
    guard !written.isWhole, var merged = base else { return self }
    if written.transform { merged.transform = transform }
    if written.existence { merged.deletedAt = deletedAt }
    for key in written.keys { merged.metadata[key.text] = metadata.exactValue(for: key.text) }
    return merged
  }
}

/// The values that an `HBStorage` last handed out or wrote, by anchor and by space: the base of saves
/// of values that were built afresh.
final class SaveMemory: Sendable {
  private let spaces = Mutex<[UUID: HBSpace]>([:])
  private let anchors = Mutex(Anchors())

  private struct Place: Hashable {
    let space: UUID
    let anchor: UUID
  }

  private struct Anchors {
    var values: [Place: HBAnchor] = [:]
    /// Noted and not looked at yet, oldest first: what was loaded costs nothing until it is.
    var waiting: [[HBAnchor]] = []

    mutating func sort() {
      for anchor in waiting.joined() {
        values[Place(space: anchor.spaceId, anchor: anchor.id)] = anchor
      }
      waiting = []
    }
  }

  /// Arrays that may wait.
  private static let waitingLimit = 8

  // MARK: Anchors

  func base(of anchor: UUID, in space: UUID) -> HBAnchor? {
    anchors.withLock { anchors in
      anchors.sort()
      return anchors.values[Place(space: space, anchor: anchor)]
    }
  }

  func note(_ anchor: HBAnchor) {
    note([anchor])
  }

  /// A value was saved: what it wrote is known from now on, and nothing else of it, since the rest may
  /// be older than what was handed out meanwhile.
  func noteSaved(_ anchor: HBAnchor, wrote written: WrittenFields) {
    note(anchor.laid(over: base(of: anchor.id, in: anchor.spaceId), wrote: written))
  }

  /// O(1) for an array with the anchors of the last one.
  func note(_ new: [HBAnchor]) {
    anchors.withLock { anchors in
      if let last = anchors.waiting.last, last.count == new.count,
        zip(last, new).allSatisfy({ $0.id == $1.id && $0.spaceId == $1.spaceId })
      {
        anchors.waiting.removeLast()
      }
      anchors.waiting.append(new)
      if anchors.waiting.count > SaveMemory.waitingLimit { anchors.sort() }
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
      anchors.values = anchors.values.filter { $0.key.space != space }
    }
  }

  func forgetAll() {
    spaces.withLock { $0.removeAll() }
    anchors.withLock { $0 = Anchors() }
  }
}
