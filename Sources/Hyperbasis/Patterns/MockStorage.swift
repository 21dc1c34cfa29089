import Foundation
import HyperbasisCore
import HyperbasisNet

/// A storage for tests and previews: whole, in memory, and failing when a test says so.
///
/// ```swift
/// let mock = MockStorage(spaces: [kitchen])
/// mock.failNext(.downloadFailed, on: .loadAllSpaces)
/// await viewModel.start()  // given the mock as its storage
/// print(viewModel.message!, mock.calls)
/// // the peers did not send what was asked for; sync again later [loadAllSpaces]
/// ```
///
/// It runs on what ``HBStorage`` runs on, so that saves are three-way, lists are sorted and observers
/// are told as there; no file is written. What it holds ends with it. All methods may be called from
/// any actor and thread.
public final class MockStorage: HBStorageProtocol {
  let storage: HBStorage
  let script = Locked(Script())

  /// A storage that holds these values and shares them as `config` says; no call is logged yet.
  ///
  /// The directory of `config` is not used. The values count as saved by this storage: a later save
  /// of one writes what was edited since, and values built afresh are compared with them.
  ///
  /// - Precondition: the values can be saved, and those of one kind have ids of their own.
  public init(
    spaces: [HBSpace] = [], anchors: [HBAnchor] = [], config: HBStorageConfig = .local()
  ) {
    storage = HBStorage(inMemory: config)
    for space in spaces { hold(space) }
    guard !anchors.isEmpty else { return }
    now { loop throws(HBStorageError) in
      for anchor in anchors { try loop.save(anchor) }
    }
  }

  /// Two storages in step, as on two devices: over the loopback network, on ports of this machine.
  ///
  /// ```swift
  /// let (wall, phone) = try MockStorage.joined()
  /// try await phone.save(kitchen)
  /// try await wall.sync()
  /// print(wall.spaces.map(\.name))  // [Optional("Kitchen")]
  /// ```
  ///
  /// - Throws: `HBStorageError.cloudSyncFailed` where there is no network at all.
  public static func joined() throws -> (MockStorage, MockStorage) {
    let first = MockStorage(config: .lan(deviceName: "first", discovery: false))
    _ = try first.storage.peer()
    let known = first.storage.port.map { ["127.0.0.1:\($0)"] } ?? []
    let second = MockStorage(
      config: .lan(deviceName: "second", knownPeers: known, discovery: false))
    _ = try second.storage.peer()
    return (first, second)
  }

  private func hold(_ space: HBSpace) {
    let map: PreparedMap?
    do { map = try prepareMap(of: space) } catch {
      preconditionFailure("a MockStorage was given a world map that cannot be saved: \(error)")
    }
    now { [storage] loop throws(HBStorageError) in
      try loop.save(space, map: map?.reference, peer: try storage.peer())
    }
    withExtendedLifetime(map) {}
  }

  private func prepareMap(of space: HBSpace) throws -> PreparedMap? {
    guard space.worldMapSize > 0 else { return nil }
    var bytes = [UInt8](try space.loadWorldMapData())
    return try storage.peer().prepareMapAndWait(
      byteCount: bytes.count, compresses: storage.config.compression == .balanced
    ) {
      defer { bytes = [] }
      return bytes
    }
  }

  // MARK: What is in it

  /// The spaces, sorted as by ``HBStorage/loadAllSpaces()``; it is no call. It blocks for a moment.
  public var spaces: [HBSpace] {
    guard let peer = try? storage.peer() else { return [] }
    return now { loop in
      loop.shownSpaces().map { loop.space($0.id, $0.record, peer: peer) }
    }
  }

  /// The living anchors of all spaces, sorted by `createdAt`, then `id`; it is no call. It blocks for
  /// a moment.
  public var anchors: [HBAnchor] {
    now { loop throws(HBStorageError) in
      var anchors: [HBAnchor] = []
      for space in loop.engine.rooms.keys {
        anchors += try loop.shownAnchors(in: space).map {
          HBAnchor($0, in: space, from: loop.scope)
        }
      }
      return anchors
    }.sorted { ($0.createdAt, $0.id.bits) < ($1.createdAt, $1.id.bits) }
  }

  /// Runs `body` on the storage's thread and waits for it; within a closure that runs there, at once.
  ///
  /// - Precondition: it does not fail.
  private func now<Output: Sendable>(
    _ body: @escaping @Sendable (PeerLoop) throws(HBStorageError) -> Output
  ) -> Output {
    do {
      return try storage.peer().look { loop throws(PeerError) in
        Result { () throws(HBStorageError) in try body(loop) }
      }.get()
    } catch {
      preconditionFailure("a MockStorage was given what cannot be saved: \(error)")
    }
  }
}
