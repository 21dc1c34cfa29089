import HyperbasisBlob
import HyperbasisCore
import HyperbasisNet
import HyperbasisStore
import HyperbasisSync

/// World maps: what calls ask for, each in one turn.
extension PeerLoop {
  /// - Throws: `PeerError.unknownSpace`.
  package func mapState(of space: SpaceID) throws(PeerError) -> MapState {
    _ = try state(of: space)
    let progress = engine.mapProgress(of: space)
    return MapState(
      reference: progress?.reference, verifiedBytes: progress?.verifiedBytes ?? 0,
      isWhole: progress?.isWhole ?? false,
      lastWhole: progress == nil ? nil : maps.wholes[space], servedBytes: maps.servedBytes)
  }

  /// The map in force, where all of it is here.
  func wholeMap(of space: SpaceID) -> MapReference? {
    guard let progress = engine.mapProgress(of: space), progress.isWhole else { return nil }
    return progress.reference
  }

  /// Begins to save a map: nothing is dropped until ``unpinMaps()``.
  ///
  /// - Throws: `PeerError.invalid` for a size that no map has, `store` when there is no room.
  func beginMap(byteCount: Int) throws(PeerError) {
    guard byteCount > 0 else { throw .invalid("a world map has at least one byte") }
    guard byteCount <= Limits.mapBytes else {
      throw .invalid(
        "a world map of \(byteCount) bytes; at most \(Limits.mapBytes) are allowed")
    }
    guard hasRoom(for: Int64(byteCount)) else { throw PeerError(.full(path: store.directory)) }
    pinMaps()
  }

  func pinMaps() {
    maps.pins += 1
  }

  /// Precondition: maps were pinned.
  func unpinMaps() {
    precondition(maps.pins > 0, "maps are unpinned as often as they are pinned")
    maps.pins -= 1
    maps.hasLeftovers = true
  }

  func storeChunks(
    _ chunks: [(hash: ContentHash, chunk: StoredChunk)]
  ) throws(PeerError) {
    do {
      let missing = Set(try store.missingChunks(of: chunks.map(\.hash)))
      try store.putPartChunks(chunks.filter { missing.contains($0.hash) })
    } catch {
      throw PeerError(error)
    }
  }

  func storeManifest(_ manifest: MapManifest) throws(PeerError) -> MapReference {
    let bytes = manifest.encoded()
    let reference = MapReference(manifest: SHA256.hash(bytes), byteCount: manifest.byteCount)
    do { try store.putManifest(reference.manifest, bytes) } catch { throw PeerError(error) }
    // A space may miss this very map: nobody who has it may be left.
    engine.piecesWereStored()
    return reference
  }

  /// Puts a map in force that was prepared, or none.
  ///
  /// - Throws: `PeerError.unknownSpace`.
  package func setMap(_ map: MapReference?, of space: SpaceID) throws(PeerError) {
    _ = try state(of: space)
    try edit(space, [.worldMap(map)])
  }

  /// - Throws: `PeerError.store` when the map is not here.
  func mapManifest(_ reference: MapReference) throws(PeerError) -> MapManifest {
    let found: MapManifest?
    do { found = try manifest(of: reference) } catch { throw PeerError(error) }
    guard let found else { throw incomplete("the world map \(reference.manifest) is not here") }
    return found
  }

  /// Some chunks as they are stored.
  func chunks(_ hashes: ArraySlice<ContentHash>) throws(PeerError) -> [StoredChunk] {
    var chunks: [StoredChunk] = []
    for hash in hashes {
      let stored: StoredChunk?
      do { stored = try store.chunk(hash) } catch { throw PeerError(error) }
      guard let stored else {
        dropDamaged(hash)
        throw incomplete("a piece of the world map, \(hash), is not here")
      }
      chunks.append(stored)
    }
    return chunks
  }

  private func incomplete(_ what: String) -> PeerError {
    PeerError(.failed(path: store.directory, reason: "\(what); load the space again"))
  }

  /// A chunk that was read is not what it should be: it is dropped and fetched anew.
  func dropDamaged(_ hash: ContentHash) {
    do { try store.dropChunk(hash) } catch { tell(.notice("\(error)")) }
    for space in engine.rooms.keys
    where engine.mapManifest(of: space)?.chunks.contains(hash) ?? false {
      engine.lookUpMap(of: space)
    }
  }
}
