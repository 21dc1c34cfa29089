import HyperbasisCore

extension SyncSession {
  /// What is here of a space's map changed: the peer is told by `due`, in monotonic milliseconds.
  mutating func noteMap(of space: SpaceID, due: UInt64) {
    guard let index = spaces.index(of: space), spaces[at: index].theirs != nil else { return }
    spaces[at: index].mapDue = min(spaces[at: index].mapDue ?? .max, due)
  }

  /// Takes what the peer tells of a map; ignored for a space that it did not announce.
  mutating func noteTheirMap(_ news: MapNews, of space: SpaceID) {
    guard spaces[space]?.theirs != nil else { return }
    setTheirMap(news, of: space)
  }

  /// Who has not all of it is told what is here: while it had, that was of no use to it.
  private mutating func setTheirMap(_ news: MapNews?, of space: SpaceID) {
    spaces[space]?.theirMap = news
    if news?.isWhole != true { noteMap(of: space, due: 0) }
  }

  /// What the peer has of a space's map, as far as it told.
  @inline(__always)  // Called in place, a session is not copied to be asked.
  func map(of space: SpaceID) -> MapNews? {
    guard isOpen, let index = spaces.index(of: space) else { return nil }
    return spaces[at: index].theirMap
  }

  /// The peer does not have what it said it has: it will not be asked again until it says so anew.
  ///
  /// What it lacks of a map that it had before is no matter.
  mutating func noteTheyLack(
    _ hash: ContentHash, of space: SpaceID, _ target: MapReference, _ manifest: MapManifest?
  ) {
    guard var news = spaces[space]?.theirMap, news.manifest == target.manifest else { return }
    guard hash != news.manifest else { return setTheirMap(nil, of: space) }
    guard let manifest, manifest.chunks.contains(hash) else { return }
    var chunks = news.chunks ?? .all(manifest.chunks.count)
    for (chunk, name) in manifest.chunks.enumerated() where name == hash { chunks.remove(chunk) }
    news.chunks = chunks
    setTheirMap(news, of: space)
  }

  /// Requests and news of maps, then the answers to the peer's own requests.
  mutating func nextMapFrame(
    at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>, partBytes: Int?
  ) -> Frame? {
    blobs.nextWant(at: now) ?? nextMap(at: now, rooms: rooms) ?? nextRefusal(at: now)
      ?? partBytes.flatMap { blobs.nextPart($0) }
  }

  /// The peer then takes it for missing here, whatever it was told before: it is told anew.
  private mutating func nextRefusal(at now: Now) -> Frame? {
    guard let name = blobs.nextRefusal() else { return nil }
    spaces[name.space]?.toldMap = nil
    noteMap(of: name.space, due: now.monotonic + Limits.mapNewsMilliseconds)
    return .noBlob(name.hash)
  }

  private mutating func nextMap(at now: Now, rooms: SortedMap<SpaceID, SpaceRoom>) -> Frame? {
    for index in spaces.indices {
      guard let due = spaces[at: index].mapDue, due <= now.monotonic else { continue }
      spaces[at: index].mapDue = nil
      let space = spaces.keys[index]
      guard let room = rooms.index(of: space), let news = rooms[at: room].map.news,
        news != spaces[at: index].toldMap
      else { continue }
      // Who has it whole asks for nothing; once it is told all the same, should it lose the map.
      if !news.isWhole, spaces[at: index].toldMap?.manifest == news.manifest,
        let theirs = spaces[at: index].theirMap, theirs.isWhole,
        theirs.manifest == news.manifest
      {
        continue
      }
      spaces[at: index].toldMap = news
      return .map(space, news)
    }
    return nil
  }
}
