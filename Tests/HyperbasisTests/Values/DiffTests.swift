import Foundation
import Testing

@testable import Hyperbasis

struct DiffTests {
  private let make = EventMaker()

  /// One anchor of each fate between the times 10 and 20; 5 is moved and updated.
  private var timeline: HBTimeline {
    var events = (2...6).map {
      make.event(.created, anchorID($0), at: Double($0), x: 1, metadata: ["a": 1, "b": 1])
    }
    let edited: [String: AnyCodableValue] = ["a": 2, "c": 1]
    events += [
      make.event(.created, anchorID(1), at: 11, x: 1, created: 0),
      make.event(.deleted, anchorID(2), at: 12, version: 2),
      make.event(.moved, anchorID(3), at: 13, version: 2, x: 4),
      make.event(.updated, anchorID(4), at: 14, version: 2, metadata: edited),
      make.event(.moved, anchorID(5), at: 15, version: 2, x: 9),
      make.event(.updated, anchorID(5), at: 16, version: 3, metadata: edited),
    ]
    return make.timeline(events)
  }

  private var diff: HBDiff { timeline.diff(from: make.date(10), to: make.date(20)) }

  /// Defect: of an anchor that moved and changed, the metadata change was invisible.
  @Test func anAnchorThatMovedAndChangedIsInBothLists() throws {
    #expect(diff.moved.map(\.anchor.id) == [anchorID(3), anchorID(5)])
    #expect(diff.updated.map(\.anchor.id) == [anchorID(4), anchorID(5)])
    #expect(diff.moved[1].previousTransform == make.transform(1))
    #expect(diff.updated[1].previousMetadata == ["a": 1, "b": 1])
    #expect(diff.changeCount == 5)
    #expect(diff.summary == "1 added, 1 removed, 2 moved, 2 updated")
  }

  /// Defect: `previousAnchors` held the present state of what had changed.
  @Test func previousAnchorsAreThoseOfTheFormerTime() {
    #expect(diff.previousAnchors == timeline.state(at: make.date(10)))
    #expect(diff.currentAnchors == timeline.state(at: make.date(20)))
    #expect(diff.previousAnchors.map(\.position.x) == [1, 1, 1, 1, 1])
    #expect(diff.previousAnchors.allSatisfy { $0.metadata == ["a": 1, "b": 1] })
  }

  /// The same, where an app put the diff together.
  @Test func previousAnchorsAreRebuiltInBothAspects() {
    let given = HBDiff(
      spaceId: make.space, fromDate: diff.fromDate, toDate: diff.toDate, added: diff.added,
      removed: diff.removed, moved: diff.moved, updated: diff.updated, unchanged: diff.unchanged)
    #expect(given == diff && given.hashValue == diff.hashValue)
    let previous = given.previousAnchors
    #expect(previous.map(\.id) == (2...6).map(anchorID))
    #expect(previous.map(\.position.x) == [1, 1, 1, 1, 1])
    #expect(previous.allSatisfy { $0.metadata == ["a": 1, "b": 1] })
    #expect(given.currentAnchors == diff.currentAnchors)
  }

  @Test func previousAnchorsOfADeletionAndRestorationAreExact() {
    let timeline = make.timeline([
      make.event(.created, anchorID(1), at: 1, x: 1),
      make.event(.deleted, anchorID(1), at: 11, version: 2),
      make.event(.restored, anchorID(1), at: 12, version: 3, x: 1),
    ])
    let diff = timeline.diff(from: make.date(10), to: make.date(20))
    #expect(diff.unchanged.map(\.id) == [anchorID(1)])
    #expect(!diff.hasChanges && diff.changeCount == 0 && diff.summary == "No changes")
    #expect(diff.previousAnchors == timeline.state(at: make.date(10)))
  }

  /// Defect: the orders of the lists were unspecified.
  @Test func everyListIsOrderedByCreationThenID() {
    let old = (1...30).map { HBAnchor(id: anchorID($0), at: Double($0 % 3), x: 0) }
    let new = (11...40).map { HBAnchor(id: anchorID($0), at: Double($0 % 3), x: Float($0 % 2)) }
    let diff = HBDiff(
      spaceId: make.space, fromDate: make.date(0), toDate: make.date(1), from: old.shuffled(),
      to: new.shuffled())
    for list in [
      diff.added, diff.removed, diff.moved.map(\.anchor), diff.unchanged, diff.currentAnchors,
      diff.previousAnchors,
    ] {
      #expect(list.count >= 10)
      #expect(list == list.sorted { ($0.createdAt, "\($0.id)") < ($1.createdAt, "\($1.id)") })
    }
    #expect(diff.previousAnchors.count == 30 && diff.currentAnchors.count == 30)
    #expect(diff.removed.map(\.id).allSatisfy { id in (1...10).map(anchorID).contains(id) })
  }

  /// Defect: comparing took a time that grew with the square of the anchors.
  @Test(.timeLimit(.minutes(5)))
  func manyAnchorsAreComparedInAMoment() {
    let anchors = (0..<50_000).map { HBAnchor(id: UUID(), at: Double($0 % 100), x: 0) }
    let diff = HBDiff(
      spaceId: make.space, fromDate: make.date(0), toDate: make.date(1), from: anchors,
      to: anchors.reversed())
    #expect(diff.unchanged.count == 50_000)
  }

  @Test func theReverseDiffGoesBack() {
    let back = timeline.diff(from: make.date(20), to: make.date(10))
    #expect(back.added == diff.removed)
    #expect(back.removed == diff.added)
    #expect(back.moved.map(\.previousPosition.x) == [4, 9])
  }

  @Test func aMoveHasADistanceAndAnUpdateItsKeys() {
    let moved = HBDiff.MovedAnchor(
      anchor: HBAnchor(id: UUID(), at: 0, x: 4), previousTransform: make.transform(1))
    #expect(moved.distanceMoved == 3)
    #expect(moved.previousPosition.x == 1 && moved.currentPosition.x == 4)
    let short = HBDiff.MovedAnchor(anchor: moved.anchor, previousTransform: [1])
    #expect(short.previousPosition == .zero && short.distanceMoved == 4)
    let updated = diff.updated[0]
    #expect(updated.addedKeys == ["c"])
    #expect(updated.removedKeys == ["b"])
    #expect(updated.changedKeys == ["a"])
  }

  @Test func anchorsThatOccurTwiceDoNotTrap() {
    let anchor = HBAnchor(id: anchorID(1), at: 0, x: 0)
    let diff = HBDiff(
      spaceId: make.space, fromDate: make.date(0), toDate: make.date(1), from: [anchor, anchor],
      to: [])
    #expect(diff.changeCount == 1)
  }
}

extension HBAnchor {
  fileprivate init(id: UUID, at seconds: Double, x: Float) {
    let date = Date(timeIntervalSince1970: seconds)
    self.init(
      id: id, spaceId: anchorID(99), transform: EventMaker().transform(x), metadata: [:],
      createdAt: date, updatedAt: date)
  }
}
