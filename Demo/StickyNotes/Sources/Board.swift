import Foundation
import Hyperbasis

/// The notes of one space, and what a person does to them.
@MainActor final class Board {
  let manager: HBPersistenceManager
  private(set) var notes: [StickyNote] = []

  init(config: HBStorageConfig) {
    manager = HBPersistenceManager(config: config)
  }

  /// Takes the space that was used last, or the one a peer has, or makes one.
  func open(waitingForPeers wait: Duration) async throws {
    let deadline = ContinuousClock.now + wait
    while try await manager.loadMostRecentSpace() == nil {
      guard ContinuousClock.now < deadline else {
        _ = try await manager.createSpace(name: "Sticky notes")
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Calls `show` with all notes, now and whenever somebody changes one; returns when the storage ends.
  func follow(_ show: ([StickyNote]) -> Void) async {
    guard let space = manager.currentSpace else { return }
    for await anchors in manager.storage.anchors(spaceId: space.id) {
      notes = anchors.compactMap(StickyNote.init)
      show(notes)
    }
  }

  func add(_ text: String) async throws {
    var place = matrix_identity_float4x4
    place.columns.3 = SIMD4(Float(notes.count) * 0.2, 1.5, -1, 1)  // metres, side by side
    try await manager.save(StickyNote(text: text, color: .yellow, at: place))
  }

  func change(_ number: Int, _ edit: (inout StickyNote) -> Void) async throws {
    guard var note = note(number) else { return }
    edit(&note)
    try await manager.save(note)
  }

  func remove(_ number: Int) async throws {
    guard let note = note(number) else { return }
    try await manager.deleteAnchor(id: note.id)
  }

  /// Notes are numbered from 1, as they are shown.
  func note(_ number: Int) -> StickyNote? {
    notes.indices.contains(number - 1) ? notes[number - 1] : nil
  }
}
