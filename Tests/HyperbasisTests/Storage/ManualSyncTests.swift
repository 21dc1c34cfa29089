import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// What is known of peers while the network is off.
@Suite(.timeLimit(.minutes(5))) struct ManualSyncTests {
  let directory = PeerDirectory()

  private func picky(_ strategy: HBSyncStrategy, dialling other: HBStorage) async throws
    -> HBStorage
  {
    try await other.open()
    return HBStorage(
      config: .lan(
        deviceName: "picky", directory: directory.url("picky"),
        knownPeers: ["127.0.0.1:\(other.port!)"], discovery: false, joinsOfferedSpaces: false,
        syncStrategy: strategy))
  }

  @Test func `what peers offered in a sync can be seen and joined after it`() async throws {
    let first = lanStorage(directory, "first")
    let spaces = [HBSpace(name: "Kitchen"), HBSpace(name: "Hall")]
    for space in spaces {
      try await first.save(space)
      try await first.save(HBAnchor(spaceId: space.id, transform: at(1)))
    }
    let second = try await picky(.manual, dialling: first)
    #expect(try await second.offeredSpaces().isEmpty)
    try await second.sync()
    #expect(second.port == nil)
    let offered = spaces.map(\.id).sorted { $0.uuidString < $1.uuidString }
    #expect(try await second.offeredSpaces() == offered)
    try await second.joinSpace(id: spaces[0].id)
    #expect(try await second.offeredSpaces() == [spaces[1].id])
    try await second.sync()
    #expect(try await second.loadAllSpaces().map(\.id) == [spaces[0].id])
    #expect(try await second.loadAnchors(spaceId: spaces[0].id).count == 1)
    #expect(try await second.offeredSpaces() == [spaces[1].id])
    // What is offered is what was in the last sync.
    await first.suspend()
    await #expect(throws: HBStorageError.self) { try await second.sync() }
    #expect(try await second.offeredSpaces().isEmpty)
  }

  /// Each goes off the network when it is done, whoever is first.
  @Test func `what another manual device offered is there after it left`() async throws {
    let first = lanStorage(directory, "first", strategy: .manual)
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    async let one: Void = first.sync()
    #expect(try await eventually { first.port != nil })
    let second = HBStorage(
      config: .lan(
        deviceName: "picky", directory: directory.url("picky"),
        knownPeers: ["127.0.0.1:\(first.port!)"], discovery: false, joinsOfferedSpaces: false,
        syncStrategy: .manual))
    try await second.sync()
    try await one
    #expect(first.port == nil && second.port == nil)
    #expect(try await second.offeredSpaces() == [space.id])
  }

  @Test func `while the network is on connected peers count`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    let second = try await picky(.onSave, dialling: first)
    #expect(try await eventually { try await second.offeredSpaces() == [space.id] })
    await first.suspend()
    #expect(try await eventually { try await second.offeredSpaces().isEmpty })
    try await first.resume()
    #expect(try await eventually { try await second.offeredSpaces() == [space.id] })
    await second.suspend()
    #expect(try await second.offeredSpaces() == [space.id])
  }

  @Test func `what is to be sent is counted also after the storage got another id`() async throws {
    let first = lanStorage(directory, "first")
    try await first.open()
    let second = lanStorage(directory, "second", dialling: [first], strategy: .manual)
    let space = HBSpace(name: "Kitchen")
    try await second.save(space)
    try await second.save(HBAnchor(spaceId: space.id, transform: at(1)))
    #expect(second.pendingOperationCount == 2)
    try await second.repair()
    #expect(second.pendingOperationCount == 2)
    try await second.save(HBAnchor(spaceId: space.id, transform: at(2)))
    #expect(second.pendingOperationCount == 3)
    try await second.sync()
    #expect(second.pendingOperationCount == 0)
    try second.clearLocalStorage()
    #expect(second.pendingOperationCount == 0)
  }

  @Test func `a repair keeps the port that peers know`() async throws {
    let storage = lanStorage(directory, "a")
    try await storage.open()
    let port = try #require(storage.port)
    try await storage.repair()
    #expect(storage.port == port)
  }

  @Test func `an address that is not reached is told to late readers as well`() async throws {
    let storage = HBStorage(
      config: .lan(
        directory: directory.url("a"), knownPeers: ["127.0.0.1:1"], discovery: false))
    let told = await first(of: storage.notices)
    #expect(told?.hasSuffix("; trying again") == true)
    #expect(await first(of: storage.notices) == told)
  }

  @Test func `no more offers are kept than spaces can be held`() async throws {
    let storage = lanStorage(directory, "a", strategy: .manual)
    let count = try await storage.turn { loop throws(HBStorageError) in
      for _ in 0..<5_000 { loop.note(offer: SpaceID(UUID())) }
      return loop.offersWhenLastOn.count
    }
    #expect(count == Limits.spaces)
  }
}
