import CSQLite
import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// World maps between peers of one process, over loopback.
@Suite(.timeLimit(.minutes(2)))
struct PeerMapTests {
  let directory = PeerDirectory()

  /// Bytes that compress badly, or well.
  private func map(_ count: Int, seed: UInt64, compresses: Bool = false) -> [UInt8] {
    var random = SplitMix(seed: seed)
    return (0..<count).map {
      compresses ? UInt8($0 / 999 % 7) : UInt8(truncatingIfNeeded: random.next() >> 9)
    }
  }

  private func set(_ bytes: [UInt8], at peer: LocalPeer, of space: UUID) async throws
    -> MapReference
  {
    let prepared = try await peer.prepareMap(bytes)
    let reference = prepared.reference
    try await peer.call { loop throws(PeerError) in
      try loop.setMap(reference, of: SpaceID(space))
    }
    return reference
  }

  /// Waits until a peer has this map whole.
  private func whole(_ reference: MapReference, at peer: LocalPeer, of space: UUID) async throws {
    for _ in 0..<3_000 {
      let state = try await peer.mapState(of: SpaceID(space))
      if state.reference == reference && state.isWhole && state.lastWhole == reference { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("the map does not become whole")
  }

  /// The hashes of all chunks in a closed store.
  private func chunkCount(_ name: String) -> Int {
    var handle: OpaquePointer?
    sqlite3_open(directory.path(name) + "/store.sqlite", &handle)
    defer { sqlite3_close(handle) }
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, "SELECT count(*) FROM chunks", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    sqlite3_step(statement)
    return Int(sqlite3_column_int64(statement, 0))
  }

  @Test(arguments: [false, true])
  func aMapFollowsItsSpace(compresses: Bool) async throws {
    let first = try directory.peer("first")
    let port = try await first.start()
    let second = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    try await second.start()
    let space = try await first.createSpace(named: "Kitchen")
    try await second.joinSpace(space)
    let bytes = map(1_500_000, seed: 1, compresses: compresses)
    let reference = try await set(bytes, at: first, of: space)
    #expect(reference.byteCount == 1_500_000)
    try await whole(reference, at: second, of: space)
    #expect(try await second.loadMap(reference) == bytes)
    #expect(try await first.loadMap(reference) == bytes)
  }

  @Test func theLastWholeMapStaysUntilTheNextIsWhole() async throws {
    let first = try directory.peer("first")
    let port = try await first.start()
    var second: LocalPeer? = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    try await second!.start()
    let space = try await first.createSpace(named: "Kitchen")
    try await second!.joinSpace(space)
    let old = map(600_000, seed: 1)
    let oldReference = try await set(old, at: first, of: space)
    try await whole(oldReference, at: second!, of: space)
    second!.stop()
    // The register gets there, the bytes do not.
    second = try directory.peer("second")
    let new = MapReference(manifest: ContentHash(high: 1, low: 2), byteCount: 900_000)
    try await second!.call { loop throws(PeerError) in try loop.setMap(new, of: SpaceID(space)) }
    second!.stop()
    second = try directory.peer("second")
    let state = try await second!.mapState(of: SpaceID(space))
    #expect(state.reference == new && !state.isWhole && state.verifiedBytes == 0)
    #expect(state.lastWhole == oldReference)
    #expect(try await second!.loadMap(oldReference) == old)
    await #expect(throws: PeerError.self) { try await second!.loadMap(new) }
    try await second!.call { loop throws(PeerError) in try loop.setMap(nil, of: SpaceID(space)) }
    #expect(try await second!.mapState(of: SpaceID(space)).lastWhole == nil)
  }

  @Test func whatNoMapNeedsIsDropped() async throws {
    var peer: LocalPeer? = try directory.peer("only")
    let space = try await peer!.createSpace(named: "Attic")
    let shared = map(262_144, seed: 5)
    _ = try await set(shared + map(600_000, seed: 6), at: peer!, of: space)
    _ = try await set(shared + map(300_000, seed: 7), at: peer!, of: space)
    // Prepared, put in force by nobody: left over as by a kill.
    _ = try await peer!.prepareMap(map(700_000, seed: 8))
    for _ in 0..<200 where chunkCount("only") != 3 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(chunkCount("only") == 3)
    try await peer!.call { loop throws(PeerError) in
      _ = try loop.edit(SpaceID(space), [.spaceExistence(Existence(created: 1, deleted: 2))])
    }
    for _ in 0..<200 where chunkCount("only") != 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(chunkCount("only") == 0)
    peer!.stop()
    peer = nil
  }

  @Test func aPreparedMapStaysWhileItIsHeld() async throws {
    let peer = try directory.peer("only")
    let space = try await peer.createSpace(named: "Attic")
    let bytes = map(600_000, seed: 3)
    let prepared = try await peer.prepareMap(bytes)
    _ = try await set(map(10, seed: 4), at: peer, of: space)
    try await Task.sleep(for: .milliseconds(100))
    #expect(try await peer.loadMap(prepared.reference) == bytes)
    let reference = prepared.reference
    try await peer.call { loop throws(PeerError) in
      try loop.setMap(reference, of: SpaceID(space))
    }
    withExtendedLifetime(prepared) {}
    try await whole(reference, at: peer, of: space)
  }

  @Test func aDamagedPieceIsFetchedAnew() async throws {
    let first = try directory.peer("first")
    let port = try await first.start()
    var second: LocalPeer? = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    try await second!.start()
    let space = try await first.createSpace(named: "Kitchen")
    try await second!.joinSpace(space)
    let bytes = map(700_000, seed: 1)
    let reference = try await set(bytes, at: first, of: space)
    try await whole(reference, at: second!, of: space)
    second!.stop()
    second = nil
    var handle: OpaquePointer?
    sqlite3_open(directory.path("second") + "/store.sqlite", &handle)
    sqlite3_exec(
      handle, "UPDATE chunks SET bytes = zeroblob(262144) WHERE rowid = 2", nil, nil, nil)
    sqlite3_close(handle)
    second = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    await #expect(throws: PeerError.self) { try await second!.loadMap(reference) }
    try await second!.start()
    try await whole(reference, at: second!, of: space)
    #expect(try await second!.loadMap(reference) == bytes)
  }

  @Test func mapsOfNoBytesAndOfTooManyAreRefused() async throws {
    let peer = try directory.peer("only")
    await #expect(throws: PeerError.self) { try await peer.prepareMap([]) }
    #expect(throws: PeerError.self) {
      try peer.prepareMapAndWait(byteCount: Limits.mapBytes + 1) { [] }
    }
    #expect(throws: PeerError.self) { try peer.prepareMapAndWait(byteCount: 5) { [] } }
    let space = SpaceID(UUID())
    await #expect(throws: PeerError.unknownSpace("\(space)")) {
      try await peer.mapState(of: space)
    }
  }
}
