/// What one turn of the engine has to make durable of one space, in one transaction.
package struct SpaceWrites: Sendable {
  package let space: SpaceID
  /// The vector after the turn; it covers exactly what the records then hold.
  package var vector: VersionVector
  /// The space's own registers.
  package var spaceRecord: [Cell]
  /// The anchors written to, by slot number, each with all its registers.
  package var anchors: [(slot: Int, cells: [Cell])]
  /// Whole changes for the history log, in the order in which they were applied.
  package var changes: [Change]

  package init(
    space: SpaceID, vector: VersionVector, spaceRecord: [Cell],
    anchors: [(slot: Int, cells: [Cell])], changes: [Change]
  ) {
    self.space = space
    self.vector = vector
    self.spaceRecord = spaceRecord
    self.anchors = anchors
    self.changes = changes
  }
}

extension SpaceState {
  /// What must be durable after `touched` was applied and `changes` led to it.
  package func writes(touched: Touched, changes: [Change]) -> SpaceWrites {
    SpaceWrites(
      space: id, vector: vector, spaceRecord: record(of: nil),
      anchors: touched.anchors.map { (slotNumber(of: $0)!, record(of: $0)) }, changes: changes)
  }

  /// The operations that would change something: a save that changes nothing writes nothing.
  package func effective(_ operations: [Operation]) -> [Operation] {
    operations.filter { operation in
      if let cell = cell(operation.register) { return cell.operation != operation }
      if case .metadata(_, _, nil) = operation { return false }
      return true
    }
  }
}
