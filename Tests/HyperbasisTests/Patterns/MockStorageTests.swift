import Foundation
import Hyperbasis
import Testing

@Suite(.timeLimit(.minutes(5))) struct MockStorageTests {
  let space = HBSpace(name: "Hall")

  private func chair(_ x: Float = 0) -> HBAnchor {
    HBAnchor(spaceId: space.id, transform: at(x), metadata: ["kind": "chair"])
  }

  @Test func `it holds what it is given, without a call`() async throws {
    var gone = chair(2)
    gone.markDeleted()
    let chair = chair(1)
    let mock = MockStorage(spaces: [space], anchors: [chair, gone])
    #expect(mock.spaces == [space])
    #expect(mock.anchors == [chair])
    #expect(mock.calls.isEmpty)
    #expect(try await mock.loadAllSpaces() == [space])
    #expect(try await mock.loadAnchors(spaceId: space.id, includeDeleted: true) == [gone, chair])
    #expect(
      mock.calls == [.loadAllSpaces, .loadAnchors(spaceId: space.id, includeDeleted: true)])
  }

  @Test func `a space that it is given has its world map`() async throws {
    let hall = try HBSpace(name: "Hall", worldMap: RoomMap(corners: 6))
    let mock = MockStorage(spaces: [hall, space])
    #expect(mock.spaces == [space, hall].sorted { $0.createdAt < $1.createdAt })
    var loaded = try #require(try await mock.loadSpace(id: hall.id))
    #expect(try loaded.worldMap(as: RoomMap.self).corners == 6)
    try loaded.update(worldMap: RoomMap(corners: 7))
    try await mock.save(loaded)
    #expect(try await mock.loadSpace(id: hall.id) == loaded)
    for await progress in mock.worldMapProgress(spaceId: hall.id) where progress.isComplete {
      #expect(progress.totalBytes == loaded.worldMapSize)
      break
    }
  }

  @Test func `it writes no file and shares with nobody`() async throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: ".")
    let (first, second) = (MockStorage(), MockStorage())
    try await first.save(space)
    try await first.save(chair())
    #expect(try await second.loadAllSpaces() == [])
    #expect(try first.localStorageSize() > 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: ".") == before)
    #expect(!FileManager.default.fileExists(atPath: "/memory"))
    try first.clearLocalStorage()
    #expect(first.spaces.isEmpty && first.anchors.isEmpty)
    try await first.save(space)
    #expect(first.spaces == [space])
  }

  @Test func `a failure meets the next call of its operation, and nothing happens`() async throws {
    let mock = MockStorage(spaces: [space])
    mock.failNext(.downloadFailed, on: .saveAnchor, .deleteAnchor)
    mock.failNext(.compressionFailed)
    let chair = chair()
    // The second failure is for any call; the first in line that fits is taken.
    await #expect(throws: HBStorageError.self) { try await mock.loadAllSpaces() }
    #expect(try await mock.loadAllSpaces() == [space])
    let error = await #expect(throws: HBStorageError.self) { try await mock.save(chair) }
    guard case .downloadFailed? = error else { throw error! }
    #expect(mock.anchors.isEmpty)
    try await mock.save(chair)
    #expect(mock.anchors == [chair])
    #expect(
      mock.calls.map(\.operation) == [.loadAllSpaces, .loadAllSpaces, .saveAnchor, .saveAnchor])
  }

  @Test func `failures last, are decided for each call, and end`() async throws {
    let (chair, other) = (chair(1), chair(2))
    let mock = MockStorage(spaces: [space], anchors: [chair, other])
    mock.fail(always: .cloudNotConfigured, on: .sync, .resume)
    mock.failures = { call in
      call == .deleteAnchor(id: chair.id) ? .notFound(type: "anchor", id: chair.id) : nil
    }
    for _ in 0..<2 {
      await #expect(throws: HBStorageError.self) { try await mock.resume() }
      await #expect(throws: HBStorageError.self) { try await mock.deleteAnchor(id: chair.id) }
    }
    try await mock.deleteAnchor(id: other.id)
    mock.failNoMore()
    try await mock.resume()
    try await mock.deleteAnchor(id: chair.id)
    #expect(mock.anchors.isEmpty)
    mock.clearCalls()
    #expect(mock.calls.isEmpty)
  }

  @Test(arguments: MockStorage.Operation.allCases)
  func `every operation that can fail does`(operation: MockStorage.Operation) async throws {
    let mock = MockStorage(spaces: [space])
    mock.fail(always: .uploadFailed(underlying: CancellationError()), on: operation)
    var failed: [MockStorage.Operation] = []
    for candidate in MockStorage.Operation.allCases {
      do { try await ask(mock, candidate) } catch HBStorageError.uploadFailed {
        failed.append(candidate)
      } catch {
        // A call that has nothing to work on, such as an unknown id.
      }
    }
    #expect(mock.calls.map(\.operation) == MockStorage.Operation.allCases)
    #expect(failed == (operation == .suspend ? [] : [operation]))
  }

  private func ask(_ mock: MockStorage, _ operation: MockStorage.Operation) async throws {
    let id = UUID()
    switch operation {
    case .open: try await mock.open()
    case .saveSpace: try await mock.save(space)
    case .loadSpace: _ = try await mock.loadSpace(id: id)
    case .loadAllSpaces: _ = try await mock.loadAllSpaces()
    case .deleteSpace: try await mock.deleteSpace(id: id)
    case .joinSpace: try await mock.joinSpace(id: id)
    case .offeredSpaces: _ = try await mock.offeredSpaces()
    case .saveAnchor: try await mock.save(PinnedNote("milk"), in: space.id)
    case .loadAnchors: _ = try await mock.loadAnchors(spaceId: id)
    case .loadAnchor: _ = try await mock.loadAnchor(id: id)
    case .deleteAnchor: try await mock.deleteAnchor(id: id)
    case .purgeDeletedAnchors: try await mock.purgeDeletedAnchors(before: .distantPast)
    case .updateAnchor: try await mock.update(anchorId: id) { _ in }
    case .transaction: try await mock.transaction(spaceId: space.id) { _ in }
    case .timeline: _ = try await mock.timeline(spaceId: id)
    case .anchorsAt: _ = try await mock.anchorsAt(spaceId: id, date: .now)
    case .diff: _ = try await mock.diff(spaceId: id, from: .now, to: .now)
    case .history: _ = try await mock.history(anchorId: id)
    case .spaceHistory: _ = try await mock.spaceHistory(spaceId: id)
    case .rollback: try await mock.rollback(anchorId: id, toVersion: 1)
    case .sync: try await mock.sync()
    case .suspend: await mock.suspend()
    case .resume: try await mock.resume()
    case .clearLocalStorage: try mock.clearLocalStorage()
    case .localStorageSize: _ = try mock.localStorageSize()
    }
  }

  @Test func `calls are held up as long as a test wants`() async throws {
    let mock = MockStorage()
    let gate = Gate()
    mock.delay(.milliseconds(20), on: .loadAllSpaces)
    mock.beforeEach = { call in if call.operation == .saveSpace { await gate.opened() } }
    let save = Task { try await mock.save(space) }
    #expect(try await eventually { !mock.calls.isEmpty })
    let start = ContinuousClock.now
    #expect(try await mock.loadAllSpaces() == [])
    #expect(ContinuousClock.now - start >= .milliseconds(20))
    gate.open()
    try await save.value
    #expect(mock.spaces == [space])
    #expect(mock.calls == [.saveSpace(space), .loadAllSpaces])
  }

  @Test func `it has a history`() async throws {
    let mock = MockStorage(spaces: [space])
    var chair = chair(1)
    try await mock.save(chair)
    chair.update(transform: at(2))
    try await mock.save(chair)
    #expect(try await mock.history(anchorId: chair.id).map(\.type) == [.created, .moved])
    #expect(try await mock.rollback(anchorId: chair.id, toVersion: 1).position.x == 1)
    #expect(mock.anchors[0].position.x == 1)
    #expect(try await mock.timeline(spaceId: space.id).events.count >= 3)
  }

  @Test func `two that are joined are in step`() async throws {
    let (wall, phone) = try MockStorage.joined()
    try await wall.save(space)
    #expect(try await eventually { phone.spaces == [space] })
    let chair = chair()
    try await phone.save(chair)
    #expect(try await eventually { wall.anchors == [chair] })
    for await peers in wall.peers where !peers.isEmpty {
      #expect(peers.map(\.name) == ["second"])
      break
    }
  }
}
