import Foundation
import HyperbasisBlob
import HyperbasisCore
import HyperbasisStore
import Testing

/// World maps in a store: hashes and bytes, kept until they are dropped.
struct MapTests {
  let directory = TemporaryDirectory()

  private func hash(_ number: Int) -> ContentHash {
    ContentHash(high: UInt128(number), low: 0)
  }

  private func chunk(_ number: Int, bytes: Int = 100) -> StoredChunk {
    StoredChunk(codec: UInt8(number % 2), bytes: [UInt8](repeating: UInt8(number), count: bytes))
  }

  /// A map of three chunks that cannot be compressed, put into the store.
  private func putMap(_ store: Store) throws -> (map: [UInt8], manifest: MapManifest) {
    var state: UInt64 = 1
    let map = (0..<600_000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56)
    }
    let manifest = try MapManifest(cutting: map)
    let chunks = manifest.chunks.indices.map { index in
      let chunk = MapChunk(raw: Array(map[manifest.range(of: index)]), compress: true)
      return (manifest.chunks[index], StoredChunk(codec: chunk.codec.rawValue, bytes: chunk.bytes))
    }
    try store.putChunks(chunks)
    try store.putManifest(manifest.hash, manifest.encoded())
    return (map, manifest)
  }

  /// The map as it is read: each chunk against its hash.
  private func map(_ name: ContentHash, in store: Store) throws -> [UInt8] {
    let manifest = try MapManifest(decoding: try #require(try store.manifest(name)))
    return try manifest.chunks.indices.flatMap { index in
      let stored = try #require(try store.chunk(manifest.chunks[index]))
      return try MapChunk(codec: stored.codec, bytes: stored.bytes)
        .verified(against: manifest.chunks[index], count: manifest.range(of: index).count)
    }
  }

  @Test func aMapIsThereAfterReopening() throws {
    var store: Store? = try Store(directory: directory.store)
    let (map, manifest) = try putMap(store!)
    store = nil
    let reopened = try Store(directory: directory.store)
    #expect(try self.map(manifest.hash, in: reopened) == map)
    #expect(try reopened.missingChunks(of: manifest.chunks) == [])
    #expect(
      try reopened.bytesOfMaps() == Int64(600_000 + manifest.encoded().count))
  }

  @Test func anEmptyStoreHasNone() throws {
    let store = try Store(directory: directory.store)
    #expect(try store.chunk(hash(1)) == nil)
    #expect(try store.manifest(hash(1)) == nil)
    #expect(try !store.hasChunk(hash(1)))
    #expect(try store.bytesOfMaps() == 0)
    #expect(try store.keepOnly(maps: [], chunks: []))
  }

  @Test func missingChunksAreNamedOnceInOrder() throws {
    let store = try Store(directory: directory.store)
    try store.putChunk(hash(2), chunk(2))
    #expect(try store.hasChunk(hash(2)))
    #expect(
      try store.missingChunks(of: [hash(3), hash(2), hash(1), hash(3)]) == [hash(3), hash(1)])
    #expect(try store.missingChunks(of: []) == [])
  }

  @Test func aChunkIsPutInPlaceOfAnother() throws {
    let store = try Store(directory: directory.store)
    try store.putChunk(hash(1), chunk(4))
    try store.putChunk(hash(1), chunk(5))
    #expect(try store.chunk(hash(1)) == chunk(5))
    #expect(try store.bytesOfMaps() == 100)
    try store.putManifest(hash(1), [1])
    try store.putManifest(hash(1), [2, 3])
    #expect(try store.manifest(hash(1)) == [2, 3])
    try store.dropChunk(hash(1))
    try store.dropChunk(hash(1))
    #expect(try store.chunk(hash(1)) == nil)
  }

  @Test func onlyWhatIsKeptStays() throws {
    let store = try Store(directory: directory.store)
    try store.putChunks((0..<200).map { (hash($0), chunk($0)) })
    for number in 0..<10 { try store.putManifest(hash(number), [UInt8(number)]) }
    let keptChunks = Set((0..<200).filter { $0 % 50 == 7 }.map(hash))
    var calls = 1
    while try !store.keepOnly(maps: [hash(3)], chunks: keptChunks) { calls += 1 }
    // 9 manifests and 196 chunks, 16 a call.
    #expect(calls == 13)
    #expect(
      try store.missingChunks(of: (0..<200).map(hash))
        == (0..<200).map(hash).filter { !keptChunks.contains($0) })
    #expect(try store.chunk(hash(57)) == chunk(57))
    #expect(try (0..<10).filter { try store.manifest(hash($0)) != nil } == [3])
    #expect(try store.bytesOfMaps() == 401)
  }

  @Test func spacesAreNotTouched() throws {
    let store = try Store(directory: directory.store)
    var author = Author(space: SpaceID(7), replica: ReplicaID(1))
    try store.commit([author.change([.name("room")])])
    _ = try putMap(store)
    while try !store.keepOnly(maps: [], chunks: []) {}
    #expect(try store.bytesOfMaps() == 0)
    #expect(try store.load()[0].state.digest == author.state.digest)
  }

  @Test func aFailedPutLeavesNothing() throws {
    let store = try Store(directory: directory.store)
    // Another connection holds the write lock, as a backup program might.
    let holder = RawDatabase(directory.database)
    holder.execute("BEGIN IMMEDIATE")
    #expect(throws: StoreError.inUse(path: directory.store)) {
      try store.putChunks([(hash(1), chunk(1)), (hash(2), chunk(2))])
    }
    holder.execute("COMMIT")
    #expect(try store.missingChunks(of: [hash(1), hash(2)]).count == 2)
    try store.putChunk(hash(1), chunk(1))
    #expect(try store.chunk(hash(1)) == chunk(1))
  }

  @Test func aCodecThatIsNoneIsDamage() throws {
    var store: Store? = try Store(directory: directory.store)
    try store!.putChunk(hash(1), chunk(1))
    store = nil
    RawDatabase(directory.database).execute("UPDATE chunks SET codec = 256")
    let reopened = try Store(directory: directory.store)
    #expect(
      throws: StoreError.damaged(
        path: directory.store, what: "chunk \(hash(1)): its codec is 256")
    ) { try reopened.chunk(hash(1)) }
  }

  /// Bytes of one chunk change in the file, where SQLite has no checksum: the hash tells, the chunk is
  /// dropped, is missing, and is put again.
  @Test func aDamagedChunkIsHadAgain() throws {
    var store: Store? = try Store(directory: directory.store)
    let (map, manifest) = try putMap(store!)
    store = nil
    try damage(Array(map[400_000..<400_032]))

    let reopened = try Store(directory: directory.store)
    let damaged = manifest.chunks[1]
    #expect(throws: BlobError.wrongHash(expected: damaged)) {
      try self.map(manifest.hash, in: reopened)
    }
    try reopened.dropChunk(damaged)
    #expect(try reopened.missingChunks(of: manifest.chunks) == [damaged])
    let raw = Array(map[manifest.range(of: 1)])
    try reopened.putChunk(damaged, StoredChunk(codec: 0, bytes: raw))
    #expect(try self.map(manifest.hash, in: reopened) == map)
  }

  /// The pages of the tables are overwritten: that is an error with a name, never a wrong map.
  @Test func aDamagedFileIsNamed() throws {
    var store: Store? = try Store(directory: directory.store)
    let (map, manifest) = try putMap(store!)
    store = nil
    let file = URL(fileURLWithPath: directory.database)
    let sound = try Data(contentsOf: file)
    let page = 4_096
    for start in stride(from: page, to: sound.count, by: page) {
      var bytes = sound
      bytes.replaceSubrange(start..<start + page, with: Data(repeating: 0xA5, count: page))
      try bytes.write(to: file)
      do {
        let reopened = try Store(directory: directory.store)
        #expect(try self.map(manifest.hash, in: reopened) == map)
      } catch let error as StoreError {
        guard case .damaged = error else {
          Issue.record("page \(start / page): \(error)")
          continue
        }
      } catch is BlobError {}
    }
  }

  /// Changes these bytes where they are in the database file.
  private func damage(_ bytes: [UInt8]) throws {
    let file = URL(fileURLWithPath: directory.database)
    var data = try Data(contentsOf: file)
    let found = try #require(data.range(of: Data(bytes)))
    data[found.lowerBound + 5] ^= 0x10
    try data.write(to: file)
  }
}
