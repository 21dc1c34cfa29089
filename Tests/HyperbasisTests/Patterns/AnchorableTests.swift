import Foundation
import Hyperbasis
import Testing

@Suite(.timeLimit(.minutes(5))) struct AnchorableTests {
  let space = HBSpace(name: "Hall")

  @Test func `a model comes back as it was saved, and others are left out`() async throws {
    let storage = MockStorage(spaces: [space])
    let note = PinnedNote("milk", due: 3, at: at(1))
    try await storage.save(note, in: space.id)
    try await storage.save(
      HBAnchor(spaceId: space.id, transform: at(0), metadata: ["kind": "chair"]))
    #expect(try await storage.loadAnchors(spaceId: space.id) == [note])
    #expect(try await storage.loadAnchors(spaceId: space.id).count == 2)
    let lamps = try await storage.loadAnchors(spaceId: space.id, of: PinnedLamp.self)
    #expect(lamps.isEmpty)
  }

  @Test func `a peer's edits of unknown and of known keys survive a save`() async throws {
    var (wall, phone, note) = try await onTwoDevices(PinnedNote("milk", due: 3, at: at(1)))
    let created = try #require(try await wall.loadAnchor(id: note.id)).createdAt
    try await phone.update(anchorId: note.id) { anchor in
      anchor.metadata["seen by"] = "a later version"
      anchor.metadata["paper"] = "rose"
      anchor.update(transform: at(9))
    }
    try await until(wall, has: phone.anchors)
    note.words = "oat milk"
    try await wall.save(note, in: space.id)
    #expect(
      wall.anchors[0].metadata == [
        "kind": "pinned note", "words": "oat milk", "paper": "rose", "due": 3,
        "seen by": "a later version",
      ])
    #expect(wall.anchors[0].position.x == 9)
    #expect(wall.anchors[0].createdAt == created)
    // The base is what this storage handed out and wrote: the stale paper is still no edit.
    note.words = "soy milk"
    try await wall.save(note, in: space.id)
    #expect(wall.anchors[0].stringMetadata(forKey: "paper") == "rose")
    note.paper = .mint
    note.simdTransform = at(2)
    try await wall.save(note, in: space.id)
    #expect(wall.anchors[0].stringMetadata(forKey: "paper") == "mint")
    #expect(wall.anchors[0].position.x == 2)
    try await until(phone, has: wall.anchors)
  }

  @Test func `a key that the model makes no more is removed, one of another app is not`()
    async throws
  {
    var (wall, phone, note) = try await onTwoDevices(PinnedNote("milk", due: 3))
    try await phone.update(anchorId: note.id) { $0.metadata["due"] = 4 }
    try await phone.update(anchorId: note.id) { $0.metadata["price"] = 2.5 }
    try await until(wall, has: phone.anchors)
    note.due = nil
    try await wall.save(note, in: space.id)
    #expect(
      wall.anchors[0].metadata == [
        "kind": "pinned note", "words": "milk", "paper": "white", "price": 2.5,
      ])
    note.due = 3
    try await wall.save(note, in: space.id)
    #expect(wall.anchors[0].intMetadata(forKey: "due") == 3)
  }

  @Test func `what the model only makes up is not written`() async throws {
    let anchor = HBAnchor(
      spaceId: space.id, transform: at(0),
      metadata: ["kind": "pinned note", "words": "milk", "paper": "gold leaf"])
    let storage = MockStorage(spaces: [space], anchors: [anchor])
    var note = try await storage.loadAnchors(spaceId: space.id, of: PinnedNote.self)[0]
    #expect(note.paper == .white)
    try await storage.save(note, in: space.id)
    #expect(storage.anchors == [anchor])
    note.words = "oat milk"
    try await storage.save(note, in: space.id)
    #expect(storage.anchors[0].stringMetadata(forKey: "paper") == "gold leaf")
    #expect(storage.anchors[0].stringMetadata(forKey: "words") == "oat milk")
  }

  @Test func `a save undoes a delete of this device, not one of a peer that was only seen`()
    async throws
  {
    var (wall, phone, note) = try await onTwoDevices(PinnedNote("milk"))
    try await phone.deleteAnchor(id: note.id)
    try await until(wall, has: [])
    note.words = "oat milk"
    try await wall.save(note, in: space.id)
    #expect(wall.anchors.isEmpty)
    _ = try await wall.loadAnchors(spaceId: space.id, includeDeleted: true)
    try await wall.save(note, in: space.id)
    #expect(wall.anchors.isEmpty)
    try await wall.deleteAnchor(id: note.id)
    try await wall.save(note, in: space.id)
    #expect(try await wall.loadAnchors(spaceId: space.id) == [note])
  }

  @Test func `without a base all of the model is written and nothing removed`() async throws {
    let anchor = HBAnchor(
      spaceId: space.id, transform: at(0), metadata: ["due": 3, "price": 2.5])
    let storage = MockStorage(spaces: [space], anchors: [anchor])
    try await storage.save(PinnedNote("milk", at: at(4), id: anchor.id), in: space.id)
    #expect(
      storage.anchors[0].metadata == [
        "kind": "pinned note", "words": "milk", "paper": "white", "due": 3, "price": 2.5,
      ])
    #expect(storage.anchors[0].position.x == 4)
    #expect(storage.anchors[0].createdAt == anchor.createdAt)
  }

  @Test @MainActor func `a model of the main actor is saved and observed`() async throws {
    let storage: any HBStorageProtocol = MockStorage(spaces: [space])
    let lamp = PinnedLamp(watts: 40)
    try await storage.save(lamp, in: space.id)
    lamp.watts = 60
    try await storage.save(lamp, in: space.id)
    let lamps: [PinnedLamp] = try await storage.loadAnchors(spaceId: space.id)
    #expect(lamps.map(\.watts) == [60])
    for await lamps in storage.anchors(spaceId: space.id, of: PinnedLamp.self) {
      #expect(lamps.map(\.id) == [lamp.id])
      break
    }
  }

  /// Two devices that have the note; the first has handed out what it saved, and no more.
  private func onTwoDevices(
    _ note: PinnedNote
  ) async throws -> (MockStorage, MockStorage, PinnedNote) {
    let (wall, phone) = try MockStorage.joined()
    try await wall.save(space)
    try await wall.save(note, in: space.id)
    try await until(phone, has: wall.anchors)
    return (wall, phone, note)
  }

  /// Waits until a storage has these anchors; it does not hand them out by that.
  private func until(_ storage: MockStorage, has anchors: [HBAnchor]) async throws {
    #expect(try await eventually { storage.anchors == anchors })
  }
}
