import Foundation

/// The methods of a storage: each is logged, waits and fails as the script says, and then does what
/// ``HBStorage`` does.
extension MockStorage {
  public func open() async throws {
    try await begin(.open)
    try await storage.open()
  }

  // MARK: Spaces

  public func save(_ space: HBSpace) async throws {
    try await begin(.saveSpace(space))
    try await storage.save(space)
  }

  public func loadSpace(id: UUID) async throws -> HBSpace? {
    try await begin(.loadSpace(id: id))
    return try await storage.loadSpace(id: id)
  }

  public func loadAllSpaces() async throws -> [HBSpace] {
    try await begin(.loadAllSpaces)
    return try await storage.loadAllSpaces()
  }

  public func deleteSpace(id: UUID) async throws {
    try await begin(.deleteSpace(id: id))
    try await storage.deleteSpace(id: id)
  }

  public func joinSpace(id: UUID) async throws {
    try await begin(.joinSpace(id: id))
    try await storage.joinSpace(id: id)
  }

  public func offeredSpaces() async throws -> [UUID] {
    try await begin(.offeredSpaces)
    return try await storage.offeredSpaces()
  }

  // MARK: Anchors

  public func save(_ anchor: HBAnchor) async throws {
    try await begin(.saveAnchor(anchor))
    try await storage.save(anchor)
  }

  nonisolated(nonsending) public func save(
    _ item: some Anchorable, in spaceId: UUID
  ) async throws {
    try await save(try await storage.anchor(of: item, in: spaceId))
  }

  public func loadAnchors(
    spaceId: UUID, includeDeleted: Bool = false
  ) async throws -> [HBAnchor] {
    try await begin(.loadAnchors(spaceId: spaceId, includeDeleted: includeDeleted))
    return try await storage.loadAnchors(spaceId: spaceId, includeDeleted: includeDeleted)
  }

  public func loadAnchors(spaceId: UUID) async throws -> [HBAnchor] {
    try await loadAnchors(spaceId: spaceId, includeDeleted: false)
  }

  public func loadAnchor(id: UUID) async throws -> HBAnchor? {
    try await begin(.loadAnchor(id: id))
    return try await storage.loadAnchor(id: id)
  }

  public func deleteAnchor(id: UUID) async throws {
    try await begin(.deleteAnchor(id: id))
    try await storage.deleteAnchor(id: id)
  }

  public func purgeDeletedAnchors(before date: Date) async throws {
    try await begin(.purgeDeletedAnchors(before: date))
    try await storage.purgeDeletedAnchors(before: date)
  }

  @discardableResult
  public func update(
    anchorId: UUID, _ body: @escaping @Sendable (inout HBAnchor) throws -> Void
  ) async throws -> HBAnchor {
    try await begin(.updateAnchor(id: anchorId))
    return try await storage.update(anchorId: anchorId, body)
  }

  @discardableResult
  public func transaction<Output: Sendable>(
    spaceId: UUID, _ body: @escaping @Sendable (HBTransaction) throws -> Output
  ) async throws -> Output {
    try await begin(.transaction(spaceId: spaceId))
    return try await storage.transaction(spaceId: spaceId, body)
  }

  // MARK: History

  public var actorId: String {
    get throws { try storage.actorId }
  }

  public func timeline(spaceId: UUID) async throws -> HBTimeline {
    try await begin(.timeline(spaceId: spaceId))
    return try await storage.timeline(spaceId: spaceId)
  }

  public func anchorsAt(spaceId: UUID, date: Date) async throws -> [HBAnchor] {
    try await begin(.anchorsAt(spaceId: spaceId, date: date))
    return try await storage.anchorsAt(spaceId: spaceId, date: date)
  }

  public func diff(
    spaceId: UUID, from: Date, to: Date
  ) async throws -> HBDiff {
    try await begin(.diff(spaceId: spaceId, from: from, to: to))
    return try await storage.diff(spaceId: spaceId, from: from, to: to)
  }

  public func history(anchorId: UUID) async throws -> [HBAnchorEvent] {
    try await begin(.history(anchorId: anchorId))
    return try await storage.history(anchorId: anchorId)
  }

  public func spaceHistory(spaceId: UUID) async throws -> [HBSpaceEvent] {
    try await begin(.spaceHistory(spaceId: spaceId))
    return try await storage.spaceHistory(spaceId: spaceId)
  }

  @discardableResult
  public func rollback(
    anchorId: UUID, toVersion version: Int
  ) async throws -> HBAnchor {
    try await begin(.rollback(anchorId: anchorId, toVersion: version))
    return try await storage.rollback(anchorId: anchorId, toVersion: version)
  }

  // MARK: Sync

  public var isCloudEnabled: Bool { storage.isCloudEnabled }
  public var pendingOperationCount: Int { storage.pendingOperationCount }

  public func sync() async throws {
    try await begin(.sync)
    try await storage.sync()
  }

  /// As ``HBStorage/suspend()``; it does not throw, and uses up no failure.
  public func suspend() async {
    script.withLock { $0.calls.append(.suspend) }
    await wait(for: .suspend)
    await storage.suspend()
  }

  public func resume() async throws {
    try await begin(.resume)
    try await storage.resume()
  }

  // MARK: Data management

  public func clearLocalStorage() throws {
    try beginAtOnce(.clearLocalStorage)
    try storage.clearLocalStorage()
  }

  public func localStorageSize() throws -> Int {
    try beginAtOnce(.localStorageSize)
    return try storage.localStorageSize()
  }

  // MARK: Observation

  public func changes(spaceId: UUID) -> HBUpdates<HBChange> { storage.changes(spaceId: spaceId) }

  public func anchors(spaceId: UUID) -> HBUpdates<[HBAnchor]> { storage.anchors(spaceId: spaceId) }

  public func syncStatus(spaceId: UUID) -> HBUpdates<[HBSyncStatus]> {
    storage.syncStatus(spaceId: spaceId)
  }

  public func worldMapProgress(spaceId: UUID) -> HBUpdates<HBTransferProgress> {
    storage.worldMapProgress(spaceId: spaceId)
  }

  public var peers: HBUpdates<[HBPeerInfo]> { storage.peers }
  public var notices: HBUpdates<String> { storage.notices }
}
