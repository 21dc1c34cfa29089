import HyperbasisCore

/// Which blob is asked of which link.
extension Engine {
  /// Asks for what is missing, as much at each link as it may be asked at once, in turns.
  mutating func requestBlobs(at now: Now) {
    for space in blobs.fetching {
      guard let target = rooms[present: space].map.target else { continue }
      let sources = links.keys.filter { link in
        links[present: link].session.map(of: space)?.manifest == target.manifest
      }
      let others = partial(of: space, at: sources)
      var hasAsked = true
      while hasAsked {
        hasAsked = false
        for link in sources where links[present: link].session.blobs.canAsk {
          let news = links[present: link].session.map(of: space)!
          let peer = links[present: link].session.peer!.replica
          let desk = blobs
          let hash = rooms[present: space].map.pick(
            from: news, sparing: news.isWhole ? others : ChunkSet()
          ) { desk.asked[$0] != nil || desk.isRefused($0, from: peer) }
          guard let hash else { continue }
          blobs.asked[hash] = link
          links[present: link].session.blobs.ask(BlobName(space: space, hash: hash), at: now)
          hasAsked = true
        }
      }
    }
  }

  /// The chunks that those have who have not all: who has all is not asked for these while it can be
  /// asked for others.
  private func partial(of space: SpaceID, at sources: [LinkID]) -> ChunkSet {
    var chunks = ChunkSet()
    for link in sources where links[present: link].session.blobs.canAsk {
      if let some = links[present: link].session.map(of: space)?.chunks { chunks.formUnion(some) }
    }
    return chunks
  }

  /// A peer's answer: it waits for the driver to check it, where it is still wanted.
  mutating func receive(_ body: BlobBody, as name: BlobName, on link: LinkID, at now: Now) {
    let hash = name.hash
    let isChecked = blobs.received.contains { $0.name.hash == hash }
    let spaces = [name.space] + blobs.fetching
    let form = spaces.lazy.compactMap { [rooms, tuning] space in
      rooms[space]?.map.form(of: hash, chunkBytes: tuning.mapChunkBytes)
    }.first
    guard !isChecked, let form else {
      if blobs.asked[hash] == link && !isChecked { releaseBlob(hash) }
      return requestBlobs(at: now)
    }
    blobs.asked[hash] = link
    blobs.received.append(ReceivedBlob(name: name, form: form, body: body, link: link))
    if Defect.chunkHereBeforeStored.isPlanted { blobStored(hash, at: now) }
  }

  /// A peer does not have what it was asked for.
  mutating func lack(_ name: BlobName, on link: LinkID, at now: Now) {
    if let target = rooms[name.space]?.map.target {
      let manifest = mapManifest(of: name.space)
      links[present: link].session.noteTheyLack(name.hash, of: name.space, target, manifest)
    }
    if blobs.asked[name.hash] == link, !Defect.lackIsNoAnswer.isPlanted {
      releaseBlob(name.hash)
    }
    requestBlobs(at: now)
  }

  /// The link ended: what it was asked for is asked of others.
  mutating func releaseBlobs(from link: LinkID, at now: Now) {
    let checked = blobs.received.map(\.name.hash)
    for (hash, asked) in zip(blobs.asked.keys, blobs.asked.values)
    where asked == link && !checked.contains(hash) {
      releaseBlob(hash)
    }
    requestBlobs(at: now)
  }

  mutating func releaseBlob(_ hash: ContentHash) {
    blobs.asked[hash] = nil
    for space in blobs.fetching { rooms[present: space].map.release(hash) }
  }

  /// Takes back requests that were not sent and are of no use any more. Another space may want the same
  /// blob, so it is asked for what it wants.
  mutating func withdrawBlobs(at now: Now) {
    let wanting = rooms
    let chunkBytes = tuning.mapChunkBytes
    for link in links.keys {
      let withdrawn = links[present: link].session.blobs.withdraw { name in
        let map = wanting[name.space]?.map
        return map?.pausedUntil == nil && map?.form(of: name.hash, chunkBytes: chunkBytes) != nil
      }
      for name in withdrawn where blobs.asked[name.hash] == link { releaseBlob(name.hash) }
    }
    requestBlobs(at: now)
  }

  /// What time asks for: links that stall, refusals that end, and maps that could not be stored.
  mutating func tickMaps(at now: Now) {
    if blobs.endRefusals(at: now) { requestBlobs(at: now) }
    for link in links.keys where links[present: link].session.blobs.stalls(at: now) {
      releaseBlobs(from: link, at: now)
    }
    for space in blobs.fetching {
      guard let until = rooms[present: space].map.pausedUntil, now.monotonic >= until else {
        continue
      }
      rooms[present: space].map.pausedUntil = nil
      lookUpMap(of: space)
    }
  }

  func isMapTold(of space: SpaceID, on link: LinkID) -> Bool {
    links[present: link].session.spaces[space]?.toldMap != nil
  }

  /// Tells a peer of a space's map when it was told nothing yet.
  mutating func tellMap(of space: SpaceID, on link: LinkID) {
    guard !isMapTold(of: space, on: link) else { return }
    links[present: link].session.noteMap(of: space, due: 0)
  }

  mutating func tellMap(of space: SpaceID, by due: UInt64) {
    for link in links.keys { links[present: link].session.noteMap(of: space, due: due) }
  }
}
