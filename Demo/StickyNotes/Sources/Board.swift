import Foundation
import Hyperbasis

/// The notes of one space, and what a person does to them.
@MainActor final class Board {
  let manager: HBPersistenceManager
  private(set) var notes: [StickyNote] = []

  init(config: HBStorageConfig) {
    manager = HBPersistenceManager(config: config)
  }

  /// The wall that all devices share. Two that make it before they meet make the same one.
  private static let wall = UUID(uuidString: "5D0C0A7E-51C1-4E0B-9B6B-0D1F57D3A001")!

  func open() async throws {
    guard try await manager.loadSpace(id: Board.wall) == nil else { return }
    try await manager.storage.save(HBSpace(id: Board.wall, name: "Sticky notes"))
    try await manager.loadSpace(id: Board.wall)
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

  /// Edits the note as it is stored: the one that is shown may be a moment older, and would write that back.
  func change(
    _ number: Int, _ edit: @escaping @Sendable (inout StickyNote) -> Void
  ) async throws {
    guard let shown = note(number) else { return }
    try await manager.storage.update(anchorId: shown.id) { anchor in
      guard var note = StickyNote(from: anchor) else { return }
      edit(&note)
      for (key, value) in note.toMetadata() { anchor.metadata[key] = value }
    }
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
