import HyperbasisCore
import HyperbasisSimulator
import HyperbasisStore

/// Reads the store of a peer that has stopped, as its owner.
enum StoreReader {
  static func peer(name: String, directory: String) throws -> StoppedPeer {
    let store = try Store(directory: directory)
    let spaces = try store.load().map { stored in
      (stored: stored, changes: try changes(of: stored.state, in: store))
    }
    return StoppedPeer(name: name, replica: store.replica, spaces: spaces)
  }

  /// The whole changes of a space, with the slots under which they are found.
  private static func changes(of state: SpaceState, in store: Store) throws -> [LoggedChange] {
    var slots: [Dot: [Int]] = [:]
    for slot in 0..<state.anchorCount {
      for change in try store.changes(of: state.id, slot: slot) {
        slots[change.dot, default: []].append(slot)
      }
    }
    return try store.changes(of: state.id).map {
      LoggedChange(change: $0, slots: slots[$0.dot] ?? [])
    }
  }
}
