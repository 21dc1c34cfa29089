import Foundation
import Hyperbasis
import Testing

@Suite(.timeLimit(.minutes(5))) struct LANStorageTests {
  let directory = PeerDirectory()

  @Test func `a second device that only listens sees everything`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first])
    var arrays = second.anchors(spaceId: space.id).makeAsyncIterator()
    #expect(await arrays.next() == [])
    let note = HBAnchor(spaceId: space.id, transform: at(1), metadata: ["text": "Milk"])
    try await first.save(note)
    var seen = await arrays.next()
    while seen?.isEmpty == true { seen = await arrays.next() }
    #expect(seen == [note])
    #expect(try await second.loadAllSpaces() == [space])
  }

  @Test func `a deleted space stays deleted everywhere`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    try await first.save(HBAnchor(spaceId: space.id, transform: at(1)))
    let second = lanStorage(directory, "second", dialling: [first])
    #expect(try await eventually { try await second.loadAnchors(spaceId: space.id).count == 1 })
    try await first.deleteSpace(id: space.id)
    #expect(try await eventually { try await second.loadAllSpaces().isEmpty })
    #expect(try await second.loadAnchors(spaceId: space.id).isEmpty)
    var stale = space
    stale.update(name: "stale")
    await #expect(throws: HBStorageError.self) { try await second.save(stale) }
    await #expect(throws: HBStorageError.self) {
      try await second.save(HBAnchor(spaceId: space.id, transform: at(1)))
    }
  }

  @Test func `manual storages meet in sync, and only there`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first], strategy: .manual)
    #expect(second.pendingOperationCount == 0)
    let mine = HBAnchor(spaceId: space.id, transform: at(2))
    try await second.save(mine)
    #expect(second.pendingOperationCount == 1)
    #expect(try await second.loadAllSpaces().isEmpty)
    try await second.sync()
    #expect(try await second.loadAllSpaces() == [space])
    #expect(try await first.loadAnchors(spaceId: space.id) == [mine])
    #expect(second.pendingOperationCount == 0)
    #expect(second.port == nil)
    // The histories came along.
    let timeline = try await first.timeline(spaceId: space.id)
    #expect(timeline.events.count == 1)
    #expect(try await second.timeline(spaceId: space.id) == timeline)
    #expect(try await second.spaceHistory(spaceId: space.id).count == 1)
    try await first.save(HBAnchor(spaceId: space.id, transform: at(3)))
    #expect(try await second.loadAnchors(spaceId: space.id).count == 1)
    try await second.sync()
    #expect(try await second.loadAnchors(spaceId: space.id).count == 2)
  }

  @Test func `syncs that cannot be`() async throws {
    await #expect { try await localStorage(directory).sync() } throws: { error in
      if case HBStorageError.cloudNotConfigured = error { true } else { false }
    }
    let alone = lanStorage(directory, "alone", strategy: .manual)
    await #expect { try await alone.sync() } throws: { error in
      guard case HBStorageError.cloudSyncFailed(let cause) = error else { return false }
      return cause as? HBNetworkFailure == .noPeers
    }
    let astray = HBStorage(
      config: .lan(
        deviceName: "astray", directory: URL(fileURLWithPath: directory.path("astray")),
        knownPeers: ["127.0.0.1:1"], discovery: false))
    await #expect { try await astray.sync() } throws: { error in
      guard case HBStorageError.cloudSyncFailed(let cause) = error,
        case .notReached(let reason)? = cause as? HBNetworkFailure
      else { return false }
      return reason.contains("127.0.0.1:1")
    }
  }

  @Test func `edits made while suspended arrive after resuming`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first])
    #expect(try await eventually { try await second.loadAllSpaces().count == 1 })
    await second.suspend()
    #expect(second.port == nil)
    let note = HBAnchor(spaceId: space.id, transform: at(1))
    try await second.save(note)
    let other = HBAnchor(spaceId: space.id, transform: at(2))
    try await first.save(other)
    #expect(try await first.loadAnchors(spaceId: space.id) == [other])
    try await second.resume()
    #expect(try await eventually { try await first.loadAnchors(spaceId: space.id).count == 2 })
    #expect(try await eventually { try await second.loadAnchors(spaceId: space.id).count == 2 })
  }

  @Test func `a cleared storage is a new author and stays without what it left`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first])
    #expect(try await eventually { try await second.loadAllSpaces().count == 1 })
    var changes = second.changes(spaceId: space.id).makeAsyncIterator()
    try await second.save(HBAnchor(spaceId: space.id, transform: at(1)))
    _ = await changes.next()
    let author = try second.actorId
    let size = try second.localStorageSize()
    try second.clearLocalStorage()
    #expect(try second.actorId != author)
    #expect(try second.localStorageSize() <= size)
    let gone = await changes.next()
    #expect(gone?.anchors.map(\.isDeleted) == [true])
    #expect(gone?.space?.after == nil)
    #expect(try await second.loadAllSpaces().isEmpty)
    let other = HBSpace(name: "Hall")
    try await first.save(other)
    #expect(try await eventually { try await second.loadAllSpaces() == [other] })
    try await second.joinSpace(id: space.id)
    #expect(try await eventually { try await second.loadAnchors(spaceId: space.id).count == 1 })
    #expect(try await first.loadAnchors(spaceId: space.id).count == 1)
  }
}
