import Foundation
import Hyperbasis
import Testing

/// The flows of an app, as its own tests would have them.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct NoteBoardTests {
  let directory = PeerDirectory()
  let room = HBSpace(name: "Room")

  @Test func `notes are there again after a start`() async throws {
    do {
      let board = NoteBoard(storage: localStorage(directory))
      await board.start()
      #expect(board.isInPlace && board.notes.isEmpty)
      await board.pin("milk", at: at(1))
      await board.pin("eggs", at: at(2))
      await board.pin("rice", at: at(3))
      await board.rewrite(board.notes[0], "oat milk")
      await board.takeDown(board.notes[1])
      board.session.cornersSeen = 5
      await board.rememberRoom()
      #expect(board.message == nil)
    }
    let board = NoteBoard(storage: localStorage(directory))
    await board.start()
    #expect(board.message == nil)
    #expect(board.notes.map(\.words) == ["oat milk", "rice"])
    #expect(board.notes.map(\.simdTransform) == [at(1), at(3)])
    #expect(board.persistence.currentSpace?.name == "Room")
    #expect(board.session.initialMap?.corners == 5)
  }

  @Test func `the room that changed last is taken up`() async throws {
    let old = HBSpace(name: "Old", createdAt: Date(timeIntervalSince1970: 1))
    let recent = HBSpace(
      name: "Recent", createdAt: Date(timeIntervalSince1970: 0),
      updatedAt: Date(timeIntervalSince1970: 2))
    let mock = MockStorage(
      spaces: [old, recent],
      anchors: [
        HBAnchor(spaceId: recent.id, transform: at(0), metadata: PinnedNote("a").toMetadata())
      ])
    let board = NoteBoard(storage: mock)
    await board.start()
    #expect(board.persistence.currentSpace?.id == recent.id)
    #expect(board.notes.map(\.words) == ["a"])
    #expect(
      mock.calls == [
        .loadAllSpaces, .loadAnchors(spaceId: recent.id, includeDeleted: false),
      ])
  }

  @Test func `what a screen asks for is what the storage is asked`() async throws {
    let mock = MockStorage(spaces: [room])
    let board = NoteBoard(storage: mock)
    await board.start()
    mock.clearCalls()
    await board.pin("milk", at: at(1))
    let note = board.notes[0]
    await board.takeDown(note)
    #expect(mock.calls.map(\.operation) == [.saveAnchor, .deleteAnchor])
    guard case .saveAnchor(let anchor) = mock.calls[0] else { return }
    #expect(anchor.id == note.id && anchor.metadata == note.toMetadata())
    #expect(mock.calls[1] == .deleteAnchor(id: note.id))
    #expect(mock.anchors.isEmpty)
  }

  /// How a screen comes to an operation, and what it shows when that fails.
  enum Step: CaseIterable, Sendable {
    case start, load, create, pin, rewrite, takeDown, remember

    var operation: MockStorage.Operation {
      switch self {
      case .start: .loadAllSpaces
      case .load: .loadAnchors
      case .create, .remember: .saveSpace
      case .pin, .rewrite: .saveAnchor
      case .takeDown: .deleteAnchor
      }
    }
  }

  @Test(arguments: Step.allCases)
  func `each operation that fails leaves the screen as it was`(step: Step) async throws {
    let pinned = HBAnchor(
      spaceId: room.id, transform: at(0), metadata: PinnedNote("milk").toMetadata())
    let mock =
      step == .create ? MockStorage() : MockStorage(spaces: [room], anchors: [pinned])
    let board = NoteBoard(storage: mock)
    if step != .start && step != .load { await board.start() }
    let (notes, space) = (board.notes, board.persistence.currentSpace)
    let (spaces, anchors) = (mock.spaces, mock.anchors)
    let full = HBStoreFailure.full(path: "/data")
    mock.failNext(.fileOperationFailed(underlying: full), on: step.operation)
    switch step {
    case .start, .load: await board.start()
    case .create, .pin: await board.pin("eggs", at: at(1))
    case .rewrite: await board.rewrite(board.notes[0], "oat milk")
    case .takeDown: await board.takeDown(board.notes[0])
    case .remember: await board.rememberRoom()
    }
    #expect(board.message == "no space is left for the store '/data'; free some and try again")
    #expect(board.persistence.lastError is HBStorageError)
    #expect(board.notes == notes)
    #expect(board.persistence.currentSpace == (step == .load ? room : space))
    #expect(mock.spaces == spaces && mock.anchors == anchors)
    #expect(!board.persistence.isSaving && !board.persistence.isLoading)
    // The storage is well again, and so is the screen.
    await board.start()
    await board.pin("rice", at: at(1))
    #expect(board.message == nil)
    #expect(board.notes.map(\.words) == (step == .create ? ["rice"] : ["milk", "rice"]))
  }

  @Test func `a session that saw nothing makes no room`() async throws {
    let mock = MockStorage()
    let board = NoteBoard(storage: mock)
    board.session.cornersSeen = 0
    await board.pin("milk", at: at(0))
    #expect(board.message != nil)
    #expect(mock.calls.isEmpty)
  }
}
