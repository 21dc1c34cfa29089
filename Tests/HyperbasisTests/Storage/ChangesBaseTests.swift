import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// What an observer was given is what values built afresh are compared with, from its `next()` on.
@Suite(.timeLimit(.minutes(5))) struct ChangesBaseTests {
  let storage: HBStorage
  let anchor = HBAnchor(spaceId: UUID(), transform: at(0), metadata: ["text": "a"])
  private let directory = PeerDirectory()

  init() {
    storage = localStorage(directory)
  }

  private func fresh(_ metadata: [String: AnyCodableValue]) -> HBAnchor {
    HBAnchor(id: anchor.id, spaceId: anchor.spaceId, transform: at(0), metadata: metadata)
  }

  private func putElsewhere(_ metadata: [String: AnyCodableValue]) async throws {
    try await storage.elsewhere.put(anchor.id, in: anchor.spaceId, metadata: metadata)
  }

  private var metadata: [String: AnyCodableValue] {
    get async throws { try await storage.unseen(anchor).metadata }
  }

  enum Sequence: CaseIterable { case changes, anchors, models }

  /// Reads what the sequence has of the last change.
  private func follow(_ sequence: Sequence) -> () async -> Void {
    switch sequence {
    case .changes:
      var changes = storage.changes(spaceId: anchor.spaceId).makeAsyncIterator()
      return { _ = await changes.next() }
    case .anchors:
      var lists = storage.anchors(spaceId: anchor.spaceId).makeAsyncIterator()
      return { _ = await lists.next() }
    case .models:
      var lists = storage.anchors(spaceId: anchor.spaceId, of: Note.self).makeAsyncIterator()
      return { _ = await lists.next() }
    }
  }

  @Test(arguments: Sequence.allCases) func `what an observer showed can be set back`(
    _ sequence: Sequence
  ) async throws {
    try await storage.save(anchor)
    let next = follow(sequence)
    try await putElsewhere(["text": "b"])
    await next()
    try await storage.save(fresh(["text": "a"]))
    try #require(try await metadata == ["text": "a"])
    // The same with a model; the save before told of itself.
    try await putElsewhere(["text": "b"])
    await next()
    if sequence == .changes { await next() }
    try await storage.save(Note(id: anchor.id, text: "a"), in: anchor.spaceId)
    #expect(try await metadata == ["text": "a"])
  }

  @Test func `a change that nobody took is not known`() async throws {
    try await storage.save(anchor)
    let changes = storage.changes(spaceId: anchor.spaceId)
    try await putElsewhere(["text": "b"])
    try await storage.save(fresh(["text": "a"]))
    #expect(try await metadata == ["text": "b"])
    withExtendedLifetime(changes) {}
  }

  @Test func `a change that waited is no news after a later read or write`() async throws {
    try await storage.save(anchor)
    let next = follow(.changes)
    try await putElsewhere(["text": "b"])
    try await putElsewhere(["text": "c"])
    _ = try await storage.loadAnchor(id: anchor.id)
    await next()
    try await storage.save(fresh(["text": "b"]))
    #expect(try await metadata == ["text": "b"])
    try await putElsewhere(["text": "d"])
    // What it wrote is what is known, not the "c" that comes now.
    await next()
    try await storage.save(fresh(["text": "c"]))
    #expect(try await metadata == ["text": "c"])
  }

  @Test func `changes that became one are handed out together`() async throws {
    try await storage.save(anchor)
    let next = follow(.changes)
    try await putElsewhere(["text": "b"])
    for number in 0..<300 { try await putElsewhere(["n": .int(number)]) }
    await next()
    try await storage.save(fresh(["text": "a", "n": 298]))
    #expect(try await metadata == ["text": "a", "n": 298])
  }

  @Test func `a key of a change is known once it is handed out, not before`() async throws {
    try await storage.save(anchor)
    let next = follow(.changes)
    try await putElsewhere(["key": 1])
    let early = fresh(["text": "b"])
    await next()
    let late = fresh(["text": "c"])
    try await storage.save(early)
    #expect(try await metadata == ["text": "b", "key": 1])
    try await storage.save(late)
    #expect(try await metadata == ["text": "c"])
  }

  @Test func `a deletion that a change told of is not undone`() async throws {
    try await storage.save(anchor)
    let next = follow(.changes)
    try await storage.elsewhere.deleteAnchor(anchor.id, in: anchor.spaceId)
    await next()
    try await storage.save(fresh(["text": "b"]))
    #expect(try await storage.unseen(anchor).isDeleted)
  }

  @Test func `a name that a change told of can be set back`() async throws {
    let space = HBSpace(name: "a")
    try await storage.save(space)
    var changes = storage.changes(spaceId: space.id).makeAsyncIterator()
    try await storage.turn { loop throws(HBStorageError) in
      try loop.write([.name(Key("b"))], to: SpaceID(space.id), date: nil)
    }
    _ = await changes.next()
    try await storage.save(HBSpace(id: space.id, name: "a"))
    #expect(try await storage.loadSpace(id: space.id)?.name == "a")
  }

  private struct Note: Anchorable {
    let id: UUID
    var text: String
    var simdTransform: simd_float4x4 { at(0) }

    init(id: UUID, text: String) {
      (self.id, self.text) = (id, text)
    }

    init?(from anchor: HBAnchor) {
      guard let text = anchor.stringMetadata(forKey: "text") else { return nil }
      self.init(id: anchor.id, text: text)
    }

    func toMetadata() -> [String: AnyCodableValue] { ["text": .string(text)] }
  }
}
