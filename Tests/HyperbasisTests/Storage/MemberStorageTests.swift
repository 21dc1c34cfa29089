import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// Retention and members of spaces, through `HBStorage`.
@Suite(.timeLimit(.minutes(5))) struct MemberStorageTests {
  let directory = PeerDirectory()
  private let space = HBSpace(name: "Hall")

  private func note(_ text: String) -> HBAnchor {
    HBAnchor(spaceId: space.id, transform: at(1), metadata: ["text": .string(text)])
  }

  private func texts(_ storage: HBStorage) async throws -> Set<String> {
    Set(
      try await storage.loadAnchors(spaceId: space.id).compactMap {
        $0.stringMetadata(forKey: "text")
      })
  }

  private func isEmpty(_ storage: HBStorage) async throws -> Bool {
    let held = try await storage.heldBack(spaceId: space.id)
    return held.isEmpty && held.waitingFor.isEmpty
  }

  /// Whether the store has nothing of an anchor.
  private func isGone(_ anchor: HBAnchor, from storage: HBStorage) async throws -> Bool {
    try await storage.elsewhere.anchor(anchor.id, in: space.id) == nil
  }

  @Test func `a space keeps what it is told to keep`() async throws {
    let storage = localStorage(directory)
    try await storage.save(space)
    #expect(try await storage.retention(spaceId: space.id) == .everything)
    #expect(try await storage.members(spaceId: space.id).isEmpty)
    try await storage.setRetention(.everything, spaceId: space.id)
    #expect(try await storage.members(spaceId: space.id).isEmpty)
    try await storage.setRetention(.last(.milliseconds(2_500)), spaceId: space.id)
    #expect(try await storage.retention(spaceId: space.id) == .last(.seconds(3)))
    try await storage.setRetention(.last(.seconds(Int64.max)), spaceId: space.id)
    #expect(try await storage.retention(spaceId: space.id) == .last(.seconds(Int64.max)))
    try await storage.setRetention(.latest, spaceId: space.id)
    #expect(try await storage.retention(spaceId: space.id) == .latest)
    let members = try await storage.members(spaceId: space.id)
    #expect(members.map(\.id.uuidString) == [try storage.actorId])
    #expect(members[0].isThisDevice && !members[0].isRetired && members[0].missingChanges == 0)
    #expect(members[0].successorId == nil && !members[0].isWaitedFor)
  }

  @Test func `one alone gives up what is deleted, and a value of it is refused`() async throws {
    let storage = localStorage(directory)
    try await storage.save(space)
    let (kept, gone, removed) = (note("kept"), note("gone"), note("removed"))
    for anchor in [kept, gone, removed] { try await storage.save(anchor) }
    try await storage.update(anchorId: kept.id) { $0.metadata["extra"] = 1 }
    try await storage.update(anchorId: kept.id) { $0.metadata["extra"] = nil }
    try await storage.update(anchorId: kept.id) { $0.update(transform: at(2)) }
    var stale = try await storage.loadAnchor(id: gone.id)!
    #expect(try await texts(storage).count == 3)
    for anchor in [gone, removed] { try await storage.deleteAnchor(id: anchor.id) }
    try await storage.setRetention(.latest, spaceId: space.id)
    let held = try await storage.heldBack(spaceId: space.id)
    #expect(held.deletedAnchors == 2 && held.removedKeys == 1 && held.waitingFor.isEmpty)
    #expect(held.changes > 5 && !held.waitsToJoin)
    #expect(try await eventually { try await isEmpty(storage) })
    #expect(try await isGone(gone, from: storage))
    #expect(try await storage.timeline(spaceId: space.id).events.isEmpty)
    #expect(try await texts(storage) == ["kept"])
    stale.metadata["text"] = "edited"
    let edited = stale
    await #expect { try await storage.save(edited) } throws: { error in
      guard case HBStorageError.notFound("anchor", gone.id) = error else { return false }
      return true
    }
    await #expect(throws: HBStorageError.self) {
      try await storage.transaction(spaceId: space.id) { try $0.save(edited) }
    }
    #expect(try await texts(storage) == ["kept"])
    // Who makes it afresh means another one.
    try await storage.save(
      HBAnchor(id: gone.id, spaceId: space.id, transform: at(3), metadata: ["text": "new"]))
    #expect(try await texts(storage) == ["kept", "new"])
  }

  @Test(arguments: [false, true])
  func `a list that was made before a removal shows it though that was given up`(
    isOfAnchor: Bool
  ) async throws {
    let storage = localStorage(directory)
    try await storage.save(space)
    let (kept, other) = (note("kept"), note("other"))
    for anchor in [kept, other] { try await storage.save(anchor) }
    try await storage.update(anchorId: kept.id) { $0.metadata["extra"] = 1 }
    try await storage.setRetention(.latest, spaceId: space.id)
    #expect(try await texts(storage) == ["kept", "other"])
    let peer = try storage.elsewhere
    if isOfAnchor { try await peer.deleteAnchor(other.id, in: space.id) }
    try await peer.removeMetadata(["extra"], of: kept.id, in: space.id)
    try await peer.put(kept.id, in: space.id, metadata: ["more": 1])
    try await peer.put(kept.id, in: space.id, transform: HBAnchor.flatten(at(5)))
    #expect(try await eventually { try await isEmpty(storage) })
    let list = try await storage.loadAnchors(spaceId: space.id)
    #expect(Set(list.map(\.id)) == (isOfAnchor ? [kept.id] : [kept.id, other.id]))
    #expect(list.first { $0.id == kept.id }?.metadata == ["text": "kept", "more": 1])
  }

  @Test func `what cannot be asked of members is refused by name`() async throws {
    let storage = localStorage(directory)
    try await storage.save(space)
    let own = UUID(uuidString: try storage.actorId)!
    func failure(_ id: UUID, _ space: UUID) async -> (any Error)? {
      do {
        try await storage.retire(memberId: id, spaceId: space)
        return nil
      } catch HBStorageError.encodingFailed(let cause) { return cause } catch { return error }
    }
    #expect(
      await failure(own, space.id) as? HBMemberFailure == .noMembers(spaceId: space.id))
    try await storage.setRetention(.latest, spaceId: space.id)
    #expect(
      await failure(own, space.id) as? HBMemberFailure
        == .thisDevice(memberId: own, spaceId: space.id))
    let nobody = UUID()
    for (error, type, id) in [
      (await failure(nobody, space.id), "member", nobody),
      (await failure(own, nobody), "space", nobody),
    ] {
      guard case HBStorageError.notFound(type, id)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    for span in [Duration.zero, .seconds(-1), .seconds(Int64.min)] {
      await #expect(throws: HBStorageError.self) {
        try await storage.setRetention(.last(span), spaceId: space.id)
      }
    }
    await #expect(throws: HBStorageError.self) { try await storage.retention(spaceId: nobody) }
    await #expect(throws: HBStorageError.self) { try await storage.members(spaceId: nobody) }
    await #expect(throws: HBStorageError.self) { try await storage.heldBack(spaceId: nobody) }
    await #expect(throws: HBStorageError.self) {
      try await storage.setRetention(.latest, spaceId: nobody)
    }
  }

  @Test func `H09: five storages, one of them away, by every route that the API has`() async throws
  {
    var storages: [HBStorage] = []
    for name in ["A", "B", "C", "D", "E"] {
      storages.append(lanStorage(directory, name, dialling: storages))
    }
    try await storages[0].save(space)
    let notes = (1...6).map { note("note \($0)") }
    for note in notes { try await storages[0].save(note) }
    for (number, storage) in storages.enumerated() {
      #expect(try await eventually { try await storage.loadAnchors(spaceId: space.id).count == 6 })
      // Whoever wrote is a founder.
      try await storage.update(anchorId: notes[0].id) { $0.metadata["by \(number)"] = 1 }
    }
    for storage in storages {
      #expect(
        try await eventually { try await storage.loadAnchor(id: notes[0].id)?.metadata.count == 6 })
    }
    let fifth = UUID(uuidString: try storages[4].actorId)!
    try await storages[0].setRetention(.latest, spaceId: space.id)
    for storage in storages {
      #expect(try await eventually { try await storage.members(spaceId: space.id).count == 5 })
    }
    for storage in storages { #expect(try await eventually { try await isEmpty(storage) }) }

    // The fifth goes away with what it has, and edits: a living anchor, a new one, and one that is deleted meanwhile.
    await storages[4].suspend()
    let extra = note("new at E")
    try await storages[4].save(extra)
    for note in [notes[1], notes[4]] {
      try await storages[4].update(anchorId: note.id) { $0.metadata["unsent"] = 1 }
    }
    for note in notes[3...] { try await storages[1].deleteAnchor(id: note.id) }
    let four = storages[..<4]
    for storage in four {
      #expect(try await eventually { try await storage.loadAnchors(spaceId: space.id).count == 3 })
    }
    // By every route: what is kept, and what was deleted before a date.
    try await storages[1].setRetention(.last(.seconds(1)), spaceId: space.id)
    try await storages[2].setRetention(.latest, spaceId: space.id)
    for storage in four {
      try await storage.purgeDeletedAnchors(before: Date(timeIntervalSinceNow: 60))
    }
    for storage in four {
      let heldByFifth = {
        let held = try await storage.heldBack(spaceId: space.id)
        return held.waitingFor.map(\.id) == [fifth] && held.deletedAnchors == 3
          && held.changes > 0
      }
      #expect(try await eventually(heldByFifth))
      let held = try await storage.heldBack(spaceId: space.id)
      #expect(held.waitingFor.first?.name == "E" && held.waitingFor.first?.isConnected == false)
      #expect(try await !isGone(notes[5], from: storage))
      #expect(try await storage.loadAnchors(spaceId: space.id, includeDeleted: true).count == 3)
    }

    try await storages[3].retire(memberId: fifth, spaceId: space.id)
    for storage in four {
      #expect(try await eventually { try await isEmpty(storage) })
      for note in notes[3...] { #expect(try await isGone(note, from: storage)) }
      let member = try await storage.members(spaceId: space.id).first { $0.id == fifth }
      #expect(member?.isRetired == true)
    }

    var changes = storages[4].changes(spaceId: space.id).makeAsyncIterator()
    #expect(try await texts(storages[4]).count == 7)
    try await storages[4].resume()
    #expect(try await eventually { try await !storages[4].rejoins().isEmpty })
    // Its next list is not made of the last one.
    #expect(try await texts(storages[4]) == ["note 1", "note 2", "note 3", "new at E"])
    let rejoin = try #require(try await storages[4].rejoins().first)
    #expect(rejoin.spaceId == space.id && ["A", "B", "C", "D"].contains(rejoin.through))
    #expect(rejoin.offered.map(\.id) == [notes[4].id])
    #expect(rejoin.offered.first?.metadata["unsent"] == 1)
    // Its observers see what went, and whoever listens is told.
    let change = await changes.next()
    #expect(change?.anchors.filter { $0.after?.isDeleted ?? true }.count == 3)
    var notices = storages[4].notices.makeAsyncIterator()
    var line = await notices.next()
    while let text = line, !text.contains("and joined it through") { line = await notices.next() }
    let expected: Set = ["note 1", "note 2", "note 3", "new at E"]
    for storage in storages {
      #expect(try await eventually { try await texts(storage) == expected })
      #expect(
        try await eventually {
          try await storage.loadAnchor(id: notes[1].id)?.metadata["unsent"] == 1
        })
      #expect(try await eventually { try await isEmpty(storage) })
    }
  }
}
