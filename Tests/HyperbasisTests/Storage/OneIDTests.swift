import Foundation
import Testing

@testable import Hyperbasis

/// An anchor's id lives in one space of a storage; where a peer made it live in two, calls that have the id
/// only mean one of them that is always the same.
@Suite(.timeLimit(.minutes(3))) struct OneIDTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(1), metadata: ["text": "Milk"])
  let other = UUID()
  /// A value with the same id in the other space.
  private let copy: HBAnchor
  private let directory = PeerDirectory()

  private struct Lamp: Anchorable {
    var id: UUID
    var simdTransform = at(0)
    func toMetadata() -> [String: AnyCodableValue] { [:] }
    init(id: UUID) { self.id = id }
    init?(from anchor: HBAnchor) { id = anchor.id }
  }

  init() {
    storage = localStorage(directory)
    copy = HBAnchor(id: anchor.id, spaceId: other, transform: at(2))
  }

  /// The space in which a call says that the anchor lives already; nil where it is not refused so.
  private func refusal(_ body: () async throws -> Void) async -> UUID? {
    do { try await body() } catch HBStorageError.encodingFailed(let cause) {
      guard case .anchorInAnotherSpace(anchor.id, let space)? = cause as? HBValueFailure else {
        return nil
      }
      return space
    } catch {
      return nil
    }
    return nil
  }

  @Test func `an anchor that lives in another space is not saved in a second one`() async throws {
    try await storage.save(anchor)
    let (space, copy, lamp) = (anchor.spaceId, copy, Lamp(id: anchor.id))
    #expect(await refusal { try await storage.save(copy) } == space)
    #expect(await refusal { try await storage.save(lamp, in: other) } == space)
    #expect(
      await refusal { try await storage.transaction(spaceId: other) { try $0.save(copy) } } == space
    )
    #expect(try await storage.loadAnchors(spaceId: other).isEmpty)
    let error = HBStorageError.encodingFailed(
      underlying: HBValueFailure.anchorInAnotherSpace(anchorId: anchor.id, spaceId: space))
    #expect(error.localizedDescription.contains("\(space); delete it there first"))
    // One that comes deleted is no second.
    var gone = copy
    gone.markDeleted()
    try await storage.save(gone)
    #expect(try await storage.loadAnchor(id: anchor.id) == anchor)
    // Its restoration would be.
    gone.restore()
    #expect(await refusal { try await storage.save(gone) } == space)
  }

  @Test func `an anchor moves to another space by a deletion and a save`() async throws {
    try await storage.save(anchor)
    try await storage.deleteAnchor(id: anchor.id)
    try await storage.save(copy)
    #expect(try await storage.loadAnchor(id: anchor.id) == copy)
    #expect(try await storage.loadAnchors(spaceId: anchor.spaceId).isEmpty)
    #expect(
      await refusal {
        try await storage.update(anchorId: anchor.id) { $0.metadata["moved"] = true }
      } == nil)
    #expect(try await storage.loadAnchor(id: anchor.id)?.boolMetadata(forKey: "moved") == true)
    // Back again, by a value that was loaded from there.
    var old = try await storage.loadAnchors(spaceId: anchor.spaceId, includeDeleted: true)[0]
    old.restore()
    #expect(await refusal { try await storage.save(old) } == other)
    try await storage.deleteAnchor(id: anchor.id)
    try await storage.save(old)
    #expect(try await storage.loadAnchor(id: anchor.id)?.spaceId == anchor.spaceId)
  }

  @Test func `a space that is deleted holds no id back`() async throws {
    try await storage.save(HBSpace(id: anchor.spaceId))
    try await storage.save(anchor)
    try await storage.deleteSpace(id: anchor.spaceId)
    try await storage.save(copy)
    #expect(try await storage.loadAnchor(id: anchor.id) == copy)
  }

  @Test func `calls by an id that a peer made live twice mean the space with the smallest id`()
    async throws
  {
    let spaces = [UUID(), UUID(), UUID()].sorted { $0.uuidString < $1.uuidString }
    let id = anchor.id
    for space in spaces.shuffled() {
      try await storage.elsewhere.createSpace(named: "\(space)", id: space)
      try await storage.elsewhere.put(id, in: space, metadata: ["n": 1])
    }
    func living() async throws -> [UUID] {
      var found: [UUID] = []
      for space in spaces {
        if try await !storage.loadAnchors(spaceId: space).isEmpty { found.append(space) }
      }
      return found
    }
    #expect(try await storage.loadAnchor(id: id)?.spaceId == spaces[0])
    #expect(try await storage.update(anchorId: id) { $0.metadata["n"] = 2 }.spaceId == spaces[0])
    #expect(try await storage.history(anchorId: id).last?.spaceId == spaces[0])
    #expect(try await storage.rollback(anchorId: id, toVersion: 1).spaceId == spaces[0])
    // Each that lives so can be saved.
    var third = try await storage.loadAnchors(spaceId: spaces[2])[0]
    third.metadata["n"] = 3
    try await storage.save(third)
    // Living ones come before deleted ones.
    try await storage.deleteAnchor(id: id)
    #expect(try await living() == [spaces[1], spaces[2]])
    #expect(try await storage.loadAnchor(id: id)?.spaceId == spaces[1])
    try await storage.deleteAnchor(id: id)
    #expect(try await storage.loadAnchor(id: id)?.spaceId == spaces[2])
    try await storage.deleteAnchor(id: id)
    #expect(try await living().isEmpty)
    #expect(try await storage.loadAnchor(id: id)?.spaceId == spaces[0])
    #expect(try await storage.rollback(anchorId: id, toVersion: 1).spaceId == spaces[0])
    #expect(try await living() == [spaces[0]])
  }

  @Test func `anchors of a space that nobody made yet are found by its id`() async throws {
    try await storage.save(anchor)
    #expect(try await storage.loadAllSpaces().isEmpty)
    #expect(try await storage.loadSpace(id: anchor.spaceId) == nil)
    #expect(try await storage.loadAnchors(spaceId: anchor.spaceId) == [anchor])
    #expect(try await storage.loadAnchor(id: anchor.id) == anchor)
    #expect(try await storage.timeline(spaceId: anchor.spaceId).events.count == 1)
    let reopened = localStorage(directory)
    try await reopened.save(HBSpace(id: anchor.spaceId, name: "Kitchen"))
    #expect(try await reopened.loadAllSpaces().map(\.name) == ["Kitchen"])
    #expect(try await reopened.loadAnchors(spaceId: anchor.spaceId) == [anchor])
  }
}
