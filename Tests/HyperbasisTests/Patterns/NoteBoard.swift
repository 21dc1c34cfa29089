import Foundation
import Hyperbasis
import Observation

/// The view model of an app that pins notes to the walls of a room.
@MainActor
@Observable
final class NoteBoard {
  let session: RoomSession
  let persistence: HBPersistenceManager
  private(set) var notes: [PinnedNote] = []
  private(set) var isInPlace = false
  /// What is shown to the user.
  var message: String?

  init(persistence: HBPersistenceManager, session: RoomSession = RoomSession()) {
    (self.persistence, self.session) = (persistence, session)
  }

  convenience init(storage: any HBStorageProtocol) {
    self.init(persistence: HBPersistenceManager(storage: storage))
  }

  /// Takes up the room that was used last, and shows its notes once the session knows where it is.
  func start() async {
    await showingErrors {
      let room = try await persistence.loadMostRecentSpace()
      let map = try room.flatMap { try $0.worldMapSize > 0 ? $0.worldMap(as: RoomMap.self) : nil }
      session.begin(with: map)
      for await tracking in session.tracking where tracking == .normal { break }
      isInPlace = true
      notes = try await persistence.loadAnchors()
    }
  }

  func pin(_ words: String, at place: simd_float4x4) async {
    await showingErrors {
      if persistence.currentSpace == nil {
        try await persistence.createSpace(name: "Room", worldMap: try await session.captureMap())
      }
      let note = PinnedNote(words, at: place)
      try await persistence.save(note)
      notes.append(note)
    }
  }

  func rewrite(_ note: PinnedNote, _ words: String) async {
    await showingErrors {
      var note = note
      note.words = words
      try await persistence.saveAnchor(note)
      notes = notes.map { $0.id == note.id ? note : $0 }
    }
  }

  func takeDown(_ note: PinnedNote) async {
    await showingErrors {
      try await persistence.deleteAnchor(id: note.id)
      notes.removeAll { $0.id == note.id }
    }
  }

  func rememberRoom() async {
    await showingErrors {
      try await persistence.updateSpace(worldMap: try await session.captureMap())
    }
  }

  private func showingErrors(_ body: () async throws -> Void) async {
    message = nil
    do { try await body() } catch { message = "\(error.localizedDescription)" }
  }
}
