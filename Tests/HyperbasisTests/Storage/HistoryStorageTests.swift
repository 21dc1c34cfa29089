import Foundation
import Testing

@testable import Hyperbasis

/// The defects of the SDK's history, one test each.
@Suite(.timeLimit(.minutes(5))) struct HistoryStorageTests {
  let directory = PeerDirectory()

  @Test func `a delete is an event`() async throws {
    let storage = localStorage(directory)
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    try await storage.save(anchor)
    let before = Date()
    try await storage.deleteAnchor(id: anchor.id)
    try await storage.deleteAnchor(id: anchor.id)
    #expect(try await storage.history(anchorId: anchor.id).map(\.type) == [.created, .deleted])
    let space = anchor.spaceId
    #expect(try await storage.timeline(spaceId: space).state(at: Date()).isEmpty)
    #expect(try await storage.anchorsAt(spaceId: space, date: before).map(\.id) == [anchor.id])
    #expect(try await storage.diff(spaceId: space, from: before, to: Date()).removed.count == 1)
  }

  @Test func `transform and metadata changed in one save are both in the history`() async throws {
    let storage = localStorage(directory)
    var anchor = HBAnchor(spaceId: UUID(), transform: at(1), metadata: ["n": 1])
    try await storage.save(anchor)
    anchor.update(transform: at(2))
    anchor.updateMetadata(key: "n", value: 2)
    try await storage.save(anchor)
    let events = try await storage.history(anchorId: anchor.id)
    #expect(events.map(\.type) == [.created, .moved, .updated])
    #expect(events.map(\.version) == [1, 2, 3])
    #expect(events[2].metadata == ["n": 2])
    let now = try await storage.anchorsAt(spaceId: anchor.spaceId, date: Date())
    #expect(now.map(\.metadata) == [["n": 2]])
    #expect(now.map(\.position.x) == [2])
  }

  @Test func `an unchanged anchor saved 100 times writes nothing`() async throws {
    let storage = localStorage(directory)
    let anchor = HBAnchor(
      spaceId: UUID(), transform: at(1), metadata: ["size": 20.0, "-0": -0.0, "list": [1, 1.0]])
    try await storage.save(anchor)
    let digest = try await digest(storage, anchor.spaceId)
    let loaded = try await storage.loadAnchor(id: anchor.id)!
    for _ in 0..<100 {
      try await storage.save(loaded)
      try await storage.save(anchor)
    }
    #expect(try await storage.history(anchorId: anchor.id).count == 1)
    #expect(try await self.digest(storage, anchor.spaceId) == digest)
    #expect(loaded.doubleMetadata(forKey: "size") == 20.0)
  }

  private func digest(_ storage: HBStorage, _ space: UUID) async throws -> String {
    try await storage.turn { loop throws(HBStorageError) in
      loop.engine.rooms[.init(space)]!.state.digest.description
    }
  }

  @Test func `no second created, whatever happened to the anchor`() async throws {
    let storage = localStorage(directory)
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    try await storage.save(anchor)
    try await storage.deleteAnchor(id: anchor.id)
    try await storage.purgeDeletedAnchors(before: Date() + 1)
    #expect(try await storage.loadAnchor(id: anchor.id) == nil)
    #expect(
      try await storage.loadAnchors(spaceId: anchor.spaceId, includeDeleted: true).isEmpty)
    #expect(try await storage.history(anchorId: anchor.id).map(\.type) == [.created, .deleted])
    let again = HBAnchor(id: anchor.id, spaceId: anchor.spaceId, transform: at(2))
    try await storage.save(again)
    let events = try await storage.history(anchorId: anchor.id)
    #expect(events.map(\.type) == [.created, .deleted, .restored])
    #expect(try await storage.loadAnchor(id: anchor.id)?.createdAt == anchor.createdAt)
    #expect(try await storage.loadAnchor(id: anchor.id)?.position.x == 2)
  }

  @Test func `an anchor that is new and deleted is not alive in its timeline`() async throws {
    let storage = localStorage(directory)
    var anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    anchor.markDeleted()
    try await storage.save(anchor)
    #expect(try await storage.history(anchorId: anchor.id).map(\.type) == [.created, .deleted])
    #expect(try await storage.anchorsAt(spaceId: anchor.spaceId, date: Date()).isEmpty)
  }

  @Test func `a rollback keeps createdAt, is an event and syncs`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first])
    var anchor = HBAnchor(spaceId: space.id, transform: at(1), metadata: ["n": 1])
    try await first.save(anchor)
    anchor.update(transform: at(2))
    anchor.updateMetadata(key: "n", value: 2)
    anchor.updateMetadata(key: "new", value: true)
    try await first.save(anchor)
    try await first.deleteAnchor(id: anchor.id)
    let back = try await first.rollback(anchorId: anchor.id, toVersion: 1)
    #expect(back.createdAt == anchor.createdAt)
    #expect(back.metadata == ["n": 1])
    #expect(back.position.x == 1)
    #expect(!back.isDeleted)
    #expect(
      try await eventually { try await second.loadAnchors(spaceId: space.id) == [back] })
    let types: [HBAnchorEvent.EventType] = [.created, .moved, .updated, .deleted, .restored]
    #expect(try await first.history(anchorId: anchor.id).map(\.type) == types)
    // To the deletion: the state before it, alive.
    let deleted = try await first.rollback(anchorId: anchor.id, toVersion: 4)
    #expect(deleted.metadata == ["n": 2, "new": true])
    await #expect { try await first.rollback(anchorId: back.id, toVersion: 99) } throws: {
      if case HBStorageError.versionNotFound(back.id, 99) = $0 { true } else { false }
    }
    await #expect { try await first.rollback(anchorId: space.id, toVersion: 1) } throws: {
      if case HBStorageError.notFound = $0 { true } else { false }
    }
  }

  @Test func `a time read between two saves lies between their events`() async throws {
    let storage = localStorage(directory)
    let space = UUID()
    let anchors = (0..<50).map { HBAnchor(spaceId: space, transform: at(Float($0))) }
    var times: [Date] = []
    for anchor in anchors {
      try await storage.save(anchor)
      times.append(Date())
    }
    let timeline = try await storage.timeline(spaceId: space)
    for (index, time) in times.enumerated() {
      #expect(timeline.state(at: time).map(\.id) == anchors[0...index].map(\.id))
    }
  }

  @Test func `a space's name and life have a history`() async throws {
    let storage = localStorage(directory)
    var space = HBSpace(name: "Kitchen")
    try await storage.save(space)
    space.update(name: "Hall")
    try await storage.save(space)
    try await storage.deleteSpace(id: space.id)
    await #expect(throws: HBStorageError.self) {
      try await storage.spaceHistory(spaceId: space.id)
    }
    #expect(try await storage.timeline(spaceId: space.id).events.isEmpty)
    try await storage.save(HBSpace(id: space.id, name: "Again"))
    let events = try await storage.spaceHistory(spaceId: space.id)
    #expect(events.map(\.type) == [.created, .renamed, .deleted, .restored, .renamed])
    #expect(events.map(\.name) == ["Kitchen", "Hall", "Hall", "Again", "Again"])
    #expect(events.map(\.version) == [1, 2, 3, 4, 5])
  }

  @Test func `timelines of three devices are the same after a partition`() async throws {
    let first = lanStorage(directory, "first")
    let space = HBSpace(name: "Kitchen")
    try await first.save(space)
    let second = lanStorage(directory, "second", dialling: [first])
    let third = lanStorage(directory, "third", dialling: [first, second])
    let all = [first, second, third]
    let anchors = (0..<3).map { HBAnchor(spaceId: space.id, transform: at(Float($0))) }
    for anchor in anchors { try await first.save(anchor) }
    for storage in all {
      #expect(
        try await eventually { try await storage.loadAnchors(spaceId: space.id).count == 3 })
    }
    for storage in all { await storage.suspend() }
    for (number, storage) in all.enumerated() {
      for round in 0..<5 {
        try await storage.update(anchorId: anchors[0].id) {
          $0.updateMetadata(key: "k\(round)", value: .int(number))
        }
      }
      try await storage.deleteAnchor(id: anchors[1].id)
      if number > 0 { _ = try await storage.rollback(anchorId: anchors[1].id, toVersion: 1) }
      try await storage.save(HBAnchor(spaceId: space.id, transform: at(Float(9 + number))))
    }
    for storage in all { try await storage.resume() }
    func agree() async throws -> Bool {
      let timelines = [
        try await first.timeline(spaceId: space.id), try await second.timeline(spaceId: space.id),
        try await third.timeline(spaceId: space.id),
      ]
      return timelines[0] == timelines[1] && timelines[1] == timelines[2]
        && timelines[0].events.filter { $0.metadata != nil }.count >= 15
    }
    #expect(try await eventually(agree))
    let events = try await first.timeline(spaceId: space.id).events
    #expect(Set(events.map(\.id)).count == events.count)
    #expect(Set(events.compactMap(\.actorId)).count == 3)
    for anchor in anchors {
      let own = events.filter { $0.anchorId == anchor.id }
      #expect(own.map(\.version) == Array(1...own.count))
      for storage in all { #expect(try await storage.history(anchorId: anchor.id) == own) }
    }
    // 3 created, 15 updates, 3 deletes, 2 restores and 3 more created: each once.
    #expect(events.count == 26)
  }
}
