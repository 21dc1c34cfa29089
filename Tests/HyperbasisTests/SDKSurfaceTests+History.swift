import Foundation
import Hyperbasis
import Testing

/// The SDK's `HBAnchorEvent`, `HBTimeline` and `HBDiff`, made by an app.
extension SDKSurfaceTests {
  private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  @Test func events() throws {
    let anchor = HBAnchor(spaceId: UUID(), transform: place(1), metadata: ["a": 1])
    let made = [
      HBAnchorEvent.created(anchor: anchor), .moved(anchor: anchor, previousVersion: 1),
      .updated(anchor: anchor, previousVersion: 2), .deleted(anchor: anchor, previousVersion: 3),
      .restored(anchor: anchor, previousVersion: 4),
    ]
    #expect(made.map(\.version) == [1, 2, 3, 4, 5])
    #expect(made.map(\.type) == [.created, .moved, .updated, .deleted, .restored])
    #expect(made.map(\.hasTransform) == [true, true, false, false, true])
    #expect(made.map(\.hasMetadata) == [true, false, true, false, true])
    #expect(made.map(\.isActiveState) == [true, true, true, false, true])
    #expect(made.allSatisfy { $0.anchorId == anchor.id && $0.spaceId == anchor.spaceId })
    #expect(made[0].transform == anchor.transform && made[0].metadata == anchor.metadata)
    #expect(made[0].actorId == nil && Set(made.map(\.id)).count == 5)

    let least = HBAnchorEvent(
      anchorId: anchor.id, spaceId: anchor.spaceId, type: .deleted, version: 2)
    #expect(least.transform == nil && least.metadata == nil && least.actorId == nil)
    #expect(abs(least.timestamp.timeIntervalSinceNow) < 60)
    let all = HBAnchorEvent(
      id: UUID(), anchorId: anchor.id, spaceId: anchor.spaceId, type: .moved, timestamp: date(1.5),
      version: 2, transform: anchor.transform, metadata: ["a": 1], actorId: "ada")
    let copy = try JSONDecoder().decode(HBAnchorEvent.self, from: JSONEncoder().encode(all))
    #expect(copy == all && copy.actorId == "ada" && copy.timestamp == date(1.5))
    func identity<Value: Codable & Identifiable & Equatable>(of value: Value) -> Value.ID {
      value.id
    }
    #expect(identity(of: copy) == all.id)

    func symbol(_ type: HBAnchorEvent.EventType) -> String {
      switch type {
      case .created: "created"
      case .moved: "moved"
      case .updated: "updated"
      case .deleted: "deleted"
      case .restored: "restored"
      }
    }
    #expect(made.map { symbol($0.type) } == made.map(\.type.rawValue))
    #expect(HBAnchorEvent.EventType(rawValue: "moved") == .moved)
  }

  /// A was made at 1, moved and updated at 3, deleted at 5; B was made at 4.
  private func makeTimeline() -> (a: UUID, b: UUID, timeline: HBTimeline) {
    let (space, a, b) = (UUID(), UUID(), UUID())
    func event(
      _ anchor: UUID, _ type: HBAnchorEvent.EventType, at seconds: Double, version: Int,
      x: Float? = nil, metadata: [String: AnyCodableValue]? = nil
    ) -> HBAnchorEvent {
      HBAnchorEvent(
        anchorId: anchor, spaceId: space, type: type, timestamp: date(seconds), version: version,
        transform: x.map { HBAnchor.flatten(place($0)) }, metadata: metadata)
    }
    // In disorder, and with an event of another space, which does not belong to it.
    let foreign = HBAnchorEvent(anchorId: a, spaceId: UUID(), type: .deleted, version: 9)
    let events = [
      event(b, .created, at: 4, version: 1, x: 2, metadata: [:]), foreign,
      event(a, .updated, at: 3, version: 3, metadata: ["a": 2, "c": 1]),
      event(a, .moved, at: 3, version: 2, x: 5),
      event(a, .created, at: 1, version: 1, x: 1, metadata: ["a": 1, "b": 1]),
      event(a, .deleted, at: 5, version: 4),
    ]
    return (a, b, HBTimeline(spaceId: space, events: events))
  }

  @Test func timelines() {
    let (a, b, timeline) = makeTimeline()
    #expect(timeline.events.map(\.type) == [.created, .moved, .updated, .created, .deleted])
    #expect(timeline.events.allSatisfy { $0.spaceId == timeline.spaceId })
    #expect(timeline.startDate == date(1) && timeline.endDate == date(5))
    #expect(timeline.duration == 4 && timeline.anchorIds == [a, b])
    #expect(timeline.events(for: a).map(\.version) == [1, 2, 3, 4])
    #expect(timeline.events(from: date(3), to: date(4)).count == 3)
    #expect(timeline.events(ofType: .created).map(\.anchorId) == [a, b])
    #expect(timeline.state(at: date(0)).isEmpty)
    #expect(timeline.state(at: date(4)).map(\.id) == [a, b])
    #expect(timeline.state(at: date(4)).map(\.position.x) == [5, 2])
    #expect(timeline.state(at: date(9)).map(\.id) == [b])
    #expect(timeline.closestEvent(to: date(1.9))?.type == .created)
    #expect(timeline.significantDates == [date(1)])
    #expect(timeline.scrubberDates(steps: 5) == [1, 2, 3, 4, 5].map(date))
    #expect(timeline.scrubberDates(from: date(0), to: date(10), steps: 3) == [0, 5, 10].map(date))
    #expect(timeline.scrubberDates().count == 100)
    #expect(timeline.scrubberDates(steps: 1) == [date(1)])
    // Defect: without events it returned 100 dates some nanoseconds apart.
    let empty = HBTimeline(spaceId: UUID(), events: [])
    #expect(empty.scrubberDates().isEmpty && empty.closestEvent(to: date(1)) == nil)
    #expect(empty.startDate == nil && empty.endDate == nil && empty.duration == nil)
  }

  @Test func diffs() throws {
    let (a, b, timeline) = makeTimeline()
    let diff = timeline.diff(from: date(2), to: date(4))
    #expect(diff.spaceId == timeline.spaceId && diff.fromDate == date(2) && diff.toDate == date(4))
    #expect(diff.added.map(\.id) == [b] && diff.removed.isEmpty && diff.unchanged.isEmpty)
    let moved: HBDiff.MovedAnchor = try #require(diff.moved.first)
    #expect(moved.anchor.id == a && moved.previousTransform == HBAnchor.flatten(place(1)))
    #expect(moved.previousPosition.x == 1 && moved.currentPosition.x == 5)
    #expect(moved.distanceMoved == 4)
    // Defect: an anchor that moved hid the change of its metadata.
    let updated: HBDiff.UpdatedAnchor = try #require(diff.updated.first)
    #expect(updated.anchor.id == a && updated.previousMetadata == ["a": 1, "b": 1])
    #expect(updated.addedKeys == ["c"] && updated.removedKeys == ["b"])
    #expect(updated.changedKeys == ["a"])
    #expect(diff.changeCount == 2 && diff.hasChanges)
    #expect(diff.summary == "1 added, 1 moved, 1 updated")
    #expect(diff.currentAnchors == timeline.state(at: date(4)))
    // Defect: these were the present ones.
    #expect(diff.previousAnchors == timeline.state(at: date(2)))
    #expect(timeline.diff(from: date(4), to: date(9)).removed.map(\.id) == [a])

    let none = HBDiff(spaceId: timeline.spaceId, fromDate: date(1), toDate: date(2))
    #expect(!none.hasChanges && none.changeCount == 0 && none.summary == "No changes")
    let anchor = diff.added[0]
    let all = HBDiff(
      spaceId: timeline.spaceId, fromDate: date(1), toDate: date(2), added: [anchor], removed: [],
      moved: [HBDiff.MovedAnchor(anchor: anchor, previousTransform: [])],
      updated: [HBDiff.UpdatedAnchor(anchor: anchor, previousMetadata: [:])], unchanged: [anchor])
    #expect(all != none && all.moved[0].previousPosition == .zero)
    #expect(all.moved[0] == all.moved[0] && all.updated[0] == all.updated[0])
  }
}
