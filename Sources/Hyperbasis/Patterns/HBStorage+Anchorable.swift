import Foundation

extension HBStorage {
  // MARK: Models

  /// Saves a model as an anchor: what the app changed in it, and nothing else.
  ///
  /// ```swift
  /// var lamp = try await storage.loadAnchors(spaceId: room, of: Lamp.self)[0]
  /// lamp.watts = 40
  /// try await storage.save(lamp, in: room)  // writes "watts" only
  /// ```
  ///
  /// The model is compared with what it makes of the anchor that this storage last handed out or wrote
  /// for its id. A key that it would make of that and makes no more is removed; keys that it does not
  /// know stay, and so does `createdAt`. Edit the newest value that the app was given: a model has no
  /// memory of its own, and an older copy undoes what was handed out since, to whichever task; several
  /// tasks use ``update(anchorId:_:)``. O(keys), one disk write.
  ///
  /// - Throws: as ``save(_:)-(HBAnchor)``.
  nonisolated(nonsending) public func save(
    _ item: some Anchorable, in spaceId: UUID
  ) async throws {
    try await save(try await anchor(of: item, in: spaceId))
  }

  /// The value that a save of `item` writes.
  nonisolated(nonsending) func anchor(
    of item: some Anchorable, in spaceId: UUID
  ) async throws -> HBAnchor {
    let base = try await base(of: item.id, in: spaceId)
    return .edited(base, to: item, in: spaceId, scope: core.scope)
  }

  private func base(of anchor: UUID, in space: UUID) async throws -> HBAnchor? {
    if let base = core.memory.base(SaveMemory.Place(space: space, anchor: anchor)) {
      return base.value
    }
    // It may have been deleted by this store before it was opened.
    return try await read { loop throws(HBStorageError) in
      loop.base(of: anchor, in: space)?.value
    }
  }
}

extension HBStorageProtocol {
  /// The models among the living anchors of a space; anchors of another kind are left out.
  ///
  /// ```swift
  /// let lamps: [Lamp] = try await storage.loadAnchors(spaceId: room)
  /// ```
  ///
  /// - Throws: as ``loadAnchors(spaceId:includeDeleted:)``.
  nonisolated(nonsending) public func loadAnchors<Item: Anchorable>(
    spaceId: UUID, of kind: Item.Type = Item.self
  ) async throws -> [Item] {
    try await loadAnchors(spaceId: spaceId, includeDeleted: false).compactMap(Item.init(from:))
  }

  /// The models among the living anchors of a space: at once, and after changes.
  ///
  /// ```swift
  /// for await lamps in storage.anchors(spaceId: room, of: Lamp.self) { show(lamps) }
  /// ```
  public func anchors<Item: Anchorable>(
    spaceId: UUID, of kind: Item.Type
  ) -> HBModelUpdates<Item> {
    HBModelUpdates(anchors(spaceId: spaceId))
  }
}

/// The models of one kind in a space, over time; see ``HBStorageProtocol/anchors(spaceId:of:)``.
///
/// As ``HBUpdates``: it begins when it is made, and is read by one task.
public struct HBModelUpdates<Item: Anchorable>: AsyncSequence, Sendable {
  /// It never throws; where it cannot go on, it ends.
  public typealias Failure = Never

  private let anchors: HBUpdates<[HBAnchor]>

  init(_ anchors: HBUpdates<[HBAnchor]>) {
    self.anchors = anchors
  }

  /// The reader. There is one at a time: what one has read, another does not get.
  public func makeAsyncIterator() -> Iterator {
    Iterator(anchors: anchors.makeAsyncIterator())
  }

  /// What reads an ``HBModelUpdates``.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var anchors: HBUpdates<[HBAnchor]>.Iterator

    /// Waits for the next list; nil at the end, and when the task is cancelled.
    public mutating func next() async -> [Item]? {
      await anchors.next()?.compactMap(Item.init(from:))
    }

    /// Waits for the next list where the caller runs; nil at the end, and when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> [Item]? {
      await anchors.next(isolation: actor)?.compactMap(Item.init(from:))
    }
  }
}
