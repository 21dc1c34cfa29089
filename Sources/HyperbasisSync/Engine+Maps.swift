import HyperbasisCore

/// World maps: what a driver does, and what it tells.
///
/// ```swift
/// while let task = engine.nextBlobTask(canSend: hasRoom) {
///   switch task {
///   case .inspect(let space, let map): engine.inspected(space, map, ...)
///   case .load(let name, let link): engine.supply(blob, for: name, on: link, at: now)
///   case .check(let blob): engine.blobStored(blob.name.hash, at: now)  // or refused
///   }
/// }
/// ```
extension Engine {
  // MARK: Tasks

  /// The next thing to do; nil while writes wait or when there is none.
  ///
  /// A blob is loaded only for a link on which `canSend` says that it will go out soon, so at most
  /// one of each link is in memory.
  package mutating func nextBlobTask(canSend: (LinkID) -> Bool = { _ in true }) -> BlobTask? {
    guard !hasWrites else { return nil }
    if !blobs.received.isEmpty { return .check(blobs.received.removeFirst()) }
    for space in blobs.fetching where rooms[present: space].map.isDue {
      rooms[present: space].map.stage = .unknown(isAsked: true)
      return .inspect(space, rooms[present: space].map.target!)
    }
    let all = links.keys
    for step in all.indices {
      let link = all[(blobs.turn + step) % all.count]
      guard links[present: link].session.isOpen, links[present: link].session.blobs.canLoad,
        canSend(link),
        let name = links[present: link].session.blobs.nextLoad()
      else { continue }
      blobs.turn += step + 1
      guard rooms[name.space]?.map.has(name.hash) ?? false else {
        links[present: link].session.blobs.supply(nil, for: name)
        continue
      }
      return .load(name, link)
    }
    return nil
  }

  /// What is here of a map; ignored when another is in force meanwhile.
  ///
  /// - Parameters:
  ///   - manifest: nil when it is not here; nothing else matters then.
  ///   - hasRoom: whether what is missing can be stored. When not, nothing is asked for until
  ///     `Limits.mapRetryMilliseconds` have passed.
  package mutating func inspected(
    _ space: SpaceID, _ reference: MapReference, manifest: MapManifest?, missing: ChunkSet,
    hasRoom: Bool = true, at now: Now
  ) {
    guard rooms[space]?.map.target == reference, case .unknown = rooms[present: space].map.stage
    else {
      return
    }
    rooms[present: space].map.pausedUntil =
      hasRoom ? nil : now.monotonic + Limits.mapRetryMilliseconds
    if let manifest {
      rooms[present: space].map.stage =
        missing.isEmpty
        ? .whole(manifest)
        : .part(MapFetch(manifest: manifest, missing: missing, seed: mapSeed))
      tellMap(of: space, by: 0)
    } else {
      rooms[present: space].map.stage = .named
    }
    settleMap(of: space)
    if let progress = rooms[present: space].map.progress { emit(.mapProgress(space, progress)) }
    requestBlobs(at: now)
  }

  /// The disk's reply to a load; nil when it cannot be had from there: it is then fetched anew.
  package mutating func supply(
    _ body: BlobBody?, for name: BlobName, on link: LinkID, at now: Now
  ) {
    links[link]?.session.blobs.supply(body, for: name)
    guard body == nil else { return }
    for space in rooms.keys where rooms[present: space].map.has(name.hash) {
      lose(name.hash, of: space)
    }
    requestBlobs(at: now)
  }

  private mutating func lose(_ hash: ContentHash, of space: SpaceID) {
    guard rooms[present: space].map.lost(hash, seed: mapSeed) else { return lookUpMap(of: space) }
    settleMap(of: space)
    emit(.mapProgress(space, rooms[present: space].map.progress!))
    tellMap(of: space, by: 0)
  }

  private var mapSeed: UInt64 {
    UInt64(truncatingIfNeeded: local.replica.bits) &* 0x9e37_79b9_7f4a_7c15
  }

  /// What was checked is durable.
  package mutating func blobStored(_ hash: ContentHash, at now: Now) {
    blobs.asked[hash] = nil
    for space in blobs.fetching {
      if case .named = rooms[present: space].map.stage,
        rooms[present: space].map.target?.manifest == hash
      {
        lookUpMap(of: space)
      } else if rooms[present: space].map.stored(hash) {
        let progress = rooms[present: space].map.progress!
        settleMap(of: space)
        emit(.mapProgress(space, progress))
        tellMap(
          of: space, by: progress.isWhole ? 0 : now.monotonic + Limits.mapNewsMilliseconds)
      }
    }
    requestBlobs(at: now)
  }

  /// The bytes are not what they should be: for a while the peer is not asked for them again.
  package mutating func blobRefused(_ blob: ReceivedBlob, at now: Now) {
    let hash = blob.name.hash
    if let peer = links[blob.link]?.session.peer {
      blobs.refuse(hash, from: peer.replica, at: now)
    }
    releaseBlob(hash)
    let what = "the peer sent something else in place of \(hash)"
    end(blob.link, with: Farewell(.malformed, what), at: now)
    requestBlobs(at: now)
  }

  /// The bytes are right and are no manifest of the map: nobody has such a map, and no peer is to
  /// blame but who made it.
  package mutating func mapIsBroken(_ hash: ContentHash, at now: Now) {
    blobs.asked[hash] = nil
    for space in blobs.fetching where rooms[present: space].map.target?.manifest == hash {
      rooms[present: space].map.stage = .broken
      settleMap(of: space)
    }
    requestBlobs(at: now)
  }

  /// The bytes are right and could not be stored: nothing is asked for until
  /// `Limits.mapRetryMilliseconds` have passed.
  package mutating func blobNotStored(_ hash: ContentHash, at now: Now) {
    releaseBlob(hash)
    for space in blobs.fetching {
      rooms[present: space].map.pausedUntil = now.monotonic + Limits.mapRetryMilliseconds
    }
    withdrawBlobs(at: now)
  }

  /// Pieces of some map were stored here, and no peer sent them: spaces that miss pieces look again,
  /// since theirs may be among them.
  package mutating func piecesWereStored() {
    for space in blobs.fetching { lookUpMap(of: space) }
  }

  /// What is here of a map may have changed otherwise than by what peers sent.
  package mutating func lookUpMap(of space: SpaceID) {
    guard rooms[space]?.map.target != nil else { return }
    rooms[present: space].map.stage = .unknown(isAsked: false)
    settleMap(of: space)
  }

  // MARK: Questions

  /// The map in force of a space that is held, and how much of it is here; nil when it has none.
  package func mapProgress(of space: SpaceID) -> MapProgress? {
    rooms[space]?.map.progress
  }

  /// Whether some connected peer has something of a space's map that is missing here, as far as it told.
  package func isMapOffered(of space: SpaceID) -> Bool {
    guard let map = rooms[space]?.map else { return false }
    return links.keys.contains { link in
      links[present: link].session.map(of: space).map(map.lacks) ?? false
    }
  }

  /// What is here of a map, chunk by chunk; nil before that was looked up.
  package func mapManifest(of space: SpaceID) -> MapManifest? {
    switch rooms[space]?.map.stage {
    case .part(let fetch): fetch.manifest
    case .whole(let manifest): manifest
    case .unknown, .named, .broken, nil: nil
    }
  }

  var nextBlobDeadline: UInt64? {
    if !blobs.received.isEmpty || blobs.fetching.contains(where: { rooms[$0]!.map.isDue }) {
      return 0
    }
    var next = blobs.fetching.isEmpty ? UInt64.max : blobs.refusalDeadline ?? .max
    for space in blobs.fetching { next = min(next, rooms[present: space].map.pausedUntil ?? .max) }
    for index in links.indices {
      next = min(next, links[at: index].session.blobs.stallDeadline ?? .max)
    }
    return next == .max ? nil : next
  }

  // MARK: The register

  /// Looks at the registers of all spaces, where no link is open.
  mutating func watchMaps() {
    blobs = BlobDesk()
    for space in rooms.keys { _ = setMap(of: space) }
  }

  /// The space's own registers may have changed: another map may be in force.
  mutating func watchMap(of space: SpaceID, at now: Now) {
    if setMap(of: space) { withdrawBlobs(at: now) }
  }

  /// Returns whether another map is in force than before.
  private mutating func setMap(of space: SpaceID) -> Bool {
    let record = rooms[present: space].state.record
    let target = record.existence?.deleted == nil ? record.map : nil
    guard rooms[present: space].map.target != target else { return false }
    if Defect.firstMapStays.isPlanted, rooms[present: space].map.target != nil { return false }
    rooms[present: space].map = MapRoom(target: target)
    settleMap(of: space)
    return true
  }

  /// Keeps the list of what is being fetched in step with the stage of a space's map.
  private mutating func settleMap(of space: SpaceID) {
    blobs.setFetching(space, rooms[present: space].map.isFetching)
  }
}
