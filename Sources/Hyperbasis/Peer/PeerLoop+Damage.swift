import HyperbasisCore
import HyperbasisStore

extension LocalPeer {
  /// Writes the whole store to one new file, beside all other work; for threads that may block.
  package func backup(to file: String) throws(PeerError) {
    guard configuration.isInMemory else {
      // Waits for an opening, and finds whether it is stopped.
      try wait { _ throws(PeerError) in }
      do throws(StoreError) {
        return try Store.backup(directory: configuration.directory, to: file)
      } catch {
        throw PeerError(error)
      }
    }
    try wait { loop throws(PeerError) in
      do throws(StoreError) { try loop.store.backup(to: file) } catch { throw PeerError(error) }
    }
  }
}

/// Spaces that are damaged: set aside, neither synced nor written until a repair.
extension PeerLoop {
  /// Forgets which spaces are damaged, and reads them all anew; returns those that are not.
  func reload() -> [StoredSpace] {
    let known = Set(damageNotices)
    let loaded = store.loadAgain()
    damaged = loaded.damaged
    for notice in damageNotices where !known.contains(notice) { tell(.notice(notice)) }
    return loaded.spaces
  }

  /// - Throws: `StoreError.damagedSpace` for a space that is set aside.
  func checkUndamaged(_ space: SpaceID) throws(StoreError) {
    guard let damage = damaged.first(where: { $0.id == space }) else { return }
    throw damage.error(path: store.directory)
  }

  /// Whether what is shown of a space is all that was kept of it: it must be none that is damaged, nor
  /// be missing where one is of which not even the id can be read.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed`.
  func checkReadable(_ space: SpaceID) throws(HBStorageError) {
    guard engine.rooms[space] == nil else { return }
    do throws(StoreError) { try checkMayHold(space) } catch { throw HBStorageError(error) }
  }

  func isReadable(_ space: SpaceID) -> Bool {
    do throws(HBStorageError) { try checkReadable(space) } catch { return false }
    return true
  }

  /// - Throws: `HBStorageError.fileOperationFailed` where some space is damaged.
  func checkNoneIsDamaged() throws(HBStorageError) {
    guard let damage = damaged.first else { return }
    throw HBStorageError(damage.error(path: store.directory))
  }

  /// Whether a space that is not held may be held from now on: it must be none that is damaged, nor
  /// one of which not even the id can be read.
  ///
  /// - Throws: `StoreError.damagedSpace` or `damaged`.
  func checkMayHold(_ space: SpaceID) throws(StoreError) {
    try checkUndamaged(space)
    if let damage = damaged.first(where: { $0.id == nil }) {
      throw damage.error(path: store.directory)
    }
  }

  func mayHold(_ space: SpaceID) -> Bool {
    do throws(StoreError) { try checkMayHold(space) } catch { return false }
    return true
  }

  /// What peers have and this store does not hold, but could: the connected ones, or while the network
  /// is off those that were met when it last was on.
  package var offeredSpaces: [SpaceID] {
    let offered =
      network.isOn
      ? engine.offeredSpaces : offersWhenLastOn.filter { engine.rooms[$0] == nil }.sorted()
    return offered.filter(mayHold)
  }

  /// - Throws: `StoreError.damagedSpace` for an anchor that lives in a space that is set aside.
  func checkIsNotSetAside(_ anchor: AnchorID) throws(StoreError) {
    guard let found = remains(of: anchor), found.anchor.deleted == nil else { return }
    try checkUndamaged(found.space)
  }

  /// An anchor of a space that is damaged, which itself is not.
  func remains(of anchor: AnchorID) -> (space: SpaceID, anchor: Anchor)? {
    for damage in damaged {
      if let state = damage.remains, let found = state.anchor(anchor) { return (state.id, found) }
    }
    return nil
  }
}
