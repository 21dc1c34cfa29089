import HyperbasisCore

/// What a peer's loop remembers of world maps, besides what the engine does.
struct MapKeeper {
  /// The last map of each space that was here whole.
  var wholes: [SpaceID: MapReference] = [:]
  /// Maps being saved or read: while there are some, nothing is dropped.
  var pins = 0
  /// Whether there may be something that no map needs any more; so it is after opening.
  var hasLeftovers = true
  /// Whether tasks were left for the next turn.
  var hasMore = false
  /// Bytes of pieces that were given to peers, since the start.
  var servedBytes: Int64 = 0

  var isCleaning: Bool { hasLeftovers && pins == 0 }
}

/// How much of a space's world map is on this device.
package struct MapState: Equatable, Sendable {
  /// The map in force; nil when the space has none.
  package let reference: MapReference?
  /// Bytes of it that are here and were checked.
  package let verifiedBytes: UInt64
  /// Whether all of it is here.
  package let isWhole: Bool
  /// The last map of the space that was here whole, and can be opened: the one in force, or the one
  /// before it while that is on its way.
  package let lastWhole: MapReference?
  /// Bytes of pieces of maps, of all spaces, that this process gave to peers.
  package let servedBytes: Int64
}
