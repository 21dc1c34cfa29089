import Foundation
import HyperbasisCore

extension HBStorage {
  // MARK: Spaces

  /// Saves a space: what the app changed in its name and world map, and nothing else.
  ///
  /// ```swift
  /// var space = HBSpace(name: "Kitchen", worldMapData: archive)
  /// try await storage.save(space)
  /// space.update(name: "Kitchen, ground floor")
  /// try await storage.save(space)  // writes the name; the map is not touched
  /// ```
  ///
  /// A world map is stored once by its content and follows to other devices in the background. A value
  /// built afresh or decoded writes what differs from what this storage last handed out or wrote; a
  /// name or map that it lacks stays, unless it was taken out of it since. With the id of a deleted space
  /// it brings that back: with its anchors and its name, and without the map that it had. O(map), off the
  /// storage's thread.
  ///
  /// A storage holds at most 4,096 spaces, deleted ones included, since a deletion must be remembered.
  ///
  /// - Throws: `HBStorageError.encodingFailed` for a name of more than 1,024 bytes, a map of more
  ///   than 1 GiB or one space more than are held, `notFound` for a value loaded before the space was deleted,
  ///   `fileOperationFailed` when the disk refuses; nothing is written then.
  public func save(_ space: HBSpace) async throws {
    let peer = try peer()
    // A space that is new here needs its map, whichever storage has it already. It is asked in a turn:
    // what one that fails wrote is to be written again.
    let concernsMap = try await read { loop throws(HBStorageError) in
      SpacePlan.concernsMap(space, in: loop.scope)
        || loop.shownRecord(of: SpaceID(space.id)) == nil
    }
    let map = concernsMap ? try await storeMap(of: space) : nil
    try await turn { loop throws(HBStorageError) in
      try loop.save(space, map: map?.reference, peer: peer)
    }
    withExtendedLifetime(map) {}
  }

  /// One space; nil when it is unknown here or deleted.
  ///
  /// Its world map is read when it is asked for: ``HBSpace/loadWorldMapData()``. While a newer map is
  /// on its way, that is the last one that is whole here, or none. A map that was replaced meanwhile is
  /// soon gone from the store, and reading it throws: load the space again then. O(1).
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the directory cannot be opened or the space is
  ///   damaged.
  public func loadSpace(id: UUID) async throws -> HBSpace? {
    let peer = try peer()
    return try await read { loop throws(HBStorageError) in
      try loop.checkReadable(SpaceID(id))
      let found = loop.shownRecord(of: SpaceID(id)).map { loop.space(SpaceID(id), $0, peer: peer) }
      if let found { loop.notes.note(found) }
      return found
    }
  }

  /// All spaces, by their creation, then id; no world map is read. O(n log n).
  ///
  /// Those that are damaged are not among them: ``damagedSpaces()``. Nor is one of which there are anchors
  /// only, since nobody saved it yet; these are found by its id.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the directory cannot be opened.
  public func loadAllSpaces() async throws -> [HBSpace] {
    let peer = try peer()
    return try await read { loop throws(HBStorageError) in
      let found = loop.shownSpaces().map { loop.space($0.id, $0.record, peer: peer) }
      for space in found { loop.notes.note(space) }
      return found
    }
  }

  /// Deletes a space with its anchors on every device; an unknown id is no error. The anchors are back when
  /// the space is saved again.
  ///
  /// No device that still has an old copy brings it back; only a save of a value built afresh does.
  /// O(anchors), one disk write.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the disk refuses; nothing is deleted then.
  public func deleteSpace(id: UUID) async throws {
    try await turn { loop throws(HBStorageError) in
      try loop.deleteSpace(SpaceID(id))
      loop.notes.forget(space: id)
    }
  }

  /// Holds a space that peers have, where the configuration does not join all; it fills in from them.
  ///
  /// ```swift
  /// for id in try await storage.offeredSpaces() { try await storage.joinSpace(id: id) }
  /// ```
  ///
  /// One that is held already stays as it is. O(1), one disk write.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the disk refuses, `encodingFailed` when
  ///   4,096 spaces are held, deleted ones included.
  public func joinSpace(id: UUID) async throws {
    try await turn { loop throws(HBStorageError) in
      try loop.rejoin(SpaceID(id))
    }
  }

  /// The ids of spaces that peers have and this storage does not hold, ascending.
  ///
  /// ```swift
  /// try await storage.sync()  // .manual: the network is off again when it returns
  /// for id in try await storage.offeredSpaces() { try await storage.joinSpace(id: id) }
  /// try await storage.sync()  // brings what is in them
  /// ```
  ///
  /// While the network is on these are the spaces of the peers that are connected; while it is off, with
  /// `.manual` or after ``suspend()``, those of the peers that were met when it last was on, at most 4,096. O(n).
  ///
  /// - Throws: what ``open()`` throws.
  public func offeredSpaces() async throws -> [UUID] {
    try await read { loop throws(HBStorageError) in loop.offeredSpaces.map { UUID($0) } }
  }
}
