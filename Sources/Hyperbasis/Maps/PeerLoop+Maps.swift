import HyperbasisBlob
import HyperbasisCore
import HyperbasisNet
import HyperbasisStore
import HyperbasisSync

/// World maps: what the engine wants done, and what is kept.
extension PeerLoop {
  /// Unsent bytes of a link beyond which no part of a blob is made for it: an edit waits for what is
  /// unsent.
  static let blobBacklogBytes = 16_384
  /// Tasks of one turn; what is left waits for the next, so that edits come in between.
  private static let tasksPerTurn = 4
  /// Bytes beyond those of a map that must be free for it.
  private static let spareBytes: Int64 = 16_777_216

  // MARK: The turn

  /// Does what the engine wants for maps; after the turn's commit and its frames.
  func workOnMaps() {
    var checks: [ReceivedBlob] = []
    var count = 0
    while count < PeerLoop.tasksPerTurn, let task = nextBlobTask() {
      count += 1
      switch task {
      case .inspect(let space, let reference): inspect(space, reference)
      case .load(let name, let link):
        let body = load(name)
        maps.servedBytes += Int64(body?.bytes.count ?? 0)
        engine.supply(body, for: name, on: link, at: .current)
        sendFrames(on: link)
      case .check(let blob): checks.append(blob)
      }
    }
    store(checks)
    maps.hasMore = count == PeerLoop.tasksPerTurn
    // A space that is damaged may need what no other does.
    if count == 0 && maps.isCleaning && damaged.isEmpty { dropLeftovers() }
    guard count > 0 else { return }
    tellEvents()
    sendFrames()
  }

  private func nextBlobTask() -> BlobTask? {
    // Looked at before: the engine is not to be read while it is changed.
    let ready = Set(engine.linkIDs.filter(hasBlobRoom))
    return engine.nextBlobTask { ready.contains($0) }
  }

  /// Whether a link takes a part of a blob; history goes before, and waits until all else is sent.
  func hasBlobRoom(_ link: HyperbasisSync.LinkID) -> Bool {
    reactor.unsentBytes(HyperbasisNet.LinkID(link)) < PeerLoop.blobBacklogBytes
      && !engine.wantsHistoryRead(for: link, at: .current)
  }

  private func inspect(_ space: SpaceID, _ reference: MapReference) {
    var manifest: MapManifest?
    var missing = ChunkSet()
    var missingBytes = Int64(reference.byteCount)
    var isReadable = true
    do {
      manifest = try self.manifest(of: reference)
      if let manifest {
        let absent = Set(try store.missingChunks(of: manifest.chunks))
        missing = ChunkSet(manifest.chunks.indices.filter { absent.contains(manifest.chunks[$0]) })
        missingBytes = manifest.chunks.indices.reduce(0) { sum, chunk in
          missing.contains(chunk) ? sum + Int64(manifest.range(of: chunk).count) : sum
        }
      }
    } catch {
      // What is missing is not known: taken for nothing, the map would count as whole.
      manifest = nil
      isReadable = false
      complain("\(error)")
    }
    let hasRoom = missingBytes == 0 || self.hasRoom(for: missingBytes)
    if isReadable && !hasRoom {
      complain("no space is left for a world map of \(reference.byteCount) bytes; trying again")
    }
    engine.inspected(
      space, reference, manifest: manifest, missing: missing, hasRoom: isReadable && hasRoom,
      at: .current)
  }

  /// The manifest of a map where it is here and undamaged.
  func manifest(of reference: MapReference) throws(StoreError) -> MapManifest? {
    guard let bytes = try store.manifest(reference.manifest),
      SHA256.hash(bytes) == reference.manifest, let manifest = try? MapManifest(decoding: bytes),
      manifest.byteCount == reference.byteCount
    else { return nil }
    return manifest
  }

  func hasRoom(for bytes: Int64) -> Bool {
    store.freeBytes().map { $0 >= bytes + PeerLoop.spareBytes } ?? true
  }

  /// A blob as it is stored; nil where it is missing or damaged, which is then dropped.
  private func load(_ name: BlobName) -> BlobBody? {
    do {
      if name.hash == engine.mapProgress(of: name.space)?.reference.manifest {
        let bytes = try store.manifest(name.hash)
        return bytes.flatMap {
          SHA256.hash($0) == name.hash
            ? BlobBody(codec: MapChunk.Codec.raw.rawValue, bytes: $0) : nil
        }
      }
      guard let manifest = engine.mapManifest(of: name.space),
        let index = manifest.chunks.firstIndex(of: name.hash),
        let stored = try store.chunk(name.hash)
      else { return nil }
      do {
        _ = try MapChunk(codec: stored.codec, bytes: stored.bytes)
          .verified(against: name.hash, count: manifest.range(of: index).count)
      } catch {
        tell(.notice("chunk \(name.hash) in this store is damaged, and is fetched anew: \(error)"))
        try store.dropChunk(name.hash)
        return nil
      }
      return BlobBody(codec: stored.codec, bytes: stored.bytes)
    } catch {
      complain("\(error)")
      return nil
    }
  }

  // MARK: What peers sent

  private func store(_ received: [ReceivedBlob]) {
    var chunks: [(hash: ContentHash, chunk: StoredChunk)] = []
    for blob in received {
      let hash = blob.name.hash
      do {
        let chunk = try MapChunk(codec: blob.body.codec, bytes: blob.body.bytes)
        let raw = try chunk.verified(against: hash, count: blob.form.bytes)
        switch blob.form {
        case .chunk:
          chunks.append((hash, StoredChunk(codec: blob.body.codec, bytes: blob.body.bytes)))
        case .manifest(let reference, _): storeManifest(raw, of: reference)
        }
      } catch {
        engine.blobRefused(blob, at: .current)
      }
    }
    guard !chunks.isEmpty else { return }
    do {
      try store.putPartChunks(chunks)
      for (hash, _) in chunks { engine.blobStored(hash, at: .current) }
    } catch {
      complain("\(error)")
      for (hash, _) in chunks { engine.blobNotStored(hash, at: .current) }
    }
  }

  private func storeManifest(_ bytes: [UInt8], of reference: MapReference) {
    let hash = reference.manifest
    guard let manifest = try? MapManifest(decoding: bytes),
      manifest.byteCount == reference.byteCount
    else {
      engine.mapIsBroken(hash, at: .current)
      return tell(.notice("the world map \(hash) is none: whoever made it has a fault"))
    }
    do {
      try store.putManifest(hash, bytes)
      engine.blobStored(hash, at: .current)
    } catch {
      complain("\(error)")
      engine.blobNotStored(hash, at: .current)
    }
  }

  // MARK: What is kept

  /// Reads which maps were whole, after the store was opened.
  func recallMaps() {
    // What cannot be read is missing: the map in force is looked up anyway.
    for (space, map) in (try? store.wholeMaps()) ?? [] { maps.wholes[space] = map }
  }

  /// The space's own registers changed.
  func mapRegisterChanged(of space: SpaceID) {
    maps.hasLeftovers = true
    if engine.mapProgress(of: space) == nil, maps.wholes[space] != nil {
      setWholeMap(nil, of: space)
    }
  }

  /// More of a map is here.
  func mapProgressed(_ progress: MapProgress, of space: SpaceID) {
    guard progress.isWhole, maps.wholes[space] != progress.reference else { return }
    setWholeMap(progress.reference, of: space)
    maps.hasLeftovers = true
  }

  private func setWholeMap(_ map: MapReference?, of space: SpaceID) {
    do {
      try store.setWholeMap(map, of: space)
      maps.wholes[space] = map
    } catch {
      complain("\(error)")
    }
  }

  /// Drops some of what no map needs any more: of maps in force, and of the last whole one of each
  /// space, everything is kept.
  private func dropLeftovers() {
    for space in maps.wholes.keys where engine.mapProgress(of: space) == nil {
      setWholeMap(nil, of: space)
    }
    let references =
      engine.rooms.keys.compactMap { engine.mapProgress(of: $0)?.reference }
      + maps.wholes.values
    do {
      var chunks: Set<ContentHash> = []
      for reference in references {
        if let manifest = try manifest(of: reference) { chunks.formUnion(manifest.chunks) }
      }
      let isDone = try store.keepOnly(maps: Set(references.map(\.manifest)), chunks: chunks)
      maps.hasLeftovers = !isDone
    } catch {
      complain("\(error)")
      maps.hasLeftovers = false
    }
  }
}
