import Foundation
import HyperbasisCore

/// The anchors of one space while ``HBStorage/transaction(spaceId:_:)`` runs: reads see the writes
/// made so far.
///
/// It is valid during the closure only; a later call throws.
public final class HBTransaction {
  /// The space that all of it is about.
  public let spaceId: UUID
  private let state: SpaceState
  private let memory: SaveMemory
  private let scope: EditScope
  /// The anchors written to, as they are after the writes so far.
  private var changed: [AnchorID: Anchor] = [:]
  private var indices: [Register: Int] = [:]
  private(set) var operations: [Operation] = []
  /// The values that were saved, and what they are laid over from then on.
  private(set) var saved: (values: [HBAnchor], bases: [HBAnchor]) = ([], [])
  private var isOver = false

  init(state: SpaceState, memory: SaveMemory, scope: EditScope) {
    spaceId = UUID(state.id)
    self.state = state
    self.memory = memory
    self.scope = scope
  }

  /// The living anchors, sorted by `createdAt`, then `id`. O(n log n).
  public var anchors: [HBAnchor] {
    var all = state.unorderedAnchors(includingDeleted: true).map { changed[$0.id] ?? $0 }
    all += changed.values.filter { state.anchor($0.id) == nil }
    return all.filter { $0.deleted == nil }.inOrder.map { HBAnchor($0, in: state.id, from: scope) }
  }

  /// One anchor, deleted or not; nil when the space has none with this id. O(keys).
  public func anchor(id: UUID) -> HBAnchor? {
    current(AnchorID(id)).map { HBAnchor($0, in: state.id, from: scope) }
  }

  /// As ``HBStorage/save(_:)-(HBAnchor)``, together with the rest.
  ///
  /// - Throws: `HBStorageError.encodingFailed` for what cannot be kept, or for an anchor of another
  ///   space.
  public func save(_ anchor: HBAnchor) throws {
    try requireOpen()
    guard anchor.spaceId == spaceId else {
      throw HBStorageError.encodingFailed(
        underlying: HBValueFailure.invalid(reason: "an anchor of another space in a transaction"))
    }
    let known = saved.bases.lastIndex { $0.id == anchor.id }
    let base =
      known.map { saved.bases[$0] } ?? memory.base(of: anchor.id, in: anchor.spaceId)
    let plan = AnchorPlan(
      value: anchor, base: base, current: current(AnchorID(anchor.id)), scope: scope)
    add(try plan.operations(), to: AnchorID(anchor.id), created: anchor.createdAt.nanoseconds)
    saved.values.append(anchor)
    let merged = anchor.laid(over: base, wrote: WrittenFields(anchor.edits, in: scope))
    if let known { saved.bases[known] = merged } else { saved.bases.append(merged) }
  }

  /// Deletes an anchor; one that is deleted already stays as it is.
  ///
  /// - Throws: `HBStorageError.notFound` for an id that the space does not have.
  public func deleteAnchor(id: UUID) throws {
    try requireOpen()
    guard var anchor = anchor(id: id) else { throw HBStorageError.notFound(type: "anchor", id: id) }
    guard !anchor.isDeleted else { return }
    anchor.markDeleted()
    try save(anchor)
  }

  func end() {
    isOver = true
  }

  private func requireOpen() throws(HBStorageError) {
    guard isOver else { return }
    throw .encodingFailed(underlying: HBValueFailure.invalid(reason: "the transaction is over"))
  }

  private func current(_ id: AnchorID) -> Anchor? {
    changed[id] ?? state.anchor(id)
  }

  private func add(_ new: [Operation], to id: AnchorID, created: Int64) {
    for operation in new {
      if let index = indices[operation.register] {
        operations[index] = operation
      } else {
        indices[operation.register] = operations.count
        operations.append(operation)
      }
    }
    guard !new.isEmpty else { return }
    changed[id] = new.reduce(current(id) ?? .empty(id, created: created)) { $0.applying($1) }
  }
}

extension Anchor {
  fileprivate static func empty(_ id: AnchorID, created: Int64) -> Anchor {
    Anchor(
      id: id, transform: .identity, metadata: Value.Object(), created: created, updated: created,
      deleted: nil)
  }

  /// The anchor after a write to it, as long as no other has a greater stamp.
  fileprivate func applying(_ operation: Operation) -> Anchor {
    var (transform, metadata, existence) = (
      transform, metadata, Existence(created: created, deleted: deleted)
    )
    switch operation {
    case .transform(_, let written): transform = written
    case .metadata(_, let key, let value): metadata[key] = value
    case .existence(_, let written): existence = written
    case .name, .spaceExistence, .worldMap: preconditionFailure("it has no anchor")
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
