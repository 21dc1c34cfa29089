import HyperbasisCore
import HyperbasisNet
import HyperbasisStore
import HyperbasisSync

extension PeerLoop {
  /// Small facts that are kept beside the spaces.
  struct Settings {
    /// Nanoseconds since 1970: anchors deleted before are no longer shown to apps.
    var purgedBefore = Int64.min
    /// Spaces that were left, and are joined again only when an app says so; ascending.
    var leftSpaces: [SpaceID] = []
    /// Who this store was, the last one last.
    var former: [FormerSelf] = []
  }

  /// A setting that is damaged is as if it had not been made.
  func readSettings() {
    // It only counts what is to be sent; that it cannot be read must not hide the rest.
    let change = try? store.identityChange()
    previousReplica = change?.previous
    do {
      if let purged = try store.setting(.purgedBefore) {
        var reader = ByteReader(purged)
        settings.purgedBefore = try reader.signed()
      }
      if let left = try store.setting(.leftSpaces) {
        var reader = ByteReader(left)
        let count = try reader.count(of: "left spaces", most: Limits.spaces, itemBytes: 16)
        for _ in 0..<count { settings.leftSpaces.append(try reader.identifier()) }
      }
      try readFormerSelves(after: change)
    } catch {
      unreadSetting = "a setting of the store '\(store.directory)' is damaged: \(error)"
    }
  }

  /// Hides anchors deleted before this date from now on.
  ///
  /// - Throws: `HBStorageError` when the disk refuses.
  func purge(before date: Int64) throws(HBStorageError) {
    guard date > settings.purgedBefore else { return }
    var writer = ByteWriter()
    writer.signed(date)
    do throws(StoreError) { try store.set(.purgedBefore, to: writer.bytes) } catch {
      throw HBStorageError(error)
    }
    settings.purgedBefore = date
  }

  /// Holds a space, also one that was left.
  func rejoin(_ space: SpaceID) throws(HBStorageError) {
    do throws(StoreError) {
      if engine.rooms[space] == nil { try checkMayHold(space) }
      if settings.leftSpaces.contains(space) {
        try leave(settings.leftSpaces.filter { $0 != space })
      }
    } catch {
      throw HBStorageError(error)
    }
    do throws(PeerError) { try join(space) } catch { throw HBStorageError(error) }
  }

  /// Forgets every space and who this store was: a new replica begins, with no space and no link.
  ///
  /// The spaces that were held are left. The network must be off, with its farewells sent.
  ///
  /// - Throws: `HBStorageError` when the disk refuses; nothing is changed then.
  func clear() throws(HBStorageError) {
    commit()
    let left = Set(settings.leftSpaces + engine.rooms.keys + damaged.compactMap(\.id))
      .sorted()
    let former = settings.former + [FormerSelf(replica: engine.local.replica, isDead: true)]
    do throws(StoreError) {
      try store.reset()
      try leave(left)
      try note(former: former)
    } catch {
      throw HBStorageError(error)
    }
    replaceEngine(with: [])
    settings.purgedBefore = .min
    previousReplica = nil
    forgetJoins()
    damaged = []
    maps.wholes = [:]
    maps.hasLeftovers = true
    memory.forgetAll()
    tell(.cleared)
  }

  private func leave(_ spaces: [SpaceID]) throws(StoreError) {
    let kept = Array(spaces.prefix(Limits.spaces))
    var writer = ByteWriter()
    writer.varint(kept.count)
    for space in kept { writer.identifier(space) }
    try store.set(.leftSpaces, to: writer.bytes)
    settings.leftSpaces = kept
  }
}
