import Foundation
import Testing

@testable import Hyperbasis

/// One value in two storages: each knows for itself what it wrote.
@Suite(.timeLimit(.minutes(5))) struct TwoStorageTests {
  let first: HBStorage
  let second: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["x": 0, "y": 0])
  private let directory = PeerDirectory()

  init() {
    first = localStorage(directory, "first")
    second = localStorage(directory, "second")
  }

  @Test func `an edit that one storage wrote is written to another as well`() async throws {
    try await first.save(anchor)
    try await second.save(anchor)
    var value = try await first.loadAnchor(id: anchor.id)!
    value.metadata["x"] = 1
    value.update(transform: at(3))
    try await first.save(value)
    try await second.save(value)
    for storage in [first, second] {
      let now = try await storage.unseen(anchor)
      #expect(now.metadata == ["x": 1, "y": 0] && now.position.x == 3)
    }
    value.metadata["y"] = 2
    value.markDeleted()
    try await second.save(value)
    try await first.save(value)
    for storage in [first, second] {
      let now = try await storage.unseen(anchor)
      #expect(now.metadata == ["x": 1, "y": 2] && now.isDeleted)
    }
  }

  @Test func `a value that was saved elsewhere is still this storage's own`() async throws {
    try await first.save(anchor)
    var value = try await first.loadAnchor(id: anchor.id)!
    value.metadata["x"] = 1
    try await first.save(value)
    try await second.save(value)
    try await first.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["x": 7, "y": 7])
    try await second.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["x": 8, "y": 8])
    try await first.save(value)
    try await second.save(value)
    #expect(try await first.unseen(anchor).metadata == ["x": 7, "y": 7])
    #expect(try await second.unseen(anchor).metadata == ["x": 8, "y": 8])
  }

  @Test func `what another storage handed out is compared with this one's base`() async throws {
    try await first.save(anchor)
    try await second.save(anchor)
    try await second.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["y": 8])
    try await first.update(anchorId: anchor.id) { $0.metadata["x"] = 1 }
    try await second.save(try await first.loadAnchor(id: anchor.id)!)
    #expect(try await second.unseen(anchor).metadata == ["x": 1, "y": 8])
  }

  enum Maker: CaseIterable { case update, transaction, rollback, change, mock, list }

  @Test(arguments: Maker.allCases) func `whoever hands a value out`(_ maker: Maker) async throws {
    try await second.save(anchor)
    let mock = MockStorage(anchors: [anchor])
    let storage = maker == .mock ? mock.storage : first
    if maker != .mock { try await storage.save(anchor) }
    var changes = storage.changes(spaceId: anchor.spaceId).makeAsyncIterator()
    let id = anchor.id
    let updated = try await storage.update(anchorId: id) { $0.metadata["x"] = 1 }
    let value: HBAnchor
    switch maker {
    case .update: value = updated
    case .transaction:
      value = try await storage.transaction(spaceId: anchor.spaceId) { $0.anchor(id: id)! }
    case .rollback: value = try await storage.rollback(anchorId: id, toVersion: 2)
    case .change: value = try #require(await changes.next()?.anchors.first?.after)
    case .mock: value = mock.anchors[0]
    case .list: value = try await storage.loadAnchors(spaceId: anchor.spaceId)[0]
    }
    try await storage.elsewhere.put(id, in: anchor.spaceId, metadata: ["x": 7])
    try await storage.save(value)
    #expect(try await storage.unseen(anchor).metadata == ["x": 7, "y": 0], "nothing to write")
    try await second.save(value)
    #expect(try await second.unseen(anchor).metadata == ["x": 1, "y": 0])
  }

  @Test func `a deletion that one storage handed out is one in another`() async throws {
    try await first.save(anchor)
    try await second.save(anchor)
    try await first.deleteAnchor(id: anchor.id)
    try await second.save(try await first.loadAnchor(id: anchor.id)!)
    #expect(try await second.unseen(anchor).isDeleted)
  }

  @Test func `a space's name and map are written to each storage`() async throws {
    let space = HBSpace(name: "Kitchen", worldMapData: Data([1, 2, 3]))
    try await first.save(space)
    try await second.save(space)
    var value = try await first.loadSpace(id: space.id)!
    value.update(name: "Hall")
    value.worldMapData = Data([4])
    try await first.save(value)
    try await second.save(value)
    let now = try await second.loadSpace(id: space.id)
    #expect(now?.name == "Hall")
    #expect(try now?.loadWorldMapData() == Data([4]))
    // One that was loaded there and not edited here.
    try await first.save(HBSpace(id: space.id, name: "Attic", worldMapData: Data([5])))
    try await second.save(try await first.loadSpace(id: space.id)!)
    let last = try await second.loadSpace(id: space.id)
    #expect(last?.name == "Attic")
    #expect(try last?.loadWorldMapData() == Data([5]))
  }

  @Test func `a directory that is opened again knows what it handed out`() async throws {
    var value: HBAnchor
    do {
      let storage = localStorage(directory, "again")
      try await storage.save(anchor)
      value = try await storage.loadAnchor(id: anchor.id)!
    }
    let storage = localStorage(directory, "again")
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["y": 9])
    value.metadata["x"] = 1
    try await storage.save(value)
    #expect(try await storage.unseen(anchor).metadata == ["x": 1, "y": 9])
  }
}
