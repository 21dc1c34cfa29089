import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

@testable import Hyperbasis
@testable import HyperbasisStore

/// What a transaction wrote is written for the calls that follow in its turn.
@Suite(.timeLimit(.minutes(3))) struct TurnEditsTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["x": 0])
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private func edited() async throws -> HBAnchor {
    try await storage.save(anchor)
    var value = try await storage.loadAnchor(id: anchor.id)!
    value.metadata["x"] = 1
    return value
  }

  private var x: AnyCodableValue? {
    get async throws { try await storage.loadAnchor(id: anchor.id)?.metadata["x"] }
  }

  @Test(arguments: [false, true])
  func `a transaction's edits are not written again by a later call of its turn`(
    inTransaction: Bool
  ) async throws {
    let copy = try await edited()
    try await storage.turn { loop throws(HBStorageError) in
      _ = try loop.transaction(in: SpaceID(copy.spaceId)) { try $0.save(copy) }
      _ = try loop.update(AnchorID(copy.id)) { $0.metadata["x"] = 2 }
      guard inTransaction else { return try loop.save(copy) }
      _ = try loop.transaction(in: SpaceID(copy.spaceId)) { try $0.save(copy) }
    }
    #expect(try await x == 2)
  }

  @Test func `edits of a turn that the disk refuses are to be written again`() async throws {
    let copy = try await edited()
    func write() async throws {
      try await storage.turn { loop throws(HBStorageError) in
        _ = try loop.transaction(in: SpaceID(copy.spaceId)) { try $0.save(copy) }
        try loop.save(copy)
      }
    }
    try await storage.setDiskRefuses(true)
    await #expect(throws: HBStorageError.self) { try await write() }
    try await storage.setDiskRefuses(false)
    #expect(try await x == 0)
    try await write()
    #expect(try await x == 1)
  }
}

extension HBStorage {
  /// Lets the database take no writes, or all.
  func setDiskRefuses(_ refuses: Bool) async throws {
    try await turn { loop throws(HBStorageError) in
      do { try loop.store.database.execute("PRAGMA query_only = \(refuses ? 1 : 0)") } catch {
        throw .fileOperationFailed(underlying: error)
      }
    }
  }
}
