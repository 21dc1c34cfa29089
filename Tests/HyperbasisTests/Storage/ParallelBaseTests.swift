import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// The base of values built afresh is what was read or written in the last turn, in whichever order the
/// calls end, and whoever handed it out.
@Suite(.timeLimit(.minutes(5))) struct ParallelBaseTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["v": 0])
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private func fresh(_ metadata: [String: AnyCodableValue]) -> HBAnchor {
    HBAnchor(id: anchor.id, spaceId: anchor.spaceId, transform: at(0), metadata: metadata)
  }

  private var value: AnyCodableValue? {
    get async throws { try await storage.unseen(anchor).metadata["v"] }
  }

  enum Beside: CaseIterable { case load, list, save, update, transaction }

  /// Each of two calls may come first; what is saved after both always counts.
  @Test(arguments: Beside.allCases)
  func `a save after two calls at once is never taken for no change`(
    _ beside: Beside
  ) async throws {
    try await storage.save(anchor)
    let (storage, anchor) = (storage, anchor)
    for round in 0..<150 {
      try await storage.save(fresh(["v": 1]))
      let two = fresh(["v": 2])
      let other = fresh(["v": 3])
      async let first: Void = storage.save(two)
      async let second: Void = {
        switch beside {
        case .load: _ = try await storage.loadAnchor(id: anchor.id)
        case .list: _ = try await storage.loadAnchors(spaceId: anchor.spaceId)
        case .save: try await storage.save(other)
        case .update: try await storage.update(anchorId: anchor.id) { $0.metadata["v"] = 4 }
        case .transaction:
          try await storage.transaction(spaceId: anchor.spaceId) { try $0.save(other) }
        }
      }()
      _ = try await (first, second)
      try await storage.save(fresh(["v": 1]))
      #expect(try await value == 1, "round \(round)")
    }
  }

  /// The same of a space's name.
  @Test(arguments: [false, true])
  func `a name after two calls at once is never taken for no change`(
    beside isLoad: Bool
  ) async throws {
    let (storage, id) = (storage, anchor.spaceId)
    for round in 0..<150 {
      try await storage.save(HBSpace(id: id, name: "1"))
      async let first: Void = storage.save(HBSpace(id: id, name: "2"))
      async let second: Void = {
        if isLoad {
          _ = try await storage.loadSpace(id: id)
        } else {
          try await storage.save(HBSpace(id: id, name: "3"))
        }
      }()
      _ = try await (first, second)
      try await storage.save(HBSpace(id: id, name: "1"))
      let name = try await storage.turn { loop throws(HBStorageError) in
        loop.shownRecord(of: SpaceID(id))?.name
      }
      #expect(name == "1", "round \(round)")
    }
  }

  @Test func `what a transaction showed is what a value is compared with`() async throws {
    try await storage.save(anchor)
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: ["v": 2, "extra": 1])
    let (id, space) = (anchor.id, anchor.spaceId)
    try await storage.transaction(spaceId: space) { transaction in
      let shown = transaction.anchor(id: id)!
      var metadata = shown.metadata
      metadata["extra"] = nil
      metadata["v"] = 0
      try transaction.save(
        HBAnchor(id: id, spaceId: space, transform: at(0), metadata: metadata))
    }
    #expect(try await storage.unseen(anchor).metadata == ["v": 0])
  }
}
