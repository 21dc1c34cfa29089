import Foundation
import HyperbasisCore

/// Spaces and their anchors on this device, kept in step with the devices around it.
///
/// ```swift
/// let storage = HBStorage(config: .lan(deviceName: "Kitchen display"))
/// let space = HBSpace(name: "Kitchen")
/// try await storage.save(space)
/// try await storage.save(
///   HBAnchor(spaceId: space.id, transform: matrix_identity_float4x4, metadata: ["text": "Milk"]))
/// print(try await storage.loadAnchors(spaceId: space.id).count)  // 1
/// ```
///
/// Making one never fails: the directory is opened by the first call, and the network, where the
/// configuration has one, with it. Every call that writes returns once the write is on disk; other
/// devices get it from then on. All methods may be called from any actor and thread. Two of one
/// process with the same directory share what they hold; a second process is refused with
/// ``HBStoreFailure/inUse(path:)``.
///
/// Lists come sorted by `createdAt`, then `id`. Errors are ``HBStorageError`` with a typed cause; a call
/// that finds the storage not open yet may also throw what ``open()`` throws.
public final class HBStorage: Sendable {
  /// What this storage was made with.
  public let config: HBStorageConfig
  let core: StorageCore

  /// A storage of what is in the directory of `config`, or is to be.
  ///
  /// O(1); nothing is opened yet.
  public init(config: HBStorageConfig = .default) {
    self.config = config
    core = StorageCore.shared(for: config)
  }

  /// One that is on no disk and ends with this object.
  init(inMemory config: HBStorageConfig) {
    self.config = config
    core = .inMemory(config)
  }

  /// Whether this storage exchanges its spaces with other devices.
  public var isCloudEnabled: Bool { config.backend != .localOnly }

  /// Where this storage keeps its files.
  public var directory: URL { core.directory }

  /// Opens the directory now rather than with the first call, and the network with it.
  ///
  /// O(n) in the anchors of all spaces; one that is open stays as it is.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the directory cannot be used,
  ///   `cloudSyncFailed` when the port is taken or a known peer's address is malformed.
  public func open() async throws {
    _ = try peer()
  }

  /// The id under which changes made by this storage appear in histories, as `actorId`.
  ///
  /// It stays the same from one start to the next; ``clearLocalStorage()`` makes a new one, and so does a
  /// directory that is a copy or a restored backup: see ``identityChange``.
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the directory cannot be opened.
  public var actorId: String {
    get throws {
      let peer = try peer()
      do throws(PeerError) {
        return try peer.look { loop throws(PeerError) in
          UUID(loop.engine.local.replica).uuidString
        }
      } catch {
        throw HBStorageError(error)
      }
    }
  }

  /// The last time that this directory got a new ``actorId`` by itself; nil where it never did, and after
  /// ``clearLocalStorage()``, which was asked for one.
  ///
  /// A copied directory, a restored backup and one that was open in a power cut go on under a new id, so
  /// that no change of theirs is taken for another. What they lack of their own comes from other devices.
  ///
  /// ```swift
  /// if let change = try storage.identityChange {
  ///   print("was \(change.previousActorId)")   // was 3F2504E0-4F89-41D3-9A0C-0305E82C3301
  /// }
  /// ```
  ///
  /// - Throws: `HBStorageError.fileOperationFailed` when the directory cannot be opened.
  public var identityChange: HBIdentityChange? {
    get throws {
      let peer = try peer()
      do throws(PeerError) {
        return try peer.look { loop throws(PeerError) in
          loop.status.identityChange.map(HBIdentityChange.init)
        }
      } catch {
        throw HBStorageError(error)
      }
    }
  }

  // MARK: Turns

  func peer() throws(HBStorageError) -> LocalPeer {
    try core.peer(for: config)
  }

  /// Runs `body` on the storage's thread; returns once what it wrote is durable.
  func turn<Output: Sendable>(
    whenRefused refusal: Refusal = .fails,
    _ body: @escaping @Sendable (PeerLoop) throws(HBStorageError) -> Output
  ) async throws(HBStorageError) -> Output {
    try await peer().turn(whenRefused: refusal, body)
  }

  /// As ``turn(whenRefused:_:)`` for what only reads: where the disk refuses what others wrote in the turn,
  /// `body` runs again, and reads what is durable.
  func read<Output: Sendable>(
    _ body: @escaping @Sendable (PeerLoop) throws(HBStorageError) -> Output
  ) async throws(HBStorageError) -> Output {
    try await turn(whenRefused: .isAskedAgain, body)
  }
}
