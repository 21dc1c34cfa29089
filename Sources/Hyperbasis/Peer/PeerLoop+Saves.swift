import Foundation
import HyperbasisCore
import HyperbasisStore

/// What ``HBStorage`` does to anchors, in one turn each.
extension PeerLoop {
  // MARK: Reading

  /// The living anchors of a space; none where the space is unknown or deleted.
  ///
  /// - Throws: `HBStorageError` for a space that is damaged: some would be missing.
  func shownAnchors(in space: SpaceID) throws(HBStorageError) -> [Anchor] {
    try checkReadable(space)
    return shownState(of: space)?.anchorsByCreation() ?? []
  }

  /// What a list of a space's anchors is made of, most of it from the one that was handed out last; nil
  /// where the space is unknown or deleted.
  ///
  /// - Throws: as ``shownAnchors(in:)``.
  func anchorNews(
    of space: SpaceID, since last: ShownAnchors?, includingDeleted: Bool
  ) throws(HBStorageError) -> AnchorNews? {
    try checkReadable(space)
    guard let state = shownState(of: space) else { return nil }
    let point = ReadPoint(
      vector: state.vector, floor: state.floor, joins: engine.rooms[space]!.joins.count,
      statesSince: statesSince, moment: .next())
    let deleted =
      includingDeleted
      ? state.anchorsByCreation(living: false, deleted: true).filter { !isPurged($0) } : []
    return AnchorNews(state, at: point, since: last, deleted: deleted)
  }

  /// The anchor with this id, in whichever space. Where several have it: the living one before those
  /// that are deleted, then that in the space with the smallest id. Those of damaged spaces come last.
  ///
  /// - Throws: `HBStorageError` for one that is nowhere, where it may be among what cannot be read.
  func locate(_ id: AnchorID) throws(HBStorageError) -> (space: SpaceID, anchor: Anchor)? {
    let found = engine.rooms.keys.compactMap { space in
      shownState(of: space)?.anchor(id).map { (space: space, anchor: $0) }
    }
    let shown = found.filter { !isPurged($0.anchor) }
    let first = shown.first { $0.anchor.deleted == nil } ?? shown.first ?? remains(of: id)
    if let first { return first }
    if found.isEmpty { try checkNoneIsDamaged() }
    return nil
  }

  /// - Throws: `HBStorageError.encodingFailed` where a save would have an anchor live here that lives in
  ///   another space: calls that have its id only would mean one of the two. `fileOperationFailed` where
  ///   that space is damaged.
  func checkLivesOnlyHere(
    _ id: AnchorID, in space: SpaceID, after operations: [Operation]
  ) throws(HBStorageError) {
    let appears = operations.contains { operation in
      if case .existence(_, let existence) = operation { existence.deleted == nil } else { false }
    }
    guard appears else { return }
    do throws(StoreError) { try checkIsNotSetAside(id) } catch { throw HBStorageError(error) }
    for other in engine.rooms.keys where other != space {
      guard let known = shownState(of: other)?.anchor(id), known.deleted == nil else { continue }
      let failure = HBValueFailure.anchorInAnotherSpace(anchorId: UUID(id), spaceId: UUID(other))
      throw .encodingFailed(underlying: failure)
    }
  }

  /// The state of a space that is held and not deleted.
  func shownState(of space: SpaceID) -> SpaceState? {
    guard let state = engine.rooms[space]?.state, state.record.existence?.deleted == nil else {
      return nil
    }
    return state
  }

  private func isPurged(_ anchor: Anchor) -> Bool {
    anchor.deleted.map { $0 < settings.purgedBefore } ?? false
  }

  // MARK: Writing

  /// Writes what the app changed in the value, which is known from then on.
  ///
  /// - Throws: `HBStorageError`; nothing is written then.
  func save(_ anchor: HBAnchor) throws(HBStorageError) {
    let base = base(of: anchor.id, in: anchor.spaceId)
    let written = WrittenFields(anchor.edits, in: scope)
    try write(anchor, over: base)
    notes.note(.after(saving: anchor, wrote: written, over: base))
    notes.mark(anchor.edits.tokens, in: scope)
  }

  /// As ``save(_:)``; nothing is noted.
  private func write(_ anchor: HBAnchor, over base: SaveBase?) throws(HBStorageError) {
    let space = SpaceID(anchor.spaceId)
    let state = try stateToWrite(space)
    let current = state.anchor(AnchorID(anchor.id))
    let plan = AnchorPlan(
      value: anchor, base: base, current: current, scope: scope, mayBeGone: state.hasMembers)
    let operations = try plan.operations()
    try checkLivesOnlyHere(AnchorID(anchor.id), in: space, after: operations)
    try write(operations, to: space, date: date(of: anchor.updatedAt, after: current?.updated))
  }

  /// Whoever deletes an anchor knows that it is gone, also where somebody was quicker.
  func deleteAnchor(_ id: AnchorID) throws(HBStorageError) {
    guard let (space, found) = try locate(id) else { throw .notFound(type: "anchor", id: UUID(id)) }
    try checkReadable(space)
    if found.deleted == nil {
      var anchor = HBAnchor(found, in: space, from: scope)
      anchor.markDeleted()
      try write(anchor, over: nil)
    }
    note(HBAnchor(engine.rooms[space]!.state.anchor(id)!, in: space, from: scope))
  }

  /// Returns what became of the anchor, or what `body` threw.
  func update(
    _ id: AnchorID, _ body: (inout HBAnchor) throws -> Void
  ) throws(HBStorageError) -> Result<HBAnchor, any Error> {
    guard let (space, found) = try locate(id) else { throw .notFound(type: "anchor", id: UUID(id)) }
    try checkReadable(space)
    let before = HBAnchor(found, in: space, from: scope)
    var base = base(of: before.id, in: before.spaceId)
    var shown = before
    // A deletion that was only shown does not let a value built afresh bring the anchor back.
    if base.map({ !$0.value.isDeleted }) ?? true { shown.deletedAt = nil }
    base = .noting(shown, over: base, at: .next())
    var anchor = before
    do { try body(&anchor) } catch { return .failure(error) }
    guard anchor.id == before.id, anchor.spaceId == before.spaceId else {
      let reason =
        "the closure of update put anchor \(anchor.id) of space \(anchor.spaceId) in the place of anchor "
        + "\(before.id) of space \(before.spaceId); change the fields of the one that it is given"
      throw .encodingFailed(underlying: HBValueFailure.invalid(reason: reason))
    }
    try write(anchor, over: base)
    let now = HBAnchor(engine.rooms[space]!.state.anchor(id)!, in: space, from: scope)
    if !now.isDeleted || !before.isDeleted { note(now) }
    notes.mark(anchor.edits.tokens, in: scope)
    return .success(now)
  }

  /// Returns the output of `body`, or what it threw.
  func transaction<Output>(
    in space: SpaceID, _ body: (HBTransaction) throws -> Output
  ) throws(HBStorageError) -> Result<Output, any Error> {
    let marks = EditMarks(transactionOf: scope)
    let transaction = HBTransaction(
      state: try stateToWrite(space), purgedBefore: settings.purgedBefore, marks: marks, loop: self)
    defer { transaction.end() }
    let result = Result { try body(transaction) }
    // Also where it fails: these are as the storage has them.
    for base in transaction.handedOut.values { notes.note(base) }
    guard case .success = result else {
      marks.undo()
      return result
    }
    do throws(HBStorageError) {
      try write(transaction.operations, to: space, date: transaction.changeDate)
    } catch {
      marks.undo()
      throw error
    }
    notes.mark(marks)
    for base in transaction.bases.values { notes.note(base) }
    return result
  }

  /// Makes one change, in a space that is held from then on; what it has already is not written, and
  /// nothing is where the change is refused.
  func write(
    _ operations: [Operation], to space: SpaceID, date: Int64?
  ) throws(HBStorageError) {
    guard !operations.isEmpty else { return }
    do throws(PeerError) {
      try checkSize(of: operations, in: space)
      try join(space)
      try edit(space, operations, date: date)
    } catch {
      throw HBStorageError(error)
    }
  }

  /// The state of a space that an app writes to; an empty one where it is unknown.
  ///
  /// - Throws: `HBStorageError.notFound` for one that was deleted, `fileOperationFailed` for one that is
  ///   damaged.
  func stateToWrite(_ space: SpaceID) throws(HBStorageError) -> SpaceState {
    guard let state = engine.rooms[space]?.state else {
      do throws(StoreError) { try checkMayHold(space) } catch { throw HBStorageError(error) }
      return SpaceState(id: space)
    }
    guard state.record.existence?.deleted == nil else {
      throw .notFound(type: "space", id: UUID(space))
    }
    return state
  }

  /// The date that a write bears: the value's own where it is later than what it replaces, and now
  /// where an app changed the value without giving it a date.
  func date(of updated: Date, after known: Int64?) -> Int64? {
    let date = updated.nanoseconds
    return known.map { date > $0 } ?? true ? date : nil
  }
}
