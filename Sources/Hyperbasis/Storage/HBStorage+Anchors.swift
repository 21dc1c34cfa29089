import Foundation
import HyperbasisCore

extension HBStorage {
  // MARK: Anchors

  /// Saves an anchor: what the app changed in it, and nothing else.
  ///
  /// ```swift
  /// var note = try await storage.loadAnchor(id: id)!
  /// note.metadata["text"] = "Buy oat milk"
  /// try await storage.save(note)  // writes "text" only, whatever else changed meanwhile
  /// ```
  ///
  /// A value that was loaded writes the fields that were edited since, once; one that was not edited
  /// writes nothing. A value built afresh writes what differs from what this storage last handed out
  /// or wrote for its id, or all of it; it removes keys that were known here before it was made. So
  /// does a value of a storage with another directory. `createdAt` of an anchor that exists stays as it
  /// is. A save does not undo a delete by another device, unless `deletedAt` was set to nil since; a
  /// value built afresh brings back what this device deleted.
  ///
  /// Only a value that was loaded carries what it is compared with. One built afresh or decoded is
  /// compared with what was last handed out to any task, so it writes back a field that only another
  /// task saw changed: with several tasks edit loaded values, or use ``update(anchorId:_:)``.
  ///
  /// The space need not be there yet: the anchor is found by ``loadAnchors(spaceId:includeDeleted:)``, and
  /// ``loadAllSpaces()`` has the space once it is saved or comes from a peer. An anchor lives in one space:
  /// to move it to another, delete it and save a value with the other `spaceId`. A storage holds at most 4,096
  /// spaces, deleted ones included; an anchor of one more is refused with `encodingFailed`. O(keys), and O(spaces)
  /// for an anchor that is new; one disk write.
  ///
  /// - Throws: `HBStorageError.encodingFailed` for a transform without 16 finite numbers, metadata that
  ///   cannot be kept (the cause names the key) or an anchor that lives in another space
  ///   (``HBValueFailure/anchorInAnotherSpace(anchorId:spaceId:)``), `notFound` when the space was
  ///   deleted, or where the value was loaded before the anchor was deleted and given up
  ///   (``setRetention(_:spaceId:)``), `fileOperationFailed` when the disk refuses or the space is damaged; nothing is
  ///   written then.
  public func save(_ anchor: HBAnchor) async throws {
    try await turn { loop throws(HBStorageError) in try loop.save(anchor) }
  }

  /// The anchors of a space, also of one that nobody made yet; none for a space that is unknown here.
  ///
  /// Those that are deleted come as well, with their `deletedAt`, where `includeDeleted` says so.
  /// O(n log n); 10,000 anchors take a few tens of milliseconds. An anchor that did not change since the
  /// last list shares its parts with that: where most did not, it is O(n) and takes a few milliseconds.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the directory cannot be opened or the space is
  ///   damaged.
  public func loadAnchors(
    spaceId: UUID, includeDeleted: Bool = false
  ) async throws -> [HBAnchor] {
    let space = SpaceID(spaceId)
    let last = core.memory.shownAnchors(in: spaceId)
    let news = try await read { loop throws(HBStorageError) in
      try loop.anchorNews(of: space, since: last, includingDeleted: includeDeleted)
    }
    guard let news else { return [] }
    let shown = ShownAnchors(news, in: space, from: core.scope)
    core.memory.note(shown, in: spaceId)
    return includeDeleted
      ? shown.anchors(with: news.deleted, in: space, from: core.scope) : shown.anchors
  }

  /// As ``loadAnchors(spaceId:includeDeleted:)`` without the deleted ones; protocols that ask for
  /// this very signature are satisfied by it.
  public func loadAnchors(spaceId: UUID) async throws -> [HBAnchor] {
    try await loadAnchors(spaceId: spaceId, includeDeleted: false)
  }

  /// One anchor, deleted or not; nil when no space here has it.
  ///
  /// ```swift
  /// let note = try await storage.loadAnchor(id: id)
  /// print(note?.spaceId as Any)  // the space that it lives in
  /// ```
  ///
  /// Peers can make an id live in several spaces at once. All calls that have an anchor's id only mean the
  /// same one then: a living one before those that are deleted, then the one in the space with the smallest
  /// id. ``loadAnchors(spaceId:includeDeleted:)`` and ``transaction(spaceId:_:)`` reach the others.
  /// O(keys + spaces).
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the directory cannot be opened, and for an id that
  ///   is not found while a space is damaged: it may be in there (``damagedSpaces()``).
  public func loadAnchor(id: UUID) async throws -> HBAnchor? {
    let (found, moment) = try await read { loop throws(HBStorageError) in
      let found = try loop.locate(AnchorID(id)).map {
        HBAnchor($0.anchor, in: $0.space, from: loop.scope)
      }
      return (found, EditMoment.next())
    }
    if let found { core.memory.note([found], at: moment) }
    return found
  }

  /// Deletes an anchor on every device; one that is deleted already stays as it is.
  ///
  /// A deleted anchor keeps its place in the history, as long as the space keeps that (``HBRetention``), and can be
  /// restored: set `deletedAt` to nil with
  /// ``HBAnchor/restore()`` and save it, or ``rollback(anchorId:toVersion:)``. Which one is meant where
  /// several spaces have the id is said at ``loadAnchor(id:)``. O(keys + spaces), one disk write.
  ///
  /// - Throws: `HBStorageError.notFound` for an id that no space here has, `fileOperationFailed` when
  ///   the disk refuses or the anchor is, or may be, in a damaged space; nothing is deleted then.
  public func deleteAnchor(id: UUID) async throws {
    try await turn { loop throws(HBStorageError) in try loop.deleteAnchor(AnchorID(id)) }
  }

  /// Forgets, on this device, anchors that were deleted before a date: no load shows them any more.
  ///
  /// Their tombstones stay, so that no device that still holds an old copy can bring them back; their
  /// history stays as well. What gives both up, once all members have them, is
  /// ``setRetention(_:spaceId:)``. O(1), one disk write. An earlier date than that of a former call changes
  /// nothing.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the disk refuses.
  public func purgeDeletedAnchors(before date: Date) async throws {
    try await turn { loop throws(HBStorageError) in try loop.purge(before: date.nanoseconds) }
  }

  // MARK: Edits in one step

  /// Reads an anchor, has `body` change it and saves it, with nothing in between.
  ///
  /// ```swift
  /// try await storage.update(anchorId: id) { anchor in
  ///   anchor.metadata["count"] = .int((anchor.intMetadata(forKey: "count") ?? 0) + 1)
  /// }
  /// ```
  ///
  /// An anchor that is deleted stays so unless `body` calls `restore()` or sets `deletedAt` to nil: what else it changes is
  /// written, and seen once somebody restores the anchor.
  ///
  /// `body` runs on the storage's thread: it should be short, and must not wait for the storage. Which
  /// anchor is meant where several spaces have the id is said at ``loadAnchor(id:)``.
  /// O(keys + spaces), one disk write.
  ///
  /// - Returns: the anchor as it is then.
  /// - Throws: `HBStorageError.notFound`, what `save` throws, or what `body` throws; nothing is written
  ///   then. A call in `body` that waits for this storage throws ``HBStoreFailure/insideClosure(path:)``.
  @discardableResult
  public func update(
    anchorId: UUID, _ body: @escaping @Sendable (inout HBAnchor) throws -> Void
  ) async throws -> HBAnchor {
    try await turn { loop throws(HBStorageError) in
      try loop.update(AnchorID(anchorId), body)
    }.get()
  }

  /// Changes several anchors of a space together: everywhere all of it becomes visible, or nothing.
  ///
  /// ```swift
  /// try await storage.transaction(spaceId: space.id) { space in
  ///   for var chair in space.anchors { chair.update(transform: row); try space.save(chair) }
  /// }
  /// ```
  ///
  /// `body` runs on the storage's thread: it should be short, and must not wait for the storage. At
  /// most 65,536 fields and 4 MiB are written at once. O(what is written), one disk write.
  ///
  /// - Throws: what `save` throws, or what `body` throws; nothing is written then. A call in `body` that
  ///   waits for this storage throws ``HBStoreFailure/insideClosure(path:)``.
  @discardableResult
  public func transaction<Output: Sendable>(
    spaceId: UUID, _ body: @escaping @Sendable (HBTransaction) throws -> Output
  ) async throws -> Output {
    try await turn { loop throws(HBStorageError) in
      try loop.transaction(in: SpaceID(spaceId), body)
    }.get()
  }
}
