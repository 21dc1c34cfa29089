import Foundation
import Testing

@testable import Hyperbasis

@Suite(.timeLimit(.minutes(5))) struct MapStorageTests {
  let directory = PeerDirectory()

  private func noise(_ count: Int) -> Data {
    var random = SplitMix(seed: UInt64(count))
    return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }

  /// Sizes and contents that the SDK's compression could not keep.
  @Test(arguments: [1, 2, 262_144, 262_145, 1_000_000], [false, true])
  func `maps of every size and content come back`(count: Int, isNoise: Bool) async throws {
    let data = isNoise ? noise(count) : Data(count: count)
    var space = HBSpace(name: "Kitchen", worldMapData: data)
    do {
      let storage = localStorage(directory, "\(count) \(isNoise)")
      try await storage.save(space)
      #expect(try await storage.loadSpace(id: space.id) == space)
    }
    let storage = localStorage(directory, "\(count) \(isNoise)")
    let loaded = try await storage.loadAllSpaces()
    #expect(loaded.map(\.worldMapSize) == [count])
    #expect(try loaded[0].loadWorldMapData() == data)
    #expect(loaded == [space])
    space.worldMapData = Data()
    try await storage.save(space)
    #expect(try await storage.loadSpace(id: space.id)?.worldMapSize == 0)
  }

  @Test func `a map is stored once, and saving it again writes nothing`() async throws {
    let storage = localStorage(directory)
    let data = noise(3_000_000)
    var first = HBSpace(name: "Kitchen", worldMapData: data)
    try await storage.save(first)
    let size = try storage.localStorageSize()
    for _ in 0..<10 {
      try await storage.save(first)
      try await storage.save(HBSpace(id: first.id, name: "Kitchen", worldMapData: data))
    }
    try await storage.save(HBSpace(name: "Copy", worldMapData: data))
    #expect(try storage.localStorageSize() < size + 1_000_000)
    #expect(try await storage.spaceHistory(spaceId: first.id).map(\.type) == [.created])
    first.update(name: "Hall")
    try await storage.save(first)
    let types = try await storage.spaceHistory(spaceId: first.id).map(\.type)
    #expect(types == [.created, .renamed])
    #expect(try await storage.loadSpace(id: first.id)?.loadWorldMapData() == data)
  }

  @Test func `an unchanged map writes nothing`() async throws {
    let storage = localStorage(directory)
    let data = noise(3_000_000)
    let space = HBSpace(name: "Kitchen", worldMapData: data)
    try await storage.save(space)
    let size = try storage.localStorageSize()
    for _ in 0..<20 {
      try await storage.save(HBSpace(id: space.id, name: "Kitchen", worldMapData: data))
    }
    #expect(try storage.localStorageSize() == size)
    // One byte of it, and it is another.
    var other = data
    other[1_000_000] ^= 1
    try await storage.save(HBSpace(id: space.id, name: "Kitchen", worldMapData: other))
    #expect(try await storage.loadSpace(id: space.id)?.loadWorldMapData() == other)
  }

  @Test func `compression is used where it helps, and where it is wanted`() async throws {
    // Every chunk is of another byte: equal ones would be stored once.
    let data = Data((0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 / 262_144) })
    let balanced = localStorage(directory, "balanced")
    try await balanced.save(HBSpace(worldMapData: data))
    #expect(try balanced.localStorageSize() < 1_000_000)
    var config = HBStorageConfig.local(directory: directory.url("none"))
    config.compression = .none
    let none = HBStorage(config: config)
    try await none.save(HBSpace(worldMapData: data))
    #expect(try none.localStorageSize() > 8_000_000)
  }

  @Test func `a map saved on one device is loadable on another, with progress`() async throws {
    let first = lanStorage(directory, "first")
    let data = noise(5_000_000)
    var space = HBSpace(name: "Kitchen", worldMapData: data)
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first])
    var last = 0
    for await progress in second.worldMapProgress(spaceId: space.id) where progress.totalBytes > 0 {
      #expect(progress.completedBytes >= last)
      last = progress.completedBytes
      if progress.isComplete { break }
    }
    #expect(last == data.count)
    #expect(try await second.loadSpace(id: space.id) == space)
    #expect(try await second.loadSpace(id: space.id)?.loadWorldMapData() == data)
    // A new map replaces it everywhere, and its history says so.
    let newer = noise(1_000_001)
    space.worldMapData = newer
    try await first.save(space)
    #expect(
      try await eventually {
        // Until then it is the old map, which may be gone by the time that it is read.
        (try? await second.loadSpace(id: space.id)?.loadWorldMapData()) == newer
      })
    #expect(
      try await eventually {
        try await second.spaceHistory(spaceId: space.id).map(\.worldMapSize)
          == [data.count, newer.count]
      })
  }

  @Test func `a manual sync brings the map along`() async throws {
    let first = lanStorage(directory, "first")
    let data = noise(2_000_000)
    let space = HBSpace(name: "Kitchen", worldMapData: data)
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first], strategy: .manual)
    try await second.sync()
    #expect(try await second.loadSpace(id: space.id)?.loadWorldMapData() == data)
  }

  @Test func `a map outlives its storage as an error, not as a crash`() async throws {
    var storage: HBStorage? = localStorage(directory)
    let space = HBSpace(name: "Kitchen", worldMapData: noise(1_000))
    try await storage!.save(space)
    let loaded = try await storage!.loadSpace(id: space.id)!
    storage = nil
    #expect(throws: HBStorageError.self) { try loaded.loadWorldMapData() }
    #expect(loaded.worldMapData.isEmpty)
    #expect(loaded.worldMapSize == 1_000)
  }
}
