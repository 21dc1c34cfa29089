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
/// The methods are documented at ``HBStorage``. Later versions may ask for more. What is about files and
/// sockets is not asked for, so that a storage without either can conform:
/// ``HBStorage/damagedSpaces()``, ``HBStorage/repair()``, ``HBStorage/backup(to:)``,
/// ``HBStorage/importSDK(directory:)``, ``HBStorage/directory``, ``HBStorage/identityChange`` and
/// ``HBStorage/port``. Who needs these takes an ``HBStorage``; that a space is damaged is also told by
/// ``notices``, and by the errors of calls, which a ``MockStorage`` throws when it is told to.
public protocol HBStorageProtocol: Sendable {
  /// Opens it now rather than with the first call.
  func open() async throws

  // MARK: Spaces

  /// Saves what the app changed in a space.
  func save(_ space: HBSpace) async throws
  /// One space; nil when it is unknown here or deleted.
  func loadSpace(id: UUID) async throws -> HBSpace?
  /// All spaces, by their creation, then id.
  func loadAllSpaces() async throws -> [HBSpace]
  /// Deletes a space with its anchors on every device.
  func deleteSpace(id: UUID) async throws
  /// Holds a space that peers have.
  func joinSpace(id: UUID) async throws
  /// The ids of spaces that peers have and this storage does not hold.
  func offeredSpaces() async throws -> [UUID]

  // MARK: Anchors

  /// Saves what the app changed in an anchor.
  func save(_ anchor: HBAnchor) async throws
  /// Saves what the app changed in a model; keys that this does not know stay.
  nonisolated(nonsending) func save(
    _ item: some Anchorable, in spaceId: UUID
  ) async throws
  /// The anchors of a space, by their creation, then id.
  func loadAnchors(
    spaceId: UUID, includeDeleted: Bool
  ) async throws -> [HBAnchor]
  /// The living anchors of a space, by their creation, then id.
  func loadAnchors(spaceId: UUID) async throws -> [HBAnchor]
  /// One anchor, deleted or not; nil when no space here has it.
  func loadAnchor(id: UUID) async throws -> HBAnchor?
  /// Deletes an anchor on every device.
  func deleteAnchor(id: UUID) async throws
  /// Forgets, on this device, anchors that were deleted before a date.
  func purgeDeletedAnchors(before date: Date) async throws

  /// Reads an anchor, has `body` change it and saves it, with nothing in between.
  @discardableResult
  func update(
    anchorId: UUID, _ body: @escaping @Sendable (inout HBAnchor) throws -> Void
  ) async throws -> HBAnchor

  /// Changes several anchors of a space together.
  @discardableResult
  func transaction<Output: Sendable>(
    spaceId: UUID, _ body: @escaping @Sendable (HBTransaction) throws -> Output
  ) async throws -> Output

  // MARK: History

  /// The id under which changes made by this storage appear in histories.
  var actorId: String { get throws }
  /// Every change of a space's anchors, by whichever device.
  func timeline(spaceId: UUID) async throws -> HBTimeline
  /// The anchors that lived in a space at a time.
  func anchorsAt(spaceId: UUID, date: Date) async throws -> [HBAnchor]
  /// What changed in a space between two times.
  func diff(spaceId: UUID, from: Date, to: Date) async throws -> HBDiff
  /// Every change of one anchor, the first version first.
  func history(anchorId: UUID) async throws -> [HBAnchorEvent]
  /// Every change of a space's own name, world map and life.
  func spaceHistory(spaceId: UUID) async throws -> [HBSpaceEvent]

  /// Brings an anchor back to what it was at a version.
  @discardableResult
  func rollback(
    anchorId: UUID, toVersion version: Int
  ) async throws -> HBAnchor

  // MARK: Sync

  /// Whether this storage exchanges its spaces with other devices.
  var isCloudEnabled: Bool { get }
  /// How many changes were made here that no peer is known to have.
  var pendingOperationCount: Int { get }
  /// Meets the peers and exchanges what either side lacks.
  func sync() async throws
  /// Ends all links, for an app that goes to the background.
  func suspend() async
  /// Undoes ``suspend()``.
  func resume() async throws

  // MARK: Data management

  /// Forgets all spaces on this device.
  func clearLocalStorage() throws
  /// Bytes that the storage takes.
  func localStorageSize() throws -> Int

  // MARK: Observation

  /// Every change of a space from now on.
  func changes(spaceId: UUID) -> HBUpdates<HBChange>
  /// The living anchors of a space: at once, and after changes.
  func anchors(spaceId: UUID) -> HBUpdates<[HBAnchor]>
  /// How far each peer is with a space: at once, and when that changes.
  func syncStatus(spaceId: UUID) -> HBUpdates<[HBSyncStatus]>
  /// How much of a space's world map is here: at once, and as it comes in.
  func worldMapProgress(spaceId: UUID) -> HBUpdates<HBTransferProgress>
  /// The devices that were met since it was opened: at once, and when one comes or goes.
  var peers: HBUpdates<[HBPeerInfo]> { get }
  /// What concerns people and no call can report.
  var notices: HBUpdates<String> { get }
}

extension HBStorage: HBStorageProtocol {}
