import Foundation
import Hyperbasis
import Testing

/// A program that uses every public name of the SDK that apps were written for, as they write it;
/// `.supabase` alone is gone.
///
/// The files of this name stand on nothing but what is public, and `.ci/snippets` compiles them in a
/// package of their own as well.
@Suite(.timeLimit(.minutes(5))) final class SDKSurfaceTests: Sendable {
  /// Empty at first, and removed at the end.
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("hyperbasis-surface-\(UUID().uuidString)")

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  /// A storage of this device only.
  func makeStorage() -> HBStorage {
    HBStorage(config: .local(directory: directory))
  }

  /// A transform at a place.
  func place(_ x: Float, _ y: Float = 0, _ z: Float = 0) -> simd_float4x4 {
    var transform = matrix_identity_float4x4
    transform.columns.3 = SIMD4<Float>(x, y, z, 1)
    return transform
  }
}

/// What ARKit gives where there is ARKit.
final class ARWorldMap: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let points: Int

  init(points: Int) {
    self.points = points
  }

  init?(coder: NSCoder) {
    points = coder.decodeInteger(forKey: "points")
  }

  func encode(with coder: NSCoder) {
    coder.encode(points, forKey: "points")
  }
}

/// What the library has itself where there is ARKit.
extension HBSpace {
  func arWorldMap() throws -> ARWorldMap {
    try worldMap(as: ARWorldMap.self)
  }

  static func deserialize(worldMapData data: Data) throws -> ARWorldMap {
    try deserialize(worldMapData: data, as: ARWorldMap.self)
  }
}

/// Every member of `HBStorage` with the SDK's signature, as an app's protocol asks for it.
private protocol SDKStorage: AnyObject {
  var config: HBStorageConfig { get }
  var isCloudEnabled: Bool { get }
  var pendingOperationCount: Int { get }
  init(config: HBStorageConfig)
  func save(_ space: HBSpace) async throws
  func loadSpace(id: UUID) async throws -> HBSpace?
  func loadAllSpaces() async throws -> [HBSpace]
  func deleteSpace(id: UUID) async throws
  func save(_ anchor: HBAnchor) async throws
  func loadAnchors(spaceId: UUID) async throws -> [HBAnchor]
  func loadAnchors(spaceId: UUID, includeDeleted: Bool) async throws -> [HBAnchor]
  func loadAnchor(id: UUID) async throws -> HBAnchor?
  func deleteAnchor(id: UUID) async throws
  func purgeDeletedAnchors(before: Date) async throws
  func sync() async throws
  func clearLocalStorage() throws
  func localStorageSize() throws -> Int
  func timeline(spaceId: UUID) async throws -> HBTimeline
  func anchorsAt(spaceId: UUID, date: Date) async throws -> [HBAnchor]
  func diff(spaceId: UUID, from: Date, to: Date) async throws -> HBDiff
  func history(anchorId: UUID) async throws -> [HBAnchorEvent]
  func rollback(anchorId: UUID, toVersion: Int) async throws -> HBAnchor
}

extension HBStorage: SDKStorage {}

// MARK: Where an app's own types and closures meet the storage's

extension SDKSurfaceTests {
  /// A storage behind an app's own protocol.
  @Test func aStorageIsAnAppsProtocol() async throws {
    let storage: any SDKStorage = makeStorage()
    let space = HBSpace(
      id: UUID(), name: "Kitchen", worldMapData: Data(), createdAt: Date(), updatedAt: Date())
    try await storage.save(space)
    #expect(try await storage.loadAllSpaces().map(\.id) == [space.id])
    #expect(try await storage.loadAnchors(spaceId: space.id).isEmpty)
  }

  /// Methods that are kept as functions.
  @Test func methodsAreFunctions() async throws {
    let storage = makeStorage()
    let saveSpace: (HBSpace) async throws -> Void = storage.save
    let saveAnchor: (HBAnchor) async throws -> Void = storage.save
    let load: (UUID) async throws -> HBAnchor? = storage.loadAnchor(id:)
    let loadAll: @Sendable (UUID, Bool) async throws -> [HBAnchor] =
      storage.loadAnchors(spaceId:includeDeleted:)
    let clear: () throws -> Void = storage.clearLocalStorage
    let size: () throws -> Int = storage.localStorageSize
    let rollback = storage.rollback(anchorId:toVersion:)
    let space = HBSpace(
      id: UUID(), name: "Kitchen", worldMapData: Data(), createdAt: Date(), updatedAt: Date())
    let anchor = HBAnchor(spaceId: space.id, transform: place(1))
    try await saveSpace(space)
    try await saveAnchor(anchor)
    #expect(try await load(anchor.id)?.id == anchor.id)
    #expect(try await rollback(anchor.id, 1).id == anchor.id)
    #expect(try await loadAll(space.id, false).count == 1)
    #expect(try size() > 0)
    try clear()
    #expect(try await loadAll(space.id, true).isEmpty)
  }

  /// Calls in closures, tasks and groups that may throw anything.
  @Test func callsStandInAnyClosure() async throws {
    let storage = makeStorage()
    let space = HBSpace(
      id: UUID(), name: nil, worldMapData: Data(), createdAt: Date(), updatedAt: Date())
    try await Task { try await storage.save(space) }.value
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<4 {
        let anchor = HBAnchor(spaceId: space.id, transform: place(Float(index)))
        group.addTask { try await storage.save(anchor) }
      }
      try await group.waitForAll()
    }
    async let anchors = storage.loadAnchors(spaceId: space.id)
    async let spaces = storage.loadAllSpaces()
    #expect(try await (anchors.count, spaces.count) == (4, 1))
    func attempt(_ body: () async throws -> Void) async -> (any Error)? {
      do { try await body() } catch { return error }
      return nil
    }
    let error = await attempt {
      try await storage.deleteAnchor(id: UUID())
      try await storage.save(space)
    }
    #expect(error is HBStorageError)
    let size = (try? storage.localStorageSize()) ?? 0
    #expect(size > 0)
  }

  /// The ways in which apps catch, some cases only included: with typed throws in the signatures the
  /// compiler of Swift 6.3 crashed on the last.
  @Test func errorsAreCaughtAsBefore() async throws {
    let storage = makeStorage()
    let id = UUID()
    do {
      try await Task.sleep(for: .zero)
      try await storage.deleteAnchor(id: id)
      Issue.record("it does not throw")
    } catch let error as HBStorageError {
      guard case .notFound(type: "anchor", id: id) = error else { throw error }
    } catch {
      throw error
    }
    func someCases() async throws {
      do {
        try await storage.deleteAnchor(id: id)
      } catch HBStorageError.cloudNotConfigured {
        Issue.record("\([1, 2].map { $0 + 1 })")
      } catch HBStorageError.notFound(let type, _) {
        #expect(["anchor"].contains { $0 == type })
      }
    }
    try await someCases()
    do {
      try await storage.deleteAnchor(id: id)
    } catch HBStorageError.notFound(let type, let missing) {
      #expect(type == "anchor" && missing == id)
    } catch {
      throw error
    }
    do {
      try await storage.sync()
    } catch HBStorageError.cloudNotConfigured {
    } catch {
      Issue.record("\(error.localizedDescription)")
    }
  }
}
