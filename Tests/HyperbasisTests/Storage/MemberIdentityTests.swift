import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// What becomes of members whose stores go on under another replica id.
@Suite(.timeLimit(.minutes(5))) struct MemberIdentityTests {
  private let directory = PeerDirectory()
  private let space = HBSpace(name: "Hall")

  private func id(_ storage: HBStorage) throws -> UUID { UUID(uuidString: try storage.actorId)! }

  private func isGone(_ anchor: UUID, from storage: HBStorage) async throws -> Bool {
    try await storage.elsewhere.anchor(anchor, in: space.id) == nil
  }

  /// As the system leaves it that goes down while the store is open.
  private func cutPower(_ name: String) throws {
    try directory.execute(
      """
      UPDATE meta SET value = substr(value, 1, 48) || x'00112233445566778899aabbccddeeff' || x'00'
        WHERE key = 'continuation'
      """, name)
  }

  /// A storage with a space of which it is the only member, closed again; returns its id.
  private func makeSole(_ name: String) async throws -> UUID {
    let storage = localStorage(directory, name)
    try await storage.save(space)
    try await storage.setRetention(.latest, spaceId: space.id)
    return try id(storage)
  }

  @Test func `the only member goes on after a power cut`() async throws {
    let former = try await makeSole("a")
    try cutPower("a")
    let storage = localStorage(directory, "a")
    let own = try id(storage)
    #expect(try storage.identityChange?.reason == .systemWentDown && own != former)
    let members = try await storage.members(spaceId: space.id)
    #expect(members.count == 2)
    #expect(members.first { $0.id == former }?.isRetired == true)
    #expect(members.first { $0.id == former }?.successorId == own)
    #expect(members.first { $0.id == own }?.isRetired == false)
    let note = HBAnchor(spaceId: space.id, transform: at(1))
    try await storage.save(note)
    try await storage.deleteAnchor(id: note.id)
    #expect(try await eventually { try await isGone(note.id, from: storage) })
  }

  @Test func `the original of a copy may live on, so it is for people to retire it`() async throws {
    let former = try await makeSole("a")
    try FileManager.default.copyItem(
      atPath: directory.path("a"), toPath: directory.path("copy"))
    let copy = localStorage(directory, "copy")
    let note = HBAnchor(spaceId: space.id, transform: at(1))
    try await copy.save(note)
    try await copy.deleteAnchor(id: note.id)
    let held = try await copy.heldBack(spaceId: space.id)
    #expect(held.waitsToJoin && held.deletedAnchors == 1 && held.changes > 0)
    #expect(held.waitingFor.map(\.id) == [former])
    #expect(try held.waitingFor.first?.successorId == id(copy))
    await #expect {
      try await copy.setRetention(.everything, spaceId: space.id)
    } throws: { error in
      guard case HBStorageError.encodingFailed(let cause) = error else { return false }
      return cause as? HBMemberFailure == .notJoined(spaceId: space.id)
    }
    try await copy.retire(memberId: former, spaceId: space.id)
    #expect(try await eventually { try await copy.heldBack(spaceId: space.id).isEmpty })
    #expect(try await isGone(note.id, from: copy))
    try await copy.setRetention(.everything, spaceId: space.id)
    // The original is as it was.
    let original = localStorage(directory, "a")
    #expect(try await original.members(spaceId: space.id).map(\.id) == [former])
  }

  @Test func `a restored store whose other members are all gone retires them, and goes on`()
    async throws
  {
    let former: UUID
    do {
      let first = lanStorage(directory, "first")
      try await first.save(space)
      let others = ["second", "third"].map { lanStorage(directory, $0, dialling: [first]) }
      for (number, other) in others.enumerated() {
        #expect(try await eventually { try await other.loadSpace(id: space.id) != nil })
        try await other.save(HBAnchor(spaceId: space.id, transform: at(Float(number))))
      }
      #expect(try await eventually { try await first.loadAnchors(spaceId: space.id).count == 2 })
      try await first.setRetention(.latest, spaceId: space.id)
      former = try id(first)
      #expect(try await first.members(spaceId: space.id).count == 3)
    }
    try FileManager.default.copyItem(
      atPath: directory.path("first"), toPath: directory.path("restored"))
    let restored = lanStorage(directory, "restored")
    let anchors = try await restored.loadAnchors(spaceId: space.id)
    try await restored.deleteAnchor(id: anchors[0].id)
    let waiting = try await restored.heldBack(spaceId: space.id).waitingFor.map(\.id)
    #expect(waiting.count == 3)
    for member in waiting { try await restored.retire(memberId: member, spaceId: space.id) }
    let members = try await restored.members(spaceId: space.id)
    #expect(try members.filter { !$0.isRetired }.map(\.id) == [id(restored)])
    #expect(members.contains { $0.id == former && $0.isRetired })
    #expect(try await eventually { try await isGone(anchors[0].id, from: restored) })
  }

  @Test func `a member after a power cut joins anew, and its former self is retired`() async throws
  {
    let first = lanStorage(directory, "first")
    try await first.save(space)
    let note = HBAnchor(spaceId: space.id, transform: at(1))
    try await first.save(note)
    let former: UUID
    do {
      let second = lanStorage(directory, "second", dialling: [first])
      #expect(try await eventually { try await second.loadAnchor(id: note.id) != nil })
      try await second.update(anchorId: note.id) { $0.metadata["second"] = 1 }
      #expect(try await eventually { try await first.loadAnchor(id: note.id)?.metadata.count == 1 })
      former = try id(second)
      try await first.setRetention(.latest, spaceId: space.id)
      #expect(try await eventually { try await second.members(spaceId: space.id).count == 2 })
    }
    try cutPower("second")
    let second = lanStorage(directory, "second", dialling: [first])
    #expect(try await eventually { try await second.rejoins().count == 1 })
    #expect(try await second.rejoins().first?.offered.isEmpty == true)
    for storage in [first, second] {
      let isRetired = {
        let members = try await storage.members(spaceId: space.id)
        return members.count == 3 && members.first { $0.id == former }?.isRetired == true
      }
      #expect(try await eventually(isRetired))
      let members = try await storage.members(spaceId: space.id)
      #expect(try members.first { $0.id == former }?.successorId == id(second))
    }
    try await second.deleteAnchor(id: note.id)
    for storage in [first, second] {
      #expect(try await eventually { try await isGone(note.id, from: storage) })
    }
  }

  @Test func `a restore that is made whole is refused where it is beyond a change`() async throws {
    let storage = localStorage(directory)
    try await storage.save(space)
    let note = HBAnchor(spaceId: space.id, transform: at(1))
    try await storage.save(note)
    let long = AnyCodableValue.string(String(repeating: "x", count: 1_000_000))
    for key in 1...5 {
      try await storage.update(anchorId: note.id) { $0.metadata["\(key)"] = long }
    }
    try await storage.deleteAnchor(id: note.id)
    try await storage.setRetention(.last(.seconds(3_600)), spaceId: space.id)
    await #expect {
      try await storage.update(anchorId: note.id) { $0.restore() }
    } throws: { error in
      guard case HBStorageError.encodingFailed(let cause) = error else { return false }
      return (cause as? HBValueFailure)?.description.contains("bytes") == true
    }
    await #expect(throws: HBStorageError.self) {
      try await storage.rollback(anchorId: note.id, toVersion: 6)
    }
    #expect(try await storage.loadAnchor(id: note.id)?.isDeleted == true)
    // With less in it, it can come back.
    for key in 1...2 {
      try await storage.update(anchorId: note.id) { $0.metadata["\(key)"] = nil }
    }
    try await storage.update(anchorId: note.id) { $0.restore() }
    #expect(try await storage.loadAnchors(spaceId: space.id).first?.metadata.count == 3)
  }
}
