import Foundation

extension HBPersistenceManager {
  // MARK: Anchors

  /// Saves an anchor in the space that it names, current or not.
  ///
  /// - Throws: as ``HBStorage/save(_:)-(HBAnchor)``.
  public func saveAnchor(_ anchor: HBAnchor) async throws {
    try await saving { try await storage.save(anchor) }
  }

  /// Saves a model in the current space: what the app changed in it, as
  /// ``HBStorage/save(_:in:)`` has it.
  ///
  /// - Throws: ``HBPersistenceError/noActiveSpace``, or as ``HBStorage/save(_:)-(HBAnchor)``.
  public func save(_ item: some Anchorable) async throws {
    try await saving { try await storage.save(item, in: activeSpace().id) }
  }

  /// As ``save(_:)``.
  public func saveAnchor(_ item: some Anchorable) async throws {
    try await save(item)
  }

  /// The living anchors of the current space; none where there is no space.
  ///
  /// - Throws: as ``HBStorage/loadAnchors(spaceId:includeDeleted:)``.
  public func loadAnchors() async throws -> [HBAnchor] {
    guard let space = currentSpace else { return [] }
    return try await loading { try await storage.loadAnchors(spaceId: space.id) }
  }

  /// The models among the living anchors of the current space; none where there is no space.
  ///
  /// ```swift
  /// let lamps: [Lamp] = try await persistence.loadAnchors()
  /// ```
  ///
  /// - Throws: as ``HBStorage/loadAnchors(spaceId:includeDeleted:)``.
  public func loadAnchors<Item: Anchorable>(of kind: Item.Type = Item.self) async throws -> [Item] {
    guard let space = currentSpace else { return [] }
    return try await loading { try await storage.loadAnchors(spaceId: space.id, of: kind) }
  }

  /// Deletes an anchor on every device.
  ///
  /// - Throws: as ``HBStorage/deleteAnchor(id:)``.
  public func deleteAnchor(id: UUID) async throws {
    try await saving { try await storage.deleteAnchor(id: id) }
  }

  // MARK: Observation

  /// The living anchors of the space that is current now: at once, and after changes by any device.
  /// It ends at once where there is no space.
  public func observeAnchors() -> HBUpdates<[HBAnchor]> {
    currentSpace.map { storage.anchors(spaceId: $0.id) } ?? .ended
  }

  /// The models in the space that is current now: at once, and after changes by any device.
  ///
  /// ```swift
  /// .task(id: persistence.currentSpace?.id) {
  ///   for await lamps in persistence.observeAnchors(of: Lamp.self) { self.lamps = lamps }
  /// }
  /// ```
  ///
  /// It ends at once where there is no space.
  public func observeAnchors<Item: Anchorable>(of kind: Item.Type) -> HBModelUpdates<Item> {
    HBModelUpdates(observeAnchors())
  }
}
