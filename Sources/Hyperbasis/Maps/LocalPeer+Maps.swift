import HyperbasisBlob
import HyperbasisCore
import HyperbasisStore

/// A map whose pieces are in the store and that no space has yet; they stay while this lives.
///
/// ```swift
/// let map = try await peer.prepareMap(bytes)
/// try await peer.call { loop in try loop.setMap(map.reference, of: space) }
/// ```
package final class PreparedMap: Sendable {
  package let reference: MapReference
  private let pin: MapPin

  fileprivate init(_ reference: MapReference, pin: MapPin) {
    self.reference = reference
    self.pin = pin
  }
}

/// Keeps everything of maps from being dropped while it lives.
private final class MapPin: Sendable {
  private let peer: LocalPeer

  /// Maps must be pinned already.
  init(_ peer: LocalPeer) {
    self.peer = peer
  }

  deinit {
    let loop = peer.loop
    peer.post { loop.unpinMaps() }
  }
}

extension LocalPeer {
  // MARK: Saving

  /// A map that a space has already, and that is here whole, so that nothing is to be stored; nil for
  /// another map. O(map) where it has the size of the one in force, else O(1).
  ///
  /// - Throws: `PeerError.stopped`.
  package func keptMap(
    _ bytes: [UInt8], of space: SpaceID
  ) async throws(PeerError) -> PreparedMap? {
    let current = try await call(whenRefused: .isAskedAgain) { loop throws(PeerError) in
      loop.wholeMap(of: space)
    }
    guard let current, current.byteCount == UInt64(bytes.count),
      current.manifest == SHA256.hash(MapCutter.manifest(of: bytes).encoded())
    else { return nil }
    let isKept = try await call(whenRefused: .stands) { loop throws(PeerError) in
      // Another may have come while this one was looked at.
      guard loop.wholeMap(of: space) == current else { return false }
      loop.pinMaps()
      return true
    }
    return isKept ? PreparedMap(current, pin: MapPin(self)) : nil
  }

  /// Puts a map's pieces into the store, a few in each turn of the loop.
  ///
  /// - Throws: `PeerError.invalid` for a size that no map has, `store` when it cannot be kept.
  package func prepareMap(
    _ bytes: [UInt8], compresses: Bool = true
  ) async throws(PeerError) -> PreparedMap {
    try await call(whenRefused: .stands) { loop throws(PeerError) in
      try loop.beginMap(byteCount: bytes.count)
    }
    let pin = MapPin(self)
    var cutter = MapCutter(compresses: compresses)
    for start in stride(from: 0, to: bytes.count, by: MapCutter.turnBytes) {
      cutter.add(bytes[start..<min(start + MapCutter.turnBytes, bytes.count)])
      let chunks = cutter.take()
      try await call(whenRefused: .stands) { loop throws(PeerError) in try loop.storeChunks(chunks)
      }
    }
    let (manifest, chunks) = (cutter.finish()!, cutter.take())
    let reference = try await call(whenRefused: .stands) { loop throws(PeerError) in
      try loop.storeChunks(chunks)
      return try loop.storeManifest(manifest)
    }
    return PreparedMap(reference, pin: pin)
  }

  /// As ``prepareMap(_:compresses:)``, for threads that may block and for maps that are not in
  /// memory.
  ///
  /// - Parameter read: gives the next bytes, none at the end.
  package func prepareMapAndWait(
    byteCount: Int, compresses: Bool = true, read: () throws(PeerError) -> [UInt8]
  ) throws(PeerError) -> PreparedMap {
    try wait(whenRefused: .stands) { loop throws(PeerError) in
      try loop.beginMap(byteCount: byteCount)
    }
    let pin = MapPin(self)
    var cutter = MapCutter(compresses: compresses)
    var count = 0
    while true {
      let bytes = try read()
      count += bytes.count
      guard !bytes.isEmpty, count <= byteCount else { break }
      cutter.add(bytes)
      let chunks = cutter.take()
      try wait(whenRefused: .stands) { loop throws(PeerError) in try loop.storeChunks(chunks) }
    }
    guard count == byteCount, let manifest = cutter.finish() else {
      throw .invalid("the map changed its size while it was read")
    }
    let chunks = cutter.take()
    let reference = try wait(whenRefused: .stands) { loop throws(PeerError) in
      try loop.storeChunks(chunks)
      return try loop.storeManifest(manifest)
    }
    return PreparedMap(reference, pin: pin)
  }

  // MARK: Reading

  /// The bytes of a map that is here whole, such as `MapState.lastWhole`; every piece is checked.
  ///
  /// - Throws: `PeerError.store` when it is not here, or a piece of it is damaged.
  package func loadMap(_ reference: MapReference) async throws(PeerError) -> [UInt8] {
    let manifest = try await call(whenRefused: .stands) { loop throws(PeerError) in
      let manifest = try loop.mapManifest(reference)
      loop.pinMaps()
      return manifest
    }
    let pin = MapPin(self)
    defer { withExtendedLifetime(pin) {} }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(manifest.byteCount))
    for part in manifest.parts {
      let stored = try await call(whenRefused: .stands) { loop throws(PeerError) in
        try loop.chunks(manifest.chunks[part])
      }
      for (index, chunk) in zip(part, stored) { bytes += try unpack(chunk, index, of: manifest) }
    }
    return bytes
  }

  /// As ``loadMap(_:)``, for threads that may block, and a piece at a time.
  package func loadMapAndWait(
    _ reference: MapReference, take: ([UInt8]) throws(PeerError) -> Void
  ) throws(PeerError) {
    let manifest = try look { loop throws(PeerError) in
      let manifest = try loop.mapManifest(reference)
      loop.pinMaps()
      return manifest
    }
    let pin = MapPin(self)
    defer { withExtendedLifetime(pin) {} }
    for part in manifest.parts {
      let stored = try look { loop throws(PeerError) in try loop.chunks(manifest.chunks[part]) }
      for (index, chunk) in zip(part, stored) { try take(try unpack(chunk, index, of: manifest)) }
    }
  }

  private func unpack(
    _ stored: StoredChunk, _ index: Int, of manifest: MapManifest
  ) throws(PeerError) -> [UInt8] {
    let hash = manifest.chunks[index]
    do throws(BlobError) {
      return try MapChunk(codec: stored.codec, bytes: stored.bytes)
        .verified(against: hash, count: manifest.range(of: index).count)
    } catch {
      let loop = loop
      post { loop.dropDamaged(hash) }
      throw .store(
        .damaged(
          path: configuration.directory,
          what: "a piece of a world map, to be fetched anew: \(error)"))
    }
  }

  /// How much of a space's map is here.
  ///
  /// - Throws: `PeerError.unknownSpace`.
  package func mapState(of space: SpaceID) async throws(PeerError) -> MapState {
    try await call(whenRefused: .isAskedAgain) { loop throws(PeerError) in
      try loop.mapState(of: space)
    }
  }
}

extension MapManifest {
  /// The chunks in parts that are read in one turn each.
  fileprivate var parts: [Range<Int>] {
    let count = MapCutter.turnBytes / BlobLimits.chunkBytes
    return stride(from: 0, to: chunks.count, by: count).map { start in
      start..<min(start + count, chunks.count)
    }
  }
}
