import Foundation
import HyperbasisNet
import Testing

@testable import Hyperbasis

@Suite(.timeLimit(.minutes(5))) struct ObservationTests {
  let directory = PeerDirectory()

  @Test func `changes tell before, after and who, in order`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    var changes = first.changes(spaceId: space.id).makeAsyncIterator()
    var note = HBAnchor(spaceId: space.id, transform: at(1), metadata: ["n": 0])
    try await first.save(note)
    let created = await changes.next()
    #expect(created?.origin == .local)
    #expect(created?.anchors.map(\.before) == [nil])
    #expect(created?.anchors.map(\.after) == [note])
    #expect(created?.anchors.map(\.isNew) == [true])

    let second = lanStorage(directory, "second", dialling: [first])
    #expect(try await eventually { try await second.loadAnchor(id: note.id) != nil })
    let before = note
    note = try await second.update(anchorId: note.id) { $0.updateMetadata(key: "n", value: 1) }
    let updated = await changes.next()
    guard case .peer(let id, "second")? = updated?.origin else {
      Issue.record("\(String(describing: updated?.origin))")
      return
    }
    #expect(id.uuidString == (try second.actorId))
    #expect(updated?.anchors.map(\.before) == [before])
    #expect(updated?.anchors.map(\.after) == [note])

    try await second.deleteAnchor(id: note.id)
    let deleted = await changes.next()
    #expect(deleted?.anchors.map(\.isDeleted) == [true])

    var renamed = space
    renamed.update(name: "Hall")
    try await first.save(renamed)
    let named = await changes.next()
    #expect(named?.anchors == [])
    #expect(named?.space == HBChange.Space(before: space, after: renamed))
  }

  @Test func `anchors go with a space that is deleted, and are back with it`() async throws {
    let storage = localStorage(directory)
    let space = HBSpace(name: "Kitchen")
    try await storage.save(space)
    let kept = HBAnchor(spaceId: space.id, transform: at(1))
    let dead = HBAnchor(spaceId: space.id, transform: at(2))
    for anchor in [kept, dead] { try await storage.save(anchor) }
    try await storage.deleteAnchor(id: dead.id)
    var changes = storage.changes(spaceId: space.id).makeAsyncIterator()
    try await storage.deleteSpace(id: space.id)
    let gone = try #require(await changes.next())
    #expect(gone.space?.after == nil && gone.space?.before != nil)
    #expect(gone.anchors.map(\.id) == [kept.id])
    #expect(gone.anchors.map(\.before) == [kept] && gone.anchors.map(\.after) == [nil])
    try await storage.save(HBSpace(id: space.id, name: "Hall"))
    let back = try #require(await changes.next())
    #expect(back.space?.after?.name == "Hall")
    #expect(back.anchors.map(\.after) == [kept] && back.anchors.allSatisfy(\.isNew))
    #expect(try await storage.loadAnchors(spaceId: space.id) == [kept])
  }

  @Test func `the current anchors follow every save here`() async throws {
    let storage = lanStorage(directory, "a")
    let space = UUID()
    var arrays = storage.anchors(spaceId: space).makeAsyncIterator()
    #expect(await arrays.next() == [])
    var notes: [HBAnchor] = []
    for number in 0..<5 {
      notes.append(HBAnchor(spaceId: space, transform: at(Float(number))))
      try await storage.save(notes[number])
      #expect(await arrays.next() == notes)
    }
  }

  @Test func `a list that equals the last is not given again`() async throws {
    let storage = localStorage(directory)
    try await storage.open()
    // The second reading gives what the first gave, and causes a third, which gives something else.
    let readings = Locked(0)
    let states = storage.states {
      let number = readings.withLock { count in
        count += 1
        return count
      }
      if number == 2 { try? await storage.save(HBSpace(name: "Kitchen")) }
      return number < 3 ? "one" : "two"
    } changing: { _ in
      true
    }
    var iterator = states.makeAsyncIterator()
    #expect(await iterator.next() == "one")
    try await storage.save(HBSpace(name: "Hall"))
    #expect(await iterator.next() == "two")
  }

  @Test func `a reader that falls behind loses nothing`() async throws {
    let storage = localStorage(directory)
    let space = UUID()
    var changes = storage.changes(spaceId: space).makeAsyncIterator()
    let notes = (0..<3).map { HBAnchor(spaceId: space, transform: at(Float($0))) }
    for note in notes { try await storage.save(note) }
    for round in 1...200 {
      for note in notes {
        try await storage.update(anchorId: note.id) { $0.metadata["n"] = .int(round) }
      }
    }
    try await storage.deleteAnchor(id: notes[0].id)
    var told: [UUID: [HBChange.Anchor]] = [:]
    var items = 0
    while told[notes[0].id]?.last?.isDeleted != true {
      let change = await changes.next()!
      items += 1
      for anchor in change.anchors { told[anchor.id, default: []].append(anchor) }
    }
    #expect(items <= 257)
    for note in notes {
      let list = told[note.id]!
      #expect(list[0].before == nil)
      for (one, next) in zip(list, list.dropFirst()) { #expect(one.after == next.before) }
      #expect(list.last!.after!.intMetadata(forKey: "n") == 200)
    }
  }

  @Test func `peers and how far they are`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    var peers = first.peers.makeAsyncIterator()
    #expect(await peers.next() == [])
    var second: HBStorage? = lanStorage(directory, "second", dialling: [first])
    try await second!.open()
    let met = await peers.next()
    #expect(met?.map(\.name) == ["second"])
    #expect(met?.map(\.isConnected) == [true])
    #expect(met?.map(\.actorId) == [try second!.actorId])
    for await status in first.syncStatus(spaceId: space.id) where !status.isEmpty {
      if status[0].isInSync { break }
    }
    second = nil
    var last = await peers.next()
    while last?.first?.isConnected == true { last = await peers.next() }
    #expect(last?.map(\.isConnected) == [false])
    try await first.save(HBAnchor(spaceId: space.id, transform: at(1)))
    for await status in first.syncStatus(spaceId: space.id) where !status.isEmpty {
      #expect(status[0].peerIsBehindBy == 1)
      #expect(status[0].isBehindPeerBy == 0)
      #expect(!status[0].isInSync)
      break
    }
  }

  @Test func `sequences end with their storage`() async throws {
    var storage: HBStorage? = localStorage(directory)
    var changes = storage!.changes(spaceId: UUID()).makeAsyncIterator()
    var anchors = storage!.anchors(spaceId: UUID()).makeAsyncIterator()
    _ = await anchors.next()
    storage = nil
    #expect(await changes.next() == nil)
    #expect(await anchors.next() == nil)
    let task = Task { [directory] in
      let storage = localStorage(directory)
      for await _ in storage.changes(spaceId: UUID()) {}
      return true
    }
    task.cancel()
    #expect(await task.value)
  }
}
