import Foundation

/// The history of one space, and what the space was at any time.
///
/// ```swift
/// let timeline = try await storage.timeline(spaceId: space.id)
/// let yesterday = timeline.state(at: Date(timeIntervalSinceNow: -86_400))
/// print(yesterday.count, timeline.diff(from: .distantPast, to: Date()).summary)  // 3 5 added
/// ```
public struct HBTimeline: Equatable, Sendable {
  /// The space.
  public let spaceId: UUID
  /// The events of this space alone, by time, then version, anchor and id.
  public let events: [HBAnchorEvent]

  /// Events of other spaces are left out. Complexity: O(n log n) in the events.
  public init(spaceId: UUID, events: [HBAnchorEvent]) {
    self.init(spaceId: spaceId, ordered: events.sorted(by: HBAnchorEvent.precedes))
  }

  /// Keeps the order of events, of which clocks alone do not know enough to restore it.
  package init(spaceId: UUID, ordered events: [HBAnchorEvent]) {
    self.spaceId = spaceId
    self.events = events.filter { $0.spaceId == spaceId }
  }
}

// MARK: Events

extension HBTimeline {
  /// The time of the earliest event; nil when there is none.
  public var startDate: Date? { events.lazy.map(\.timestamp).min() }

  /// The time of the latest event; nil when there is none.
  public var endDate: Date? { events.lazy.map(\.timestamp).max() }

  /// Seconds from the earliest event to the latest; nil when there is none.
  public var duration: TimeInterval? {
    guard let startDate, let endDate else { return nil }
    return endDate.timeIntervalSince(startDate)
  }

  /// Every anchor that has an event.
  public var anchorIds: Set<UUID> { Set(events.map(\.anchorId)) }

  /// The events of one anchor.
  public func events(for anchorId: UUID) -> [HBAnchorEvent] {
    events.filter { $0.anchorId == anchorId }
  }

  /// The events from one time to another, both inclusive.
  public func events(from: Date, to: Date) -> [HBAnchorEvent] {
    events.filter { from <= $0.timestamp && $0.timestamp <= to }
  }

  /// The events of one type.
  public func events(ofType type: HBAnchorEvent.EventType) -> [HBAnchorEvent] {
    events.filter { $0.type == type }
  }

  /// The event nearest in time, the earlier of two as near; nil when there is none.
  public func closestEvent(to date: Date) -> HBAnchorEvent? {
    events.min { left, right in
      let (first, second) = (
        abs(left.timestamp.timeIntervalSince(date)), abs(right.timestamp.timeIntervalSince(date))
      )
      return first == second ? left.timestamp < right.timestamp : first < second
    }
  }
}

// MARK: States

extension HBTimeline {
  /// The anchors that lived at a time, after its events; by their creation, then id.
  ///
  /// ```swift
  /// let anchors = timeline.state(at: timeline.startDate!)
  /// print(anchors.map(\.position))  // [SIMD3<Float>(1.0, 0.5, -2.0)]
  /// ```
  ///
  /// Events of an anchor before its `created` do not count. An anchor whose `created` has no
  /// transform has `[]`, and `validate()` is false for it. The anchors are new values: saving one writes
  /// all of it. To bring back one that was deleted use ``HBStorage/rollback(anchorId:toVersion:)``.
  ///
  /// Complexity: O(n) in the events, O(m log m) in the anchors.
  public func state(at date: Date) -> [HBAnchor] {
    var anchors: [UUID: PastAnchor] = [:]
    for event in events where event.timestamp <= date {
      if event.type == .created && anchors[event.anchorId] == nil {
        anchors[event.anchorId] = PastAnchor(event)
      } else {
        anchors[event.anchorId]?.apply(event)
      }
    }
    return anchors.values.filter(\.isLive).map(\.anchor).inOrder
  }

  /// What changed between two times; with `fromDate` after `toDate`, what would change going back.
  ///
  /// Complexity: as ``state(at:)``.
  public func diff(from fromDate: Date, to toDate: Date) -> HBDiff {
    HBDiff(
      spaceId: spaceId, fromDate: fromDate, toDate: toDate, from: state(at: fromDate),
      to: state(at: toDate))
  }
}

/// An anchor while its events are applied.
private struct PastAnchor {
  private let created: HBAnchorEvent
  private var createdAt: Date
  private var transform: [Float]
  private var metadata: [String: AnyCodableValue]
  private var updatedAt: Date
  private(set) var isLive = true

  /// - Precondition: the event is a `created`.
  init(_ created: HBAnchorEvent) {
    self.created = created
    createdAt = created.createdAt ?? created.timestamp
    transform = created.transform ?? []
    metadata = created.metadata ?? [:]
    updatedAt = created.timestamp
  }

  mutating func apply(_ event: HBAnchorEvent) {
    // An anchor that lives is not made a second time, only one that was deleted.
    if event.type == .created && !isLive { createdAt = event.createdAt ?? event.timestamp }
    switch event.type {
    case .created, .restored: isLive = true
    case .deleted: isLive = false
    case .moved, .updated: break
    }
    transform = event.transform ?? transform
    metadata = event.metadata ?? metadata
    updatedAt = event.timestamp
  }

  var anchor: HBAnchor {
    HBAnchor(
      id: created.anchorId, spaceId: created.spaceId, transform: transform, metadata: metadata,
      createdAt: createdAt, updatedAt: updatedAt)
  }
}

extension [HBAnchor] {
  /// By creation, then id.
  var inOrder: [HBAnchor] { sorted(by: HBAnchor.precedes) }
}

extension HBAnchor {
  /// The order in which anchors are listed: by creation, then id.
  package static func precedes(_ left: HBAnchor, _ right: HBAnchor) -> Bool {
    left.createdAt == right.createdAt
      ? left.id.bits < right.id.bits : left.createdAt < right.createdAt
  }
}

// MARK: Scrubbing

extension HBTimeline {
  /// Evenly spaced times for a slider, both ends included.
  ///
  /// ```swift
  /// timeline.scrubberDates(from: start, to: start + 10, steps: 3)  // start, start + 5, start + 10
  /// ```
  ///
  /// - Parameters:
  ///   - from: the first time; nil for the earliest event's.
  ///   - to: the last time; nil for the latest event's.
  ///   - steps: how many times.
  /// - Returns: `[start]` when there is one step or the range is empty; `[]` when there are no
  ///   events and no bounds.
  public func scrubberDates(from: Date? = nil, to: Date? = nil, steps: Int = 100) -> [Date] {
    guard let start = from ?? startDate ?? to, let end = to ?? endDate ?? from else { return [] }
    guard steps > 1, start < end else { return [start] }
    let step = end.timeIntervalSince(start) / Double(steps - 1)
    return (0..<steps - 1).map { start.addingTimeInterval(Double($0) * step) } + [end]
  }

  /// The time of the first event of each day, in order; days are those of `Calendar.current`.
  public var significantDates: [Date] {
    let calendar = Calendar.current
    var days: Set<Date> = []
    return events.map(\.timestamp).sorted().filter {
      days.insert(calendar.startOfDay(for: $0)).inserted
    }
  }
}
