import Foundation
import Hyperbasis
import Observation
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PersistenceManagerTests {
  let mock = MockStorage()
  let manager: HBPersistenceManager

  init() {
    manager = HBPersistenceManager(storage: mock)
  }

  @Test func `a space is made with and without a map`() async throws {
    let hall = try await manager.createSpace(name: "Hall", worldMap: RoomMap(corners: 4))
    #expect(manager.currentSpace == hall)
    #expect(try hall.worldMap(as: RoomMap.self).corners == 4)
    try await manager.updateSpace(worldMap: RoomMap(corners: 5))
    #expect(try manager.currentSpace?.worldMap(as: RoomMap.self).corners == 5)
    #expect(manager.currentSpace!.updatedAt > hall.updatedAt)
    let wall = try await manager.createSpace(name: "Wall")
    #expect(manager.currentSpace == wall)
    try await manager.createSpace()
    #expect(mock.spaces.map(\.name) == ["Hall", "Wall", nil])
    #expect(try await manager.loadSpace(id: wall.id)?.name == "Wall")
    #expect(manager.currentSpace?.id == wall.id)
    #expect(try await manager.loadSpace(id: UUID()) == nil)
    #expect(manager.currentSpace?.id == wall.id)
  }

  @Test func `without a space there is nothing to load, and nowhere to save`() async throws {
    #expect(try await manager.loadMostRecentSpace() == nil)
    #expect(try await manager.loadAnchors().isEmpty)
    let notes: [PinnedNote] = try await manager.loadAnchors()
    #expect(notes.isEmpty)
    for await _ in manager.observeAnchors() { Issue.record("there is no space") }
    for await _ in manager.observeAnchors(of: PinnedNote.self) { Issue.record("nor notes") }
    #expect(manager.lastError == nil)
    await #expect(throws: HBPersistenceError.noActiveSpace) {
      try await manager.save(PinnedNote("milk"))
    }
    #expect(manager.lastError as? HBPersistenceError == .noActiveSpace)
    manager.lastError = nil
    await #expect(throws: HBPersistenceError.noActiveSpace) {
      try await manager.updateSpace(worldMap: RoomMap(corners: 1))
    }
    await #expect(throws: HBPersistenceError.noActiveSpace) { try await manager.deleteSpace() }
    #expect(
      manager.lastError?.localizedDescription
        == "there is no space to save in; create one or load one first")
    #expect(mock.calls == [.loadAllSpaces])
  }

  @Test func `anchors and models are saved, loaded and deleted`() async throws {
    let hall = try await manager.createSpace(name: "Hall")
    let chair = HBAnchor(spaceId: hall.id, transform: at(0), metadata: ["kind": "chair"])
    try await manager.saveAnchor(chair)
    var note = PinnedNote("milk")
    try await manager.saveAnchor(note)
    note.words = "oat milk"
    try await manager.save(note)
    #expect(try await manager.loadAnchors() == [note])
    #expect(try await manager.loadAnchors().count == 2)
    try await manager.deleteAnchor(id: chair.id)
    #expect(try await manager.loadAnchors().map(\.id) == [note.id])
    try await manager.deleteSpace()
    #expect(manager.currentSpace == nil && mock.spaces.isEmpty && mock.anchors.isEmpty)
    #expect(manager.lastError == nil)
  }

  @Test func `a map that cannot be archived fails, and stays the old one`() async throws {
    await #expect(throws: HBSpaceError.self) {
      try await manager.createSpace(name: "Hall", worldMap: BadMap())
    }
    #expect(manager.lastError is HBSpaceError)
    #expect(manager.currentSpace == nil && mock.calls.isEmpty)
    let hall = try await manager.createSpace(name: "Hall", worldMap: RoomMap(corners: 4))
    await #expect(throws: HBSpaceError.self) {
      try await manager.updateSpace(worldMap: BadMap())
    }
    #expect(manager.currentSpace == hall)
  }

  @Test func `a failure is kept and thrown`() async throws {
    try await manager.createSpace(name: "Hall")
    let id = UUID()
    await #expect(throws: HBStorageError.self) { try await manager.deleteAnchor(id: id) }
    guard case HBStorageError.notFound(type: "anchor", id)? = manager.lastError else {
      Issue.record("lastError is \(String(describing: manager.lastError))")
      return
    }
    // It stays until the app has shown it.
    _ = try await manager.loadAnchors()
    #expect(manager.lastError != nil)
    manager.lastError = nil
    mock.failNext(.cloudNotConfigured, on: .deleteSpace)
    await #expect(throws: HBStorageError.self) { try await manager.deleteSpace() }
    #expect(manager.currentSpace?.name == "Hall" && manager.lastError != nil)
  }

  @Test func `what is under way shows until the last of it ended`() async throws {
    let hall = try await manager.createSpace(name: "Hall")
    let gates = [Gate(), Gate()]
    let begun = Mutex(0)
    mock.beforeEach = { call in
      guard call.operation == .saveAnchor else { return }
      let number = begun.withLock { begun in
        begun += 1
        return begun - 1
      }
      await gates[number].opened()
    }
    let ended = Mutex(0)
    let saves = (0..<2).map { _ in
      Task {
        try await manager.saveAnchor(HBAnchor(spaceId: hall.id, transform: at(0)))
        ended.withLock { $0 += 1 }
      }
    }
    #expect(try await eventually { begun.withLock { $0 } == 2 })
    #expect(manager.isSaving && !manager.isLoading)
    _ = try await manager.loadAnchors()
    #expect(manager.isSaving && !manager.isLoading)
    gates[0].open()
    #expect(try await eventually { ended.withLock { $0 } == 1 })
    #expect(manager.isSaving)
    gates[1].open()
    for save in saves { try await save.value }
    #expect(!manager.isSaving)
  }

  @Test func `a screen is told that something is under way`() async throws {
    let told = Mutex(0)
    withObservationTracking {
      _ = manager.isSaving
    } onChange: {
      told.withLock { $0 += 1 }
    }
    try await manager.createSpace(name: "Hall")
    #expect(told.withLock { $0 } == 1)
  }

  @Test func `notes are followed, a peer's too`() async throws {
    let (wall, phone) = try MockStorage.joined()
    let (here, there) = (HBPersistenceManager(storage: wall), HBPersistenceManager(storage: phone))
    try await here.createSpace(name: "Hall")
    #expect(try await eventually { try await there.loadMostRecentSpace() != nil })
    var updates = here.observeAnchors(of: PinnedNote.self).makeAsyncIterator()
    #expect(await updates.next(isolation: MainActor.shared) == [])
    let note = PinnedNote("milk")
    try await there.save(note)
    #expect(await updates.next(isolation: MainActor.shared) == [note])
    try await here.deleteAnchor(id: note.id)
    #expect(await updates.next(isolation: MainActor.shared) == [])
  }
}
