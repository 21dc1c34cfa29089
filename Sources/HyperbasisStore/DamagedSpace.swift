import HyperbasisCore

/// The spaces of a store, those that are damaged apart.
package struct LoadedSpaces: Sendable {
  package internal(set) var spaces: [StoredSpace] = []
  package internal(set) var damaged: [DamagedSpace] = []
}

/// A space that does not hold what was written: it is set aside until a repair, and never synced.
package struct DamagedSpace: Sendable {
  /// Nil when not even that can be read.
  package let id: SpaceID?
  /// The first thing that is wrong with it, with the table and the row.
  package let what: String
  /// What can be read of it, for reading only: the vector claims what was lost.
  package let remains: SpaceState?

  package func error(path: String) -> StoreError {
    guard let id else { return .damaged(path: path, what: what) }
    return .damagedSpace(path: path, space: id, what: what)
  }
}
