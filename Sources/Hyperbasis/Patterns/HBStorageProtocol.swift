import Foundation

/// What a storage does, so that an app can be given another one: ``HBStorage`` in the app,
/// ``MockStorage`` in its tests and previews.
///
/// ```swift
/// final class Shelf {
///   let storage: any HBStorageProtocol
///
///   init(storage: any HBStorageProtocol = HBStorage()) { self.storage = storage }
/// }
/// ```
///
/// The methods are documented at ``HBStorage``. Later versions may ask for more.
public protocol HBStorageProtocol: Sendable {
  func open() async throws(HBStorageError)

  // MARK: Spaces

  func save(_ space: HBSpace) async throws(HBStorageError)
  func loadSpace(id: UUID) async throws(HBStorageError) -> HBSpace?
  func loadAllSpaces() async throws(HBStorageError) -> [HBSpace]
  func deleteSpace(id: UUID) async throws(HBStorageError)
  func joinSpace(id: UUID) async throws(HBStorageError)
  func offeredSpaces() async throws(HBStorageError) -> [UUID]

  // MARK: Anchors

  func save(_ anchor: HBAnchor) async throws(HBStorageError)
  nonisolated(nonsending) func save(
    _ item: some Anchorable, in spaceId: UUID
  ) async throws(HBStorageError)
  func loadAnchors(
    spaceId: UUID, includeDeleted: Bool
  ) async throws(HBStorageError) -> [HBAnchor]
  func loadAnchors(spaceId: UUID) async throws(HBStorageError) -> [HBAnchor]
  func loadAnchor(id: UUID) async throws(HBStorageError) -> HBAnchor?
  func deleteAnchor(id: UUID) async throws(HBStorageError)
  func purgeDeletedAnchors(before date: Date) async throws(HBStorageError)

  @discardableResult
  func update(
    anchorId: UUID, _ body: @escaping @Sendable (inout HBAnchor) throws -> Void
  ) async throws -> HBAnchor

  @discardableResult
  func transaction<Output: Sendable>(
    spaceId: UUID, _ body: @escaping @Sendable (HBTransaction) throws -> Output
  ) async throws -> Output

  // MARK: History

  var actorId: String { get throws(HBStorageError) }
  func timeline(spaceId: UUID) async throws(HBStorageError) -> HBTimeline
  func anchorsAt(spaceId: UUID, date: Date) async throws(HBStorageError) -> [HBAnchor]
  func diff(spaceId: UUID, from: Date, to: Date) async throws(HBStorageError) -> HBDiff
  func history(anchorId: UUID) async throws(HBStorageError) -> [HBAnchorEvent]
  func spaceHistory(spaceId: UUID) async throws(HBStorageError) -> [HBSpaceEvent]

  @discardableResult
  func rollback(
    anchorId: UUID, toVersion version: Int
  ) async throws(HBStorageError) -> HBAnchor

  // MARK: Sync

  var isCloudEnabled: Bool { get }
  var pendingOperationCount: Int { get }
  func sync() async throws(HBStorageError)
  func suspend() async
  func resume() async throws(HBStorageError)

  // MARK: Data management

  func clearLocalStorage() throws(HBStorageError)
  func localStorageSize() throws(HBStorageError) -> Int

  // MARK: Observation

  func changes(spaceId: UUID) -> HBUpdates<HBChange>
  func anchors(spaceId: UUID) -> HBUpdates<[HBAnchor]>
  func syncStatus(spaceId: UUID) -> HBUpdates<[HBSyncStatus]>
  var peers: HBUpdates<[HBPeerInfo]> { get }
  var notices: HBUpdates<String> { get }
}

extension HBStorage: HBStorageProtocol {}
