import Foundation
import HyperbasisCore

/// The anchors of one space while ``HBStorage/transaction(spaceId:_:)`` runs: reads see the writes
/// made so far.
///
/// It is valid during the closure only: later it shows no anchor, and a save or a deletion throws.
public final class HBTransaction {
  /// The space that all of it is about.
  public let spaceId: UUID
  private let state: SpaceState
  /// Knows what was handed out or written before, and the other spaces.
  private unowned let loop: PeerLoop
  /// Anchors deleted before are not shown.
  private let purgedBefore: Int64
  private let marks: EditMarks
  /// The anchors written to.
  private var changed: [AnchorID: WrittenAnchor] = [:]
  private var written: [Operation] = []
  private var date = ChangeDate()
  /// What the values that were saved are laid over from then on.
  private(set) var bases: [UUID: SaveBase] = [:]
  /// Of anchors that were shown before they were written to.
  private(set) var handedOut: [UUID: SaveBase] = [:]
  /// The edits that wrote to anchors here, for the values that are shown after.
  private var edits: [AnchorID: ValueEdits] = [:]
  private var isOver = false

  init(state: SpaceState, purgedBefore: Int64, marks: EditMarks, loop: PeerLoop) {
    spaceId = UUID(state.id)
    self.state = state
    self.purgedBefore = purgedBefore
    self.marks = marks
    self.loop = loop
  }

  /// The living anchors, sorted by `createdAt`, then `id`; none after the closure. O(n log n).
  public var anchors: [HBAnchor] {
    guard !isOver else { return [] }
    var all = state.unorderedAnchors(includingDeleted: true).map { changed[$0.id]?.anchor ?? $0 }
    all += changed.values.map(\.anchor).filter { state.anchor($0.id) == nil }
    return all.filter { $0.deleted == nil }.inOrder.map(shown)
  }

  /// One anchor, deleted or not; nil when the space has none with this id, for one that was purged, and
  /// after the closure. O(keys).
  public func anchor(id: UUID) -> HBAnchor? {
    guard !isOver, let anchor = current(AnchorID(id)), anchor.deleted ?? .max >= purgedBefore else {
      return nil
    }
    return shown(anchor)
  }

  /// As ``HBStorage/save(_:)-(HBAnchor)``, together with the rest.
  ///
  /// The change bears the latest `updatedAt` of the values that were saved, if that is later than all
  /// that they replace; if not, it is made now.
  ///
  /// - Throws: `HBStorageError.encodingFailed` for what cannot be kept, for an anchor of another space
  ///   or one that lives in another space, and after the closure.
  public func save(_ anchor: HBAnchor) throws {
    try requireOpen()
    guard anchor.spaceId == spaceId else {
      let reason =
        "anchor \(anchor.id) is of space \(anchor.spaceId), the transaction of space \(spaceId); save it "
        + "with the storage, or in a transaction of its space"
      throw HBStorageError.encodingFailed(underlying: HBValueFailure.invalid(reason: reason))
    }
    let id = AnchorID(anchor.id)
    let base = base(of: anchor.id)
    let plan = AnchorPlan(
      value: anchor, base: base, current: current(id), scope: marks.scope,
      mayBeGone: state.hasMembers)
    let operations = try plan.operations()
    try loop.checkLivesOnlyHere(id, in: state.id, after: operations)
    if !operations.isEmpty { date.note(anchor, after: state.anchor(id)) }
    add(operations, to: id, created: anchor.createdAt.nanoseconds)
    edits[id, default: ValueEdits()].note(operations, of: anchor.edits)
    bases[anchor.id] = .after(
      saving: anchor, wrote: WrittenFields(anchor.edits, in: marks.scope), over: base)
    marks.mark(anchor.edits)
  }

  /// Deletes an anchor; one that is deleted already stays as it is.
  ///
  /// - Throws: `HBStorageError.notFound` for an id that the space does not have, `encodingFailed` after
  ///   the closure.
  public func deleteAnchor(id: UUID) throws {
    try requireOpen()
    guard var anchor = anchor(id: id) else { throw HBStorageError.notFound(type: "anchor", id: id) }
    guard !anchor.isDeleted else {
      // Whoever deletes an anchor knows that it is gone, also where somebody was quicker.
      bases[id] = .noting(anchor, over: base(of: id), at: .next())
      return
    }
    anchor.markDeleted()
    try save(anchor)
  }

  /// What is to be written. An anchor that was deleted and restored, or the other way round, is as it
  /// was before.
  var operations: [Operation] {
    written.filter { operation in
      guard case .existence(let id, let existence) = operation, let before = state.anchor(id) else {
        return true
      }
      return (existence.deleted == nil) != (before.deleted == nil)
    }
  }

  /// Nil for now.
  var changeDate: Int64? { date.nanoseconds }

  func end() {
    isOver = true
  }

  private func requireOpen() throws(HBStorageError) {
    guard isOver else { return }
    let reason =
      "the closure of this transaction of space \(spaceId) has ended; save within it, or with the storage"
    throw .encodingFailed(underlying: HBValueFailure.invalid(reason: reason))
  }

  /// It is handed out as by a load, and has the edits that were saved here: where the transaction
  /// fails, they are to be written again, and nothing else of it.
  private func shown(_ anchor: Anchor) -> HBAnchor {
    var shown = HBAnchor(anchor, in: state.id, from: marks.scope.ofStorage)
    if let edits = edits[anchor.id] {
      shown.edits.share(edits)
    } else if !shown.isDeleted {
      // Values that are made from it are compared with it.
      let base = SaveBase.noting(shown, over: base(of: shown.id), at: .next())
      (bases[shown.id], handedOut[shown.id]) = (base, base)
    }
    return shown
  }

  private func base(of id: UUID) -> SaveBase? {
    bases[id] ?? loop.base(of: id, in: spaceId)
  }

  private func current(_ id: AnchorID) -> Anchor? {
    changed[id]?.anchor ?? state.anchor(id)
  }

  private func add(_ new: [Operation], to id: AnchorID, created: Int64) {
    guard !new.isEmpty else { return }
    var known = changed[id] ?? WrittenAnchor(state.anchor(id) ?? .empty(id, created: created))
    // One save writes each register once, so the first one of an anchor replaces nothing.
    let places = Dictionary(
      uniqueKeysWithValues: known.indices.map { (written[$0].register, $0) })
    for operation in new {
      if !places.isEmpty, let index = places[operation.register] {
        written[index] = operation
      } else {
        known.indices.append(written.count)
        written.append(operation)
      }
    }
    known.anchor = known.anchor.applying(new)
    changed[id] = known
  }
}

/// An anchor that a transaction writes to.
private struct WrittenAnchor {
  /// After the writes so far.
  var anchor: Anchor
  /// Of its operations in those of the transaction, one for each register.
  var indices: [Int] = []

  init(_ anchor: Anchor) {
    self.anchor = anchor
  }
}

/// The date of a change that several values make.
private struct ChangeDate {
  private var latest: Int64?
  /// Of what the values replace.
  private var latestBefore = Int64.min

  mutating func note(_ value: HBAnchor, after known: Anchor?) {
    let date = value.updatedAt.nanoseconds
    if date > known?.updated ?? .min { latest = Swift.max(latest ?? date, date) }
    latestBefore = Swift.max(latestBefore, known?.updated ?? .min)
  }

  /// Nil where it would take an anchor back in time.
  var nanoseconds: Int64? { latest.flatMap { $0 > latestBefore ? $0 : nil } }
}

extension Anchor {
  fileprivate static func empty(_ id: AnchorID, created: Int64) -> Anchor {
    Anchor(
      id: id, transform: .identity, metadata: Value.Object(), created: created, updated: created,
      deleted: nil)
  }

  /// The anchor after writes to it, as long as no other has a greater stamp.
  fileprivate func applying(_ operations: [Operation]) -> Anchor {
    var (transform, metadata, existence) = (
      transform, metadata, Existence(created: created, deleted: deleted)
    )
    for operation in operations {
      switch operation {
      case .transform(_, let written): transform = written
      case .metadata(_, let key, let value): metadata[key] = value
      case .existence(_, let written): existence = written
      case .name, .spaceExistence, .worldMap, .retention, .member:
        preconditionFailure("it has no anchor")
      }
    }
    return Anchor(
      id: id, transform: transform, metadata: metadata, created: existence.created,
      updated: updated, deleted: existence.deleted)
  }
}

extension [Anchor] {
  /// By creation, then id: the order of every list that apps get.
  var inOrder: [Anchor] {
    sorted { ($0.created, $0.id) < ($1.created, $1.id) }
  }
}
