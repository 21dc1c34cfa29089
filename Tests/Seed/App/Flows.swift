// The flows of the listing's app; `.ci/seed` runs one after the other, each in a process of its own.

import Foundation
import Hyperbasis
import StandIns

extension MyARApp {
  static func main() async throws {
    switch CommandLine.arguments.dropFirst().first {
    case "place": try await place()
    case "reload": try await reload()
    case "inject": try await inject()
    default: preconditionFailure("place, reload or inject")
    }
  }

  /// The first start: no space yet; three notes, one of them deleted again.
  private static func place() async throws {
    let viewModel = ARViewModel()
    await viewModel.start()
    check(viewModel.error == nil, "the first start finds nothing and shows no error")
    for (text, x) in [("milk", 1), ("eggs", 2), ("rice", 3)] as [(String, Float)] {
      try await viewModel.placeNote(text: text, at: transform(x))
    }
    let persistence = viewModel.persistence
    check(persistence.currentSpace != nil, "the first note made a space")
    try await persistence.updateSpace(worldMap: ARWorldMap(points: 8))
    try await viewModel.deleteNote(viewModel.notes[1])
    check(viewModel.notes.map(\.text) == ["milk", "rice"], "two notes are shown")
    check(try await persistence.loadAnchors().count == 2, "two notes are kept")
    check(!persistence.isSaving && !persistence.isLoading, "nothing is under way")
    do {
      try await PersistenceManager(config: .local(directory: scratch("other")))
        .saveAnchor(viewModel.notes[0])
      check(false, "without a space nothing is saved")
    } catch PersistenceError.noActiveSpace {
      check(true, "without a space nothing is saved")
    }
  }

  /// The next start, by the app's own views.
  private static func reload() async throws {
    _ = MyARApp().body
    let content = ContentView()
    _ = content.body
    for task in Screen.tasks { await task() }
    _ = content.body
    let viewModel = content.viewModel
    check(viewModel.error == nil && !Screen.showsAlert, "the next start shows no error")
    check(
      try viewModel.persistence.currentSpace?.arWorldMap().points == 8, "the map is the last one")
    check(viewModel.notes.map(\.text) == ["milk", "rice"], "the notes are there again")
    check(viewModel.notes.map { $0.transform.columns.3.x } == [1, 3], "and where they were")
    try await viewModel.deleteNote(viewModel.notes[0])
    try await viewModel.loadNotes()
    check(viewModel.notes.map(\.text) == ["rice"], "a note that was deleted stays away")
    let all = try await viewModel.persistence.storage.loadAnchors(
      spaceId: viewModel.persistence.currentSpace!.id, includeDeleted: true)
    check(all.count == 3, "and can be brought back")
  }

  /// The listing's mock and the storage do the same for who uses them by its protocol.
  private static func inject() async throws {
    let real = HBStorage(config: .local(directory: scratch("injected")))
    for storage in [MockStorage(), real] as [any StorageProtocol] {
      let name = "\(type(of: storage))"
      let space = try HBSpace(name: "Kitchen", worldMap: ARWorldMap(points: 1))
      try await storage.save(space)
      let anchor = HBAnchor(spaceId: space.id, transform: transform(1), metadata: ["a": 1])
      try await storage.save(anchor)
      try await storage.save(HBAnchor(spaceId: UUID(), transform: transform(2)))
      check(try await storage.loadAllSpaces().first?.id == space.id, "\(name) has the space")
      check(try await storage.loadAnchors(spaceId: space.id) == [anchor], "\(name) has the anchor")
    }
  }

  private static func check(_ holds: Bool, _ what: String) {
    guard holds else {
      print("  WRONG: \(what)")
      exit(1)
    }
    print("  as it should be: \(what)")
  }

  private static func transform(_ x: Float) -> simd_float4x4 {
    var transform = matrix_identity_float4x4
    transform.columns.3.x = x
    return transform
  }

  private static func scratch(_ name: String) -> URL {
    URL(fileURLWithPath: ProcessInfo.processInfo.environment["XDG_DATA_HOME"]!)
      .appendingPathComponent(name)
  }
}
