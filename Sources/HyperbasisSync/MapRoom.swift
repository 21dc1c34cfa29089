import HyperbasisCore

/// How much of a space's world map is here.
package struct MapProgress: Equatable, Sendable {
  /// The map in force, by the space's register.
  package let reference: MapReference
  /// Bytes of chunks that were checked and stored.
  package let verifiedBytes: UInt64
  package let isWhole: Bool

  package init(reference: MapReference, verifiedBytes: UInt64, isWhole: Bool) {
    self.reference = reference
    self.verifiedBytes = verifiedBytes
    self.isWhole = isWhole
  }
}

/// The world map of one space as the engine knows it.
struct MapRoom: Sendable {
  enum Stage: Sendable {
    /// What is here of it must be looked up, or is being looked up.
    case unknown(isAsked: Bool)
    /// Its manifest is not here.
    case named
    case part(MapFetch)
    case whole(MapManifest)
    /// What bears its name is no manifest of such a map, so nobody can have it.
    case broken
  }

  /// The map in force; nil when the space has none, or is deleted.
  var target: MapReference?
  var stage = Stage.unknown(isAsked: false)
  /// Monotonic milliseconds until which nothing is asked for, since it could not be stored.
  var pausedUntil: UInt64?

  /// Whether something of it is to be looked up or asked for.
  var isFetching: Bool {
    guard target != nil else { return false }
    switch stage {
    case .unknown, .named, .part: return true
    case .whole, .broken: return false
    }
  }

  var isDue: Bool {
    if target != nil, case .unknown(false) = stage { true } else { false }
  }

  /// What to tell peers; nil before the manifest is here.
  var news: MapNews? {
    guard let target else { return nil }
    switch stage {
    case .part(let fetch): return MapNews(manifest: target.manifest, chunks: fetch.here)
    case .whole: return MapNews(manifest: target.manifest, chunks: nil)
    case .unknown, .named, .broken: return nil
    }
  }

  var progress: MapProgress? {
    guard let target else { return nil }
    switch stage {
    case .part(let fetch):
      return MapProgress(reference: target, verifiedBytes: fetch.verifiedBytes, isWhole: false)
    case .whole:
      return MapProgress(reference: target, verifiedBytes: target.byteCount, isWhole: true)
    case .unknown, .named, .broken:
      return MapProgress(reference: target, verifiedBytes: 0, isWhole: false)
    }
  }

  /// Whether a peer can be sent this.
  func has(_ hash: ContentHash) -> Bool {
    switch stage {
    case .part(let fetch): hash == target?.manifest || fetch.has(hash)
    case .whole(let manifest): hash == target?.manifest || manifest.chunks.contains(hash)
    case .unknown, .named, .broken: false
    }
  }

  /// Whether a peer that tells this has something that is missing here.
  func lacks(_ news: MapNews) -> Bool {
    guard let target, news.manifest == target.manifest else { return false }
    switch stage {
    case .unknown, .named: return true
    case .part(let fetch):
      return news.chunks.map { !fetch.missing.intersection($0).isEmpty } ?? true
    case .whole, .broken: return false
    }
  }

  /// What a blob of this name must be, where it is missing; nil when it is not.
  func form(of hash: ContentHash, chunkBytes: Int) -> BlobForm? {
    guard let target else { return nil }
    switch stage {
    case .named where hash == target.manifest:
      let bytes = MapManifest.encodedBytes(target.byteCount, chunkBytes: chunkBytes)
      return .manifest(target, bytes: bytes)
    case .part(let fetch): return fetch.missingBytes(of: hash).map { .chunk(bytes: $0) }
    case .unknown, .named, .whole, .broken: return nil
    }
  }

  /// What to ask of a peer next, where it has something that is missing and was asked of nobody.
  mutating func pick(
    from news: MapNews, sparing others: ChunkSet, unless isBarred: (ContentHash) -> Bool
  ) -> ContentHash? {
    guard let target, news.manifest == target.manifest, pausedUntil == nil else { return nil }
    switch stage {
    case .named: return isBarred(target.manifest) ? nil : target.manifest
    case .part(var fetch):
      stage = .named  // Lets go of the fetch, so that changing it does not copy it.
      defer { stage = .part(fetch) }
      return fetch.pick(from: news, sparing: others, unless: isBarred)
    case .unknown, .whole, .broken: return nil
    }
  }

  /// Somebody else may be asked for this again.
  mutating func release(_ hash: ContentHash) {
    guard case .part(var fetch) = stage else { return }
    fetch.release(hash)
    stage = .part(fetch)
  }

  /// What was here cannot be read; returns whether it is a chunk, and counts as missing now.
  mutating func lost(_ hash: ContentHash, seed: UInt64) -> Bool {
    guard hash != target?.manifest else { return false }
    switch stage {
    case .part(var fetch):
      fetch.lost(hash)
      stage = .part(fetch)
      return true
    case .whole(let manifest):
      let missing = manifest.chunks.indices.filter { manifest.chunks[$0] == hash }
      guard !missing.isEmpty else { return false }
      stage = .part(MapFetch(manifest: manifest, missing: ChunkSet(missing), seed: seed))
      return true
    case .unknown, .named, .broken: return false
    }
  }

  /// A chunk was checked and stored; returns whether it was missing here.
  mutating func stored(_ hash: ContentHash) -> Bool {
    guard case .part(var fetch) = stage else { return false }
    stage = .named
    let isNew = fetch.stored(hash)
    stage = fetch.missing.isEmpty ? .whole(fetch.manifest) : .part(fetch)
    return isNew
  }
}

/// What the bytes of a name that was asked for must be.
package enum BlobForm: Equatable, Sendable {
  case manifest(MapReference, bytes: Int)
  case chunk(bytes: Int)

  /// How many there must be once they are unpacked.
  package var bytes: Int {
    switch self {
    case .manifest(_, let bytes), .chunk(let bytes): bytes
    }
  }
}

/// A map of which chunks are missing.
struct MapFetch: Sendable {
  let manifest: MapManifest
  private(set) var here: ChunkSet
  private(set) var missing: ChunkSet
  private(set) var verifiedBytes: UInt64
  /// Chunks that somebody was asked for.
  private var asked = ChunkSet()
  /// Where to look for the next chunk: each peer takes another way through the map, so that those who
  /// fetch at once get different chunks and can serve each other.
  private var way: UInt64

  /// Precondition: at least one chunk is missing.
  init(manifest: MapManifest, missing: ChunkSet, seed: UInt64) {
    precondition(!missing.isEmpty, "something is missing")
    self.manifest = manifest
    self.missing = missing
    here = ChunkSet.all(manifest.chunks.count).subtracting(missing)
    verifiedBytes = manifest.chunks.indices.reduce(0) { sum, chunk in
      missing.contains(chunk) ? sum : sum + UInt64(manifest.range(of: chunk).count)
    }
    way = seed
  }

  func has(_ hash: ContentHash) -> Bool {
    manifest.chunks.firstIndex(of: hash).map(here.contains) ?? false
  }

  /// Bytes of a chunk that is missing; nil for any other hash.
  func missingBytes(of hash: ContentHash) -> Int? {
    guard let chunk = manifest.chunks.firstIndex(of: hash), missing.contains(chunk) else {
      return nil
    }
    return manifest.range(of: chunk).count
  }

  mutating func pick(
    from news: MapNews, sparing others: ChunkSet, unless isBarred: (ContentHash) -> Bool
  ) -> ContentHash? {
    var candidates = missing.subtracting(asked)
    if let chunks = news.chunks { candidates = candidates.intersection(chunks) }
    while !candidates.isEmpty {
      let rare = candidates.subtracting(others)
      let start = Int(way >> 33) % manifest.chunks.count
      guard let chunk = (rare.isEmpty ? candidates : rare).first(from: start) else { break }
      way = way &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      candidates.remove(chunk)
      let hash = manifest.chunks[chunk]
      guard !isBarred(hash) else { continue }
      asked.insert(chunk)
      return hash
    }
    return nil
  }

  mutating func release(_ hash: ContentHash) {
    for chunk in indices(of: hash) { asked.remove(chunk) }
  }

  mutating func lost(_ hash: ContentHash) {
    for chunk in indices(of: hash) where here.contains(chunk) {
      here.remove(chunk)
      missing.insert(chunk)
      verifiedBytes -= UInt64(manifest.range(of: chunk).count)
    }
  }

  mutating func stored(_ hash: ContentHash) -> Bool {
    let new = indices(of: hash).filter(missing.contains)
    for chunk in new {
      missing.remove(chunk)
      asked.remove(chunk)
      here.insert(chunk)
      verifiedBytes += UInt64(manifest.range(of: chunk).count)
    }
    return !new.isEmpty
  }

  /// A map may have the same bytes in several places.
  private func indices(of hash: ContentHash) -> [Int] {
    manifest.chunks.indices.filter { manifest.chunks[$0] == hash }
  }
}
