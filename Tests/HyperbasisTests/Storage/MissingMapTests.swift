import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

@testable import Hyperbasis

/// Maps that nobody has any more.
@Suite(.timeLimit(.minutes(5))) struct MissingMapTests {
  let directory = PeerDirectory()
  private let map = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })

  private func progress(_ storage: HBStorage, _ space: UUID) async -> HBTransferProgress? {
    for await progress in storage.worldMapProgress(spaceId: space) { return progress }
    return nil
  }

  @Test(arguments: [false, true])
  func `a space that is brought back without a map has none on either device`(
    isOtherDevice: Bool
  ) async throws {
    let other = lanStorage(directory, "other")
    let storage = lanStorage(directory, "a", dialling: [other])
    let space = HBSpace(name: "Hall", worldMapData: map)
    try await storage.save(space)
    #expect(
      try await eventually {
        try await other.loadSpace(id: space.id)?.worldMapSize == map.count
      })
    try await storage.deleteSpace(id: space.id)
    #expect(try await eventually { try await other.loadSpace(id: space.id) == nil })
    try await (isOtherDevice ? other : storage).save(HBSpace(id: space.id, name: "Back"))
    for one in [storage, other] {
      #expect(try await eventually { try await one.loadSpace(id: space.id)?.name == "Back" })
      #expect(try await one.loadSpace(id: space.id)?.worldMapSize == 0)
      let progress = await progress(one, space.id)
      #expect(progress?.totalBytes == 0 && progress?.isComplete == true)
    }
    try await storage.sync()
    // A map that it gets later is as any.
    try await storage.save(HBSpace(id: space.id, worldMapData: map))
    #expect(
      try await eventually {
        try await other.loadSpace(id: space.id)?.worldMapSize == map.count
      })
  }

  @Test func `a map that no peer has keeps no sync from its end`() async throws {
    let other = lanStorage(directory, "other")
    let space = HBSpace(name: "Hall", worldMapData: map)
    try await other.save(space)
    try await other.turn { loop throws(HBStorageError) in
      let manifest = loop.engine.mapManifest(of: SpaceID(space.id))!
      do throws(StoreError) {
        for hash in manifest.chunks { try loop.store.dropChunk(hash) }
      } catch {
        throw HBStorageError(error)
      }
      loop.engine.lookUpMap(of: SpaceID(space.id))
    }
    let storage = lanStorage(directory, "a", dialling: [other])
    try await storage.sync()
    #expect(try await storage.loadSpace(id: space.id)?.name == "Hall")
    let progress = await progress(storage, space.id)
    #expect(progress?.totalBytes == map.count && progress?.isComplete == false)
    try await other.sync()
    // Once somebody has it, it is waited for.
    try await other.save(HBSpace(name: "Copy", worldMapData: map))
    try await storage.sync()
    #expect(try await storage.loadSpace(id: space.id)?.loadWorldMapData() == map)
  }
}
