import Foundation
import Testing

@testable import Hyperbasis

/// Short events for histories in tests; seconds since 1970.
struct EventMaker {
  let space = UUID()

  func event(
    _ type: HBAnchorEvent.EventType, _ anchor: UUID, at seconds: Double, version: Int = 1,
    x: Float? = nil, metadata: [String: AnyCodableValue]? = nil, created: Double? = nil,
    in other: UUID? = nil
  ) -> HBAnchorEvent {
    HBAnchorEvent(
      anchorId: anchor, spaceId: other ?? space, type: type, timestamp: date(seconds),
      version: version, transform: x.map(transform), metadata: metadata,
      createdAt: created.map(date))
  }

  func transform(_ x: Float) -> [Float] {
    [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1]
  }

  func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  func timeline(_ events: [HBAnchorEvent]) -> HBTimeline {
    HBTimeline(spaceId: space, events: events)
  }
}

/// Anchor `number`; their order is that of the numbers.
func anchorID(_ number: Int) -> UUID { UUID(uuidString: uuid(number))! }

struct TimelineTests {
  private let make = EventMaker()

  private func date(_ seconds: Double) -> Date { make.date(seconds) }

  // MARK: Events

  /// Defect: events of other spaces were kept and shown.
  @Test func eventsOfOtherSpacesAreLeftOut() {
    let timeline = make.timeline([
      make.event(.created, anchorID(1), at: 1, x: 0),
      make.event(.created, anchorID(2), at: 2, x: 0, in: UUID()),
    ])
    #expect(timeline.anchorIds == [anchorID(1)])
    #expect(timeline.endDate == date(1))
    #expect(timeline.state(at: date(9)).map(\.id) == [anchorID(1)])
    let ordered = HBTimeline(
      spaceId: make.space, ordered: [make.event(.created, anchorID(2), at: 2, in: UUID())])
    #expect(ordered.events == [])
  }

  /// Defect: events of one time were in any order.
  @Test func eventsOfOneTimeAreOrderedByVersionThenAnchorThenID() {
    var events: [HBAnchorEvent] = []
    for anchor in [2, 1, 3] {
      for version in [3, 1, 2] {
        events.append(
          make.event(version == 1 ? .created : .moved, anchorID(anchor), at: 5, version: version))
      }
    }
    events += (0..<4).map { _ in make.event(.updated, anchorID(1), at: 5, version: 4) }
    events.append(make.event(.created, anchorID(9), at: 1, version: 7))
    let timeline = make.timeline(events)
    #expect(timeline.events[0].anchorId == anchorID(9))
    let keys = timeline.events.map { "\($0.version) \($0.anchorId.uuidString.suffix(1))" }
    #expect(
      keys == ["7 9", "1 1", "1 2", "1 3", "2 1", "2 2", "2 3", "3 1", "3 2", "3 3"]
        + Array(repeating: "4 1", count: 4))
    let last = timeline.events.suffix(4).map(\.id.uuidString)
    #expect(last == last.sorted())
    #expect(make.timeline(events.reversed()) == timeline)
  }

  @Test func orderedEventsKeepTheirOrder() {
    let events = [
      make.event(.created, anchorID(1), at: 5, x: 1),
      make.event(.moved, anchorID(1), at: 4, version: 2, x: 2),
      make.event(.moved, anchorID(1), at: 5, version: 3, x: 3),
    ]
    let timeline = HBTimeline(spaceId: make.space, ordered: events)
    #expect(timeline.events == events)
    #expect(timeline.startDate == date(4) && timeline.endDate == date(5))
    #expect(timeline.duration == 1)
    #expect(timeline.closestEvent(to: date(4.5))?.timestamp == date(4), "the earlier on a tie")
    #expect(timeline.state(at: date(5))[0].position.x == 3)
  }

  @Test func eventsAreFoundByAnchorTimeAndType() {
    let timeline = make.timeline([
      make.event(.created, anchorID(1), at: 1), make.event(.created, anchorID(2), at: 2),
      make.event(.moved, anchorID(1), at: 3, version: 2),
      make.event(.deleted, anchorID(1), at: 4, version: 3),
    ])
    #expect(timeline.events(for: anchorID(1)).map(\.version) == [1, 2, 3])
    #expect(timeline.events(from: date(2), to: date(3)).map(\.timestamp) == [date(2), date(3)])
    #expect(timeline.events(from: date(3), to: date(2)) == [])
    #expect(timeline.events(ofType: .created).map(\.anchorId) == [anchorID(1), anchorID(2)])
    #expect(timeline.closestEvent(to: date(2.4))?.timestamp == date(2))
    #expect(timeline.closestEvent(to: date(2.5))?.timestamp == date(2), "the earlier on a tie")
    #expect(timeline.closestEvent(to: .distantFuture)?.timestamp == date(4))
    #expect(make.timeline([]).closestEvent(to: date(1)) == nil)
    #expect(make.timeline([]).duration == nil && make.timeline([]).startDate == nil)
  }

  // MARK: States

  @Test func aStateHasWhatWasSetUntilThen() throws {
    let timeline = make.timeline([
      make.event(.created, anchorID(1), at: 1, x: 1, metadata: ["text": "a"]),
      make.event(.moved, anchorID(1), at: 2, version: 2, x: 2),
      make.event(.updated, anchorID(1), at: 3, version: 3, metadata: ["text": "b"]),
      make.event(.deleted, anchorID(1), at: 4, version: 4),
      make.event(.moved, anchorID(1), at: 4.5, version: 5, x: 3),
      make.event(.restored, anchorID(1), at: 5, version: 6),
    ])
    #expect(timeline.state(at: date(0.9)) == [])
    let states = try [1.0, 2, 3, 5].map { try #require(timeline.state(at: date($0)).first) }
    #expect(states.map(\.position.x) == [1, 2, 2, 3])
    #expect(states.map { $0.stringMetadata(forKey: "text") } == ["a", "a", "b", "b"])
    #expect(states.map(\.updatedAt) == [1, 2, 3, 5].map(date))
    #expect(timeline.state(at: date(4)) == [] && timeline.state(at: date(4.9)) == [])
    #expect(
      states.allSatisfy { $0.edits.isFresh(in: EditScope()) }, "saving an old state brings it back")
  }

  /// Defect: the order of a state was that of a dictionary.
  @Test func aStateIsOrderedByCreationThenID() {
    let ids = Array(1...40).map(anchorID)
    let events = ids.shuffled().map { id in
      make.event(.created, id, at: 100, x: 0, created: id.bits % 2 == 0 ? 1 : 2)
    }
    let expected =
      ids.filter { $0.bits % 2 == 0 }.sorted { $0.bits < $1.bits }
      + ids.filter { $0.bits % 2 == 1 }.sorted { $0.bits < $1.bits }
    #expect(make.timeline(events).state(at: date(100)).map(\.id) == expected)
  }

  /// Defect: `createdAt` became the time of the event.
  @Test func theCreationOfAnAnchorIsItsOwn() {
    let timeline = make.timeline([
      make.event(.created, anchorID(1), at: 10, x: 0, created: 3),
      make.event(.created, anchorID(2), at: 11, x: 0),
      make.event(.moved, anchorID(1), at: 12, version: 2, x: 1),
    ])
    #expect(timeline.state(at: date(20)).map(\.createdAt) == [date(3), date(11)])
  }

  /// Defect: a second `created` reset an anchor that lived.
  @Test func aSecondCreationOfALiveAnchorKeepsItsDate() {
    let events = [
      make.event(.created, anchorID(1), at: 1, x: 1, metadata: ["a": 1]),
      make.event(.created, anchorID(1), at: 2, x: 2, created: 2),
    ]
    let twice = make.timeline(events).state(at: date(9))
    #expect(twice.map(\.createdAt) == [date(1)])
    #expect(twice[0].position.x == 2 && twice[0].metadata == ["a": 1])
    let deletion = make.event(.deleted, anchorID(1), at: 1.5, version: 2)
    #expect(make.timeline(events + [deletion]).state(at: date(9)).map(\.createdAt) == [date(2)])
  }

  @Test func eventsBeforeACreationDoNotCount() {
    let timeline = make.timeline([
      make.event(.moved, anchorID(1), at: 1, x: 1), make.event(.restored, anchorID(1), at: 2, x: 2),
      make.event(.deleted, anchorID(1), at: 3), make.event(.created, anchorID(1), at: 4, x: 4),
    ])
    #expect(timeline.state(at: date(3)) == [])
    #expect(timeline.state(at: date(4)).map(\.position.x) == [4])
  }

  /// Defect: an anchor whose `created` had no transform trapped when its position was read.
  @Test func anAnchorWithoutATransformDoesNotTrap() {
    let timeline = make.timeline([
      make.event(.created, anchorID(1), at: 1), make.event(.moved, anchorID(1), at: 2, x: 3),
    ])
    let anchors = timeline.state(at: date(1))
    #expect(anchors.map(\.transform) == [[]])
    #expect(anchors[0].position == .zero && !anchors[0].validate())
    let diff = timeline.diff(from: date(1), to: date(2))
    #expect(diff.moved[0].distanceMoved == 3)
    #expect(timeline.diff(from: date(2), to: date(1)).moved[0].currentPosition == .zero)
  }

  // MARK: Scrubbing

  /// Defect: without events and bounds it gave 100 dates a few nanoseconds apart.
  @Test func anEmptyTimelineWithoutBoundsHasNoScrubberDates() {
    let empty = make.timeline([])
    #expect(empty.scrubberDates() == [])
    #expect(empty.scrubberDates(from: date(1)) == [date(1)])
    #expect(empty.scrubberDates(to: date(1)) == [date(1)])
    #expect(empty.scrubberDates(from: date(1), to: date(2), steps: 2) == [date(1), date(2)])
  }

  @Test func scrubberDatesIncludeBothEnds() {
    let timeline = make.timeline([
      make.event(.created, anchorID(1), at: 10), make.event(.created, anchorID(2), at: 20),
    ])
    #expect(timeline.scrubberDates(steps: 5) == [10, 12.5, 15, 17.5, 20].map(date))
    let dates = timeline.scrubberDates()
    #expect(dates.count == 100 && dates.first == date(10) && dates.last == date(20))
    #expect(dates == dates.sorted())
    #expect(timeline.scrubberDates(from: date(0), to: date(0.1), steps: 7).last == date(0.1))
    for steps in [1, 0, -5, .min] { #expect(timeline.scrubberDates(steps: steps) == [date(10)]) }
    #expect(timeline.scrubberDates(from: date(20)) == [date(20)])
    #expect(timeline.scrubberDates(from: date(30), to: date(20)) == [date(30)])
  }

  @Test func theFirstEventOfEachDayIsSignificant() throws {
    let noon = try #require(
      Calendar.current.date(from: DateComponents(year: 2026, month: 3, day: 9, hour: 12)))
    let hour = 3_600.0
    let offsets = [50 * hour, 0, 2 * hour, -1 * hour, 24 * hour, 26 * hour]
    let timeline = make.timeline(
      offsets.map {
        make.event(.created, UUID(), at: noon.addingTimeInterval($0).timeIntervalSince1970)
      })
    #expect(
      timeline.significantDates
        == [-1 * hour, 24 * hour, 50 * hour].map(noon.addingTimeInterval))
  }

  // MARK: Events as values

  @Test func eventsOfAnAnchorHoldWhatTheySet() {
    let anchor = HBAnchor(
      spaceId: make.space, transform: matrix_identity_float4x4, metadata: ["a": 1])
    let events = [
      HBAnchorEvent.created(anchor: anchor), .moved(anchor: anchor, previousVersion: 1),
      .updated(anchor: anchor, previousVersion: 2), .deleted(anchor: anchor, previousVersion: 3),
      .restored(anchor: anchor, previousVersion: 4),
    ]
    #expect(events.map(\.type) == [.created, .moved, .updated, .deleted, .restored])
    #expect(events.map(\.version) == [1, 2, 3, 4, 5])
    #expect(events.map(\.hasTransform) == [true, true, false, false, true])
    #expect(events.map(\.hasMetadata) == [true, false, true, false, true])
    #expect(events.map(\.isActiveState) == [true, true, true, false, true])
    #expect(events.allSatisfy { $0.anchorId == anchor.id && $0.createdAt == anchor.createdAt })
    #expect(HBAnchorEvent.deleted(anchor: anchor, previousVersion: .max).version == .max)
  }

  @Test func anEventIsCodedWithTheCreation() throws {
    let event = make.event(.created, anchorID(1), at: 2, x: 1, metadata: ["d": 2.0], created: 1)
    let data = try JSONEncoder().encode(event)
    #expect(try JSONDecoder().decode(HBAnchorEvent.self, from: data) == event)
    let plain = """
      {"id": "\(UUID())", "anchorId": "\(UUID())", "spaceId": "\(UUID())", "type": "moved",
       "timestamp": 0, "version": 2, "transform": [1, 2]}
      """
    let read = try JSONDecoder().decode(HBAnchorEvent.self, from: Data(plain.utf8))
    #expect(read.type == .moved && read.createdAt == nil && read.transform == [1, 2])
  }
}
