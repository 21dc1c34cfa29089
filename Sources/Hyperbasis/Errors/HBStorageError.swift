import Foundation
import HyperbasisCore
import HyperbasisStore

/// Why a call of a storage failed: what, where, and what to do.
///
/// ```swift
/// do {
///   try await storage.save(anchor)
/// } catch HBStorageError.fileOperationFailed(let error as HBStoreFailure) {
///   print(error.localizedDescription)
///   // no space is left for the store '/home/ada/room'; free some and try again
/// } catch {
///   print(error.localizedDescription)
/// }
/// ```
///
/// The cases are those that apps already switch over; some are not thrown any more. What lies beneath
/// says more: ``HBStoreFailure`` beneath `fileOperationFailed` (``HBImportFailure`` for an import),
/// ``HBValueFailure`` beneath `encodingFailed`, ``HBNetworkFailure`` beneath `cloudSyncFailed`.
public enum HBStorageError: LocalizedError, Sendable {
  /// No "anchor", "space" or "member" (the type) with this id is here, or its space was deleted.
  case notFound(type: String, id: UUID)
  /// The storage was made with `.localOnly`.
  case cloudNotConfigured
  /// The network cannot be used, nobody answered, or a peer did not go on; what was saved stays.
  ///
  /// The cause is an ``HBNetworkFailure``, or `CancellationError` where the task of a sync was ended.
  case cloudSyncFailed(underlying: Error)
  /// Not thrown: a map that does not get smaller is kept as it is.
  case compressionFailed
  /// Not thrown: a damaged map is ``fileOperationFailed(underlying:)``.
  case decompressionFailed(underlying: Error?)
  /// Not thrown: a malformed address is ``cloudSyncFailed(underlying:)``.
  case invalidURL(String)
  /// Not thrown: what did not come is ``cloudSyncFailed(underlying:)``.
  case downloadFailed
  /// Not thrown: what was not taken is ``cloudSyncFailed(underlying:)``.
  case uploadFailed(underlying: Error)
  /// The directory, the disk or the database failed; the cause is an ``HBStoreFailure``, or an
  /// ``HBImportFailure`` where the directory to import was meant.
  case fileOperationFailed(underlying: Error)
  /// A value cannot be kept; the cause, an ``HBValueFailure``, says which part of it. Of calls about members an
  /// ``HBMemberFailure`` says why they cannot be.
  case encodingFailed(underlying: Error)
  /// Not thrown: what cannot be read is ``fileOperationFailed(underlying:)``.
  case decodingFailed(underlying: Error)
  /// A rollback to a version that the anchor does not have, or not yet on this device.
  case versionNotFound(anchorId: UUID, version: Int)
  /// A rollback before the beginning of the anchor's history has come to this device.
  case reconstructionFailed(anchorId: UUID)
  /// Not thrown: damaged history is ``fileOperationFailed(underlying:)``.
  case eventLogCorrupted(spaceId: UUID)

  /// The same as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension HBStorageError: CustomStringConvertible {
  /// What failed and what to do, in one line for people.
  public var description: String {
    switch self {
    case .notFound(let type, let id): "no \(type.printable) \(id) is in the storage"
    case .cloudNotConfigured:
      "the storage is local only and has nobody to sync with; make it with .lan"
    case .cloudSyncFailed(let error): "the sync failed: \(text(of: error))"
    case .compressionFailed: "the world map cannot be compressed"
    case .decompressionFailed(let error):
      "the world map cannot be unpacked, it is damaged" + (error.map { ": \(text(of: $0))" } ?? "")
    case .invalidURL(let address): "\(address.shown) is no address of a peer; use HOST:PORT"
    case .downloadFailed: "the peers did not send what was asked for; sync again later"
    case .uploadFailed(let error): "the peers did not take what was sent: \(text(of: error))"
    case .fileOperationFailed(let error): text(of: error)
    case .encodingFailed(let error as HBMemberFailure): error.description
    case .encodingFailed(let error): "a value cannot be saved: \(text(of: error))"
    case .decodingFailed(let error): "what is stored cannot be read: \(text(of: error))"
    case .versionNotFound(let anchor, let version): "anchor \(anchor) has no version \(version)"
    case .reconstructionFailed(let anchor):
      "anchor \(anchor) cannot be reconstructed, its history does not begin with its creation"
    case .eventLogCorrupted(let space): "the history of space \(space) is corrupted"
    }
  }
}

extension HBStorageError {
  init(_ error: StoreError) {
    self = .fileOperationFailed(underlying: HBStoreFailure(error))
  }

  init(_ error: PeerError) {
    switch error {
    case .store(let error): self.init(error)
    case .network(let reason):
      self = .cloudSyncFailed(underlying: HBNetworkFailure.failed(reason: reason))
    case .address(let address, let reason):
      self = .cloudSyncFailed(underlying: HBNetworkFailure.badAddress(address, reason: reason))
    case .listen(let error): self = .cloudSyncFailed(underlying: HBNetworkFailure(error))
    case .stopped: self = .fileOperationFailed(underlying: HBStoreFailure.closed)
    case .insideClosure(let path):
      self = .fileOperationFailed(underlying: HBStoreFailure.insideClosure(path: path))
    case .member(.unknownMember(let member, _)): self = .notFound(type: "member", id: member)
    case .member(let failure): self = .encodingFailed(underlying: failure)
    case .unknownSpace, .unknownAnchor, .ambiguousAnchor, .anchorIsDeleted, .invalid:
      self = .encodingFailed(underlying: HBValueFailure.invalid(reason: error.description))
    }
  }

  init(_ error: TransformError) {
    self = .encodingFailed(underlying: HBValueFailure(error))
  }

  init(_ error: ValueError) {
    self = .encodingFailed(underlying: HBValueFailure(error))
  }
}

/// What an error says of itself, for a person.
func text(of error: any Error) -> String {
  if let text = (error as? any LocalizedError)?.errorDescription { return text }
  let isFoundations = error is CocoaError || type(of: error) is NSError.Type
  return isFoundations ? error.localizedDescription : "\(error)"
}
