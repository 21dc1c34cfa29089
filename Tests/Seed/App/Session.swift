// What the listing takes for granted of its app.

import StandIns

@MainActor
final class ARSessionManager: ObservableObject {
  @Published var isRelocalized = false
  /// The map that the session was given.
  private(set) var map: ARWorldMap?

  func start() {}

  func relocalize(with map: ARWorldMap) {
    self.map = map
    Task { isRelocalized = true }
  }

  func getCurrentWorldMap() async throws -> ARWorldMap {
    ARWorldMap(points: 7)
  }
}

struct ARViewContainer: Leaf {}

struct ToolbarView: Leaf {}
