import Foundation
import Testing

@testable import Hyperbasis

/// Who may bring back a deleted anchor: a save of a value built afresh only where this storage
/// deleted it.
@Suite(.timeLimit(.minutes(5))) struct DeletedBaseTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["x": 0])
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private func fresh(_ x: AnyCodableValue) -> HBAnchor {
    HBAnchor(id: anchor.id, spaceId: anchor.spaceId, transform: at(0), metadata: ["x": x])
  }

  enum Look: CaseIterable { case list, one, update, edit, transaction }

  @Test(arguments: Look.allCases) func `a deleted anchor that was looked at stays deleted`(
    _ look: Look
  ) async throws {
    let id = anchor.id
    try await storage.save(anchor)
    try await storage.elsewhere.deleteAnchor(id, in: anchor.spaceId)
    switch look {
    case .list: _ = try await storage.loadAnchors(spaceId: anchor.spaceId, includeDeleted: true)
    case .one: _ = try await storage.loadAnchor(id: id)
    case .update: try await storage.update(anchorId: id) { $0.metadata["y"] = 1 }
    case .edit:
      var deleted = try await storage.loadAnchor(id: id)!
      deleted.metadata["y"] = 1
      try await storage.save(deleted)
    case .transaction:
      try await storage.transaction(spaceId: anchor.spaceId) { space in
        var deleted = space.anchor(id: id)!
        deleted.metadata["y"] = 1
        try space.save(deleted)
      }
    }
    try await storage.save(fresh(1))
    let now = try await storage.unseen(anchor)
    #expect(now.isDeleted && now.intMetadata(forKey: "x") == 1)
  }

  @Test(arguments: [false, true]) func `what a peer deleted stays deleted, also after a reopen`(
    isEdited: Bool
  ) async throws {
    do {
      let first = lanStorage(directory, "first")
      let second = lanStorage(directory, "second", dialling: [first])
      try await first.save(anchor)
      #expect(try await eventually { try await second.loadAnchor(id: anchor.id) != nil })
      try await second.deleteAnchor(id: anchor.id)
      #expect(try await eventually { try await first.unseen(anchor).isDeleted })
    }
    let storage = localStorage(directory, "first")
    if isEdited {
      var deleted = try await storage.loadAnchor(id: anchor.id)!
      deleted.metadata["y"] = 1
      try await storage.save(deleted)
    }
    try await storage.save(fresh(1))
    let now = try await storage.unseen(anchor)
    #expect(now.isDeleted && now.intMetadata(forKey: "x") == 1)
  }

  @Test(arguments: [false, true], [false, true])
  func `what was deleted here is brought back alike before and after a reopen`(
    reopens: Bool, isModel: Bool
  ) async throws {
    var old = anchor
    old.metadata = ["x": 0, "old": 1]
    do {
      let storage = localStorage(directory, "again")
      try await storage.save(old)
      try await storage.deleteAnchor(id: old.id)
      if !reopens { try await bringBack(isModel: isModel, in: storage) }
    }
    let storage = localStorage(directory, "again")
    if reopens { try await bringBack(isModel: isModel, in: storage) }
    let now = try await storage.unseen(anchor)
    #expect(!now.isDeleted)
    // What a model does not know of is left alone.
    #expect(now.metadata == (isModel ? ["x": 1, "old": 1] : ["x": 1]))
  }

  private func bringBack(isModel: Bool, in storage: HBStorage) async throws {
    if isModel {
      try await storage.save(Mark(id: anchor.id), in: anchor.spaceId)
    } else {
      try await storage.save(fresh(1))
    }
  }

  private struct Mark: Anchorable {
    let id: UUID
    var x = 1
    var simdTransform: simd_float4x4 { at(0) }

    init(id: UUID) { self.id = id }
    init?(from anchor: HBAnchor) { (id, x) = (anchor.id, anchor.intMetadata(forKey: "x") ?? 0) }
    func toMetadata() -> [String: AnyCodableValue] { ["x": .int(x)] }
  }

  @Test func `a key that a peer gave to what was deleted here stays`() async throws {
    do {
      let first = lanStorage(directory, "first")
      let second = lanStorage(directory, "second", dialling: [first])
      try await first.save(anchor)
      try await first.deleteAnchor(id: anchor.id)
      #expect(try await eventually { try await second.loadAnchor(id: anchor.id) != nil })
      var deleted = try await second.loadAnchor(id: anchor.id)!
      deleted.metadata["theirs"] = 1
      try await second.save(deleted)
      #expect(try await eventually { try await first.unseen(anchor).metadata.count == 2 })
    }
    let storage = localStorage(directory, "first")
    try await storage.save(fresh(1))
    let now = try await storage.unseen(anchor)
    #expect(!now.isDeleted && now.metadata == ["x": 1, "theirs": 1])
  }

  enum Deletion: CaseIterable { case call, save, update, transaction, late, lateInTransaction }

  @Test(arguments: Deletion.allCases) func `what was deleted here is brought back by a save`(
    _ deletion: Deletion
  ) async throws {
    let id = anchor.id
    try await storage.save(anchor)
    switch deletion {
    case .call: try await storage.deleteAnchor(id: id)
    case .save:
      var value = try await storage.loadAnchor(id: id)!
      value.markDeleted()
      try await storage.save(value)
    case .update: try await storage.update(anchorId: id) { $0.markDeleted() }
    case .transaction:
      try await storage.transaction(spaceId: anchor.spaceId) { try $0.deleteAnchor(id: id) }
    case .late:
      // A peer was quicker.
      try await storage.elsewhere.deleteAnchor(id, in: anchor.spaceId)
      try await storage.deleteAnchor(id: id)
    case .lateInTransaction:
      try await storage.elsewhere.deleteAnchor(id, in: anchor.spaceId)
      try await storage.transaction(spaceId: anchor.spaceId) { try $0.deleteAnchor(id: id) }
    }
    _ = try await storage.loadAnchors(spaceId: anchor.spaceId, includeDeleted: true)
    try await storage.save(fresh(1))
    #expect(try await storage.loadAnchors(spaceId: anchor.spaceId).map(\.metadata) == [["x": 1]])
  }

  @Test func `restore is an edit like any other`() async throws {
    try await storage.save(anchor)
    try await storage.elsewhere.deleteAnchor(anchor.id, in: anchor.spaceId)
    var value = try await storage.loadAnchor(id: anchor.id)!
    value.restore()
    try await storage.save(value)
    #expect(try await !storage.unseen(anchor).isDeleted)
    // Also of a value that another storage handed out.
    let other = localStorage(directory, "other")
    try await other.save(anchor)
    try await other.elsewhere.deleteAnchor(anchor.id, in: anchor.spaceId)
    try await storage.deleteAnchor(id: anchor.id)
    var deleted = try await storage.loadAnchor(id: anchor.id)!
    deleted.deletedAt = nil
    try await other.save(deleted)
    #expect(try await !other.unseen(anchor).isDeleted)
  }
}
