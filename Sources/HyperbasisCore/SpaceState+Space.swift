/// The space itself as it is now, without its anchors.
package struct SpaceRecord: Equatable, Sendable {
  /// Nil for a space without a name, or before one was received.
  package let name: String?
  package let map: MapReference?
  /// Nil before a device that made or saved the space was heard of.
  package let existence: Existence?
  /// Nanoseconds since 1970: the date of the last write to name, map or existence.
  package let updated: Int64
}

extension SpaceState {
  /// The space's name; nil before one was received.
  package var name: String? { record.name }

  /// The space's own registers as values. O(1).
  package var record: SpaceRecord {
    var name: String?
    var map: MapReference?
    var existence: Existence?
    var last: Stamp?
    spaceRegisters.visit { row in
      switch cells.operation(at: row) {
      case .name(let written): name = written?.text
      case .worldMap(let written): map = written
      case .spaceExistence(let written): existence = written
      case .retention, .member: return
      default: preconditionFailure("a register of an anchor")
      }
      last = max(last ?? cells.stamp(at: row), cells.stamp(at: row))
    }
    return SpaceRecord(name: name, map: map, existence: existence, updated: last?.date ?? 0)
  }
}
