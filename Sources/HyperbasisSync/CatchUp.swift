import HyperbasisCore

/// The batches of one catch-up, gathered until they are whole.
///
/// Nothing of them is visible before that: a batch holds last writes only, so a change that was
/// partly superseded by a later one would be visible in part, and a vector advanced batch by batch
/// would cover writes that are neither here nor superseded here. See
/// `Docs/Decisions/0002-catch-up-is-staged.md`.
package struct CatchUp: Equatable, Sendable {
  package let base: VersionVector
  /// How far base and batches reach.
  package private(set) var covers: VersionVector
  /// Everything that a sender knew of at the last batch. Another peer can continue from `covers`
  /// only when it covers this too.
  package private(set) var horizon: VersionVector
  package private(set) var parts: [CellTable] = []
  /// Of all parts.
  package private(set) var cellCount = 0
  /// Those that its batches named by writes.
  private var namedAnchors: [AnchorID] = []

  package init(base: VersionVector) {
    self.base = base
    covers = base
    horizon = base
  }

  package var isWhole: Bool { covers.covers(horizon) || Defect.partTakenForWhole.isPlanted }

  /// Returns whether each anchor was found; if not, nothing was added, and nothing can be any more.
  ///
  /// - Parameter state: In which anchors are found that writes name.
  /// - Throws: `CatchUpError` when the batch does not continue this catch-up.
  package mutating func append(
    _ batch: Batch, over state: SpaceState
  ) throws(CatchUpError) -> Bool {
    guard batch.covers.covers(covers) else { throw .vectorsGoBack }
    guard cellCount + batch.cells.count <= Limits.catchUpCells else { throw .tooLarge }
    guard batch.cells.isNamed(within: base) else { throw .anchorNotKnown }
    guard let cells = batch.cells.told(by: state, after: &namedAnchors) else { return false }
    guard cells.isInOrder(from: covers, to: batch.covers) else { throw .cellOutOfOrder }
    parts.append(cells)
    cellCount += cells.count
    covers = batch.covers
    horizon = batch.horizon
    return true
  }

  /// Precondition: the catch-up is whole.
  package var delta: Delta {
    precondition(isWhole, "only a whole catch-up is a delta")
    return Delta(base: base, covers: covers, parts: parts)
  }
}

package enum CatchUpError: Error, Equatable {
  case vectorsGoBack
  case cellOutOfOrder
  case tooLarge
  case anchorNotKnown
}

extension CatchUpError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .vectorsGoBack: "a batch whose vector goes back"
    case .cellOutOfOrder: "a batch with a write out of order"
    case .anchorNotKnown: "a batch with an anchor named by a write that was not there"
    case .tooLarge: "a catch-up of more than \(Limits.catchUpCells) writes"
    }
  }
}
