import Foundation
import HyperbasisCore

/// How much of a space's world map is on this device.
public struct HBTransferProgress: Hashable, Sendable {
  /// Bytes that are here and were checked.
  public let completedBytes: Int
  /// Bytes of the map; 0 for a space without one.
  public let totalBytes: Int
  /// Whether all of it is here, so that ``HBSpace/loadWorldMapData()`` gives this map.
  public let isComplete: Bool

  /// From 0 to 1; 1 only for a map that is complete, or none.
  public var fraction: Double {
    totalBytes == 0 || isComplete ? 1 : Double(completedBytes) / Double(totalBytes)
  }
}

extension HBStorage {
  // MARK: World maps

  /// How much of a space's world map is here: at once, and as it comes in.
  ///
  /// ```swift
  /// for await progress in storage.worldMapProgress(spaceId: space.id) {
  ///   print(progress.completedBytes, "of", progress.totalBytes)
  ///   if progress.isComplete { break }
  /// }
  /// ```
  ///
  /// Only bytes that were checked count. States that nobody read are skipped. With a space that is
  /// damaged it ends at once.
  public func worldMapProgress(spaceId: UUID) -> HBUpdates<HBTransferProgress> {
    let space = SpaceID(spaceId)
    return states { [weak self] in
      try? await self?.read { loop throws(HBStorageError) in
        try loop.checkReadable(space)
        return loop.transferProgress(of: space)
      }
    } changing: { news in
      switch news {
      case .event(.mapProgress(space, _)), .event(.changed(space, _, _)), .cleared: true
      default: false
      }
    }
  }

  /// Puts the pieces of a space's world map into the store, unless that is the map which the space has
  /// there already; nil for a space without one.
  func storeMap(of space: HBSpace) async throws(HBStorageError) -> PreparedMap? {
    guard space.worldMapSize > 0 else { return nil }
    let bytes: [UInt8]
    do { bytes = Array(try space.loadWorldMapData()) } catch {
      throw error as? HBStorageError ?? .fileOperationFailed(underlying: error)
    }
    guard bytes.count <= Limits.mapBytes else {
      let reason = "a world map of \(bytes.count) bytes; at most \(Limits.mapBytes) are allowed"
      throw .encodingFailed(underlying: HBValueFailure.worldMap(reason: reason))
    }
    let peer = try peer()
    do throws(PeerError) {
      if let kept = try await peer.keptMap(bytes, of: SpaceID(space.id)) { return kept }
      return try await peer.prepareMap(bytes, compresses: config.compression == .balanced)
    } catch {
      throw HBStorageError(error)
    }
  }
}

/// A world map in the store of a peer, read when it is asked for.
final class KeptWorldMap: StoredWorldMap {
  private let reference: MapReference
  private weak let peer: LocalPeer?

  init(_ reference: MapReference, at peer: LocalPeer) {
    self.reference = reference
    self.peer = peer
  }

  var hash: [UInt8] { reference.manifest.bytes }
  var byteCount: Int { Int(reference.byteCount) }

  /// - Throws: `HBStorageError.fileOperationFailed` when the storage was released, or a piece of the
  ///   map is damaged.
  func load() throws -> Data {
    guard let peer else {
      throw HBStorageError.fileOperationFailed(underlying: HBStoreFailure.closed)
    }
    var data = Data(capacity: byteCount)
    do throws(PeerError) {
      try peer.loadMapAndWait(reference) { data.append(contentsOf: $0) }
    } catch {
      throw HBStorageError(error)
    }
    return data
  }
}

extension WorldMap {
  /// Names a map that is stored; nil where there is none, and for one that was not stored yet.
  var storedHash: [UInt8]? {
    if case .stored(let map) = self { map.hash } else { nil }
  }
}
