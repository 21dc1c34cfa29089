import Foundation
import HyperbasisCore
import Testing

@testable import HyperbasisStore

/// H17: no page more can be had, at each page that a call needs.
struct FullDiskTests {
  let directory = TemporaryDirectory()

  /// Lets the database have `pages` more than it has now; nil for no limit.
  private func limit(_ store: Store, to pages: Int64?) throws {
    let count = try store.database.integer("PRAGMA page_count")
    let most = pages.map { count + $0 } ?? 1 << 30
    #expect(try store.database.integer("PRAGMA max_page_count = \(most)") == most)
  }

  /// Runs a call with ever more pages until it succeeds; returns how often it found the disk full.
  /// After each failure everything must be as it was.
  private func fill(
    _ store: Store, call: () throws(StoreError) -> Void, isUnchanged: () throws -> Bool
  ) throws -> Int {
    var failures = 0
    while true {
      try limit(store, to: Int64(failures))
      do throws(StoreError) {
        try call()
        break
      } catch {
        #expect(error == .full(path: directory.store))
      }
      #expect(try isUnchanged(), "after \\(failures) pages")
      failures += 1
    }
    try limit(store, to: nil)
    return failures
  }

  @Test("H17 a save on a full disk fails whole at each of its pages, and works afterwards")
  func save() throws {
    let store = try Store(directory: directory.store)
    var author = Author(space: SpaceID(7), replica: store.replica)
    try store.commit([author.change([.name("before")])])
    let before = author.state.digest
    let text = Value.string(String(repeating: "x", count: 20_000))
    let writes = try author.change([.metadata(AnchorID(1), Key("text"), text)])
    let failures = try fill(store) { () throws(StoreError) in
      try store.commit([writes])
    } isUnchanged: {
      let space = try store.load()[0]
      let changes = try store.changes(of: SpaceID(7))
      return space.state.digest == before && space.history[store.replica] == 1
        && changes.count == 1
    }
    #expect(failures > 5)
    #expect(try store.load()[0].state.digest == author.state.digest)
    #expect(try store.changes(of: SpaceID(7)).count == 2)
  }

  @Test("H17 pieces of maps on a full disk: none in part, and the edits go on")
  func chunks() throws {
    let store = try Store(directory: directory.store)
    let chunk = StoredChunk(codec: 0, bytes: [UInt8](repeating: 1, count: 30_000))
    let hashes = (1...2).map { ContentHash(high: UInt128($0), low: 0) }
    let failures = try fill(store) { () throws(StoreError) in
      try store.putPartChunks(hashes.map { ($0, chunk) })
    } isUnchanged: {
      try store.missingChunks(of: hashes) == hashes
    }
    #expect(failures > 10)
    #expect(try store.missingChunks(of: hashes).isEmpty)
    // Syncs are what they were.
    #expect(try store.database.integer("PRAGMA synchronous") == 2)
  }

  @Test("H17 a manifest, a peer, a setting and a whole map on a full disk")
  func smallRows() throws {
    let store = try Store(directory: directory.store)
    let big = [UInt8](repeating: 1, count: 9_000)
    let hash = ContentHash(high: 1, low: 0)
    let manifests = try fill(store) { () throws(StoreError) in
      try store.putManifest(hash, big)
    } isUnchanged: {
      try store.manifest(hash) == nil
    }
    let settings = try fill(store) { () throws(StoreError) in
      try store.set(.leftSpaces, to: big)
    } isUnchanged: {
      try store.setting(.leftSpaces) == nil
    }
    let peer = KnownPeer(
      replica: ReplicaID(1), device: DeviceID(1), name: String(repeating: "n", count: 9_000),
      address: "", met: 1)
    let peers = try fill(store) { () throws(StoreError) in
      try store.remember(peer)
    } isUnchanged: {
      try store.knownPeers().isEmpty
    }
    #expect(manifests > 0 && settings > 0 && peers > 0)
  }

  @Test("H17 a directory that may not be written is told as such, and reading what is open goes on")
  func readOnly() throws {
    let store = try Store(directory: directory.store)
    var author = Author(space: SpaceID(7), replica: store.replica)
    try store.commit([author.change([.name("before")])])
    try store.database.execute("PRAGMA query_only = ON")
    let writes = try author.change([.name("after")])
    #expect {
      try store.commit([writes])
    } throws: { error in
      if case .notWritable(directory.store, _)? = error as? StoreError { true } else { false }
    }
    #expect(try store.load()[0].state.name == "before")
    try store.database.execute("PRAGMA query_only = OFF")
    try store.commit([writes])
    #expect(try store.load()[0].state.name == "after")
  }
}
