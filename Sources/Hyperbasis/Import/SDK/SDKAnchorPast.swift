import HyperbasisCore

/// What the SDK's directory tells of one anchor in one space, as changes.
///
/// ```swift
/// let past = SDKAnchorPast(id: id, space: space, file: anchor, events: events)
/// print(past.changes.count)  // 3: created, moved, and a deletion that the log does not have
/// ```
///
/// The log says what the anchor was and when, its file what it became: where they differ in the end,
/// one more change makes it as the file has it. Without a file the anchor was purged, and is deleted.
package struct SDKAnchorPast: Sendable {
  package let id: AnchorID
  package let space: SpaceID
  /// Ascending in time, the creation first; none where nothing is known that an anchor needs.
  package private(set) var changes: [PastChange] = []
  /// How many lines of the log they come from.
  private(set) var eventCount = 0
  private(set) var problems: [SDKProblem] = []

  private let file: SDKAnchor?
  /// What the changes so far made of it.
  private var existence: Existence?
  private var transform: Transform?
  private var metadata = Value.Object()

  /// - Parameters:
  ///   - events: those of this anchor and space, in the order of the log.
  ///   - isUnreadable: there is a file that cannot be read, so the log says all that is known.
  ///
  /// Complexity: O(n log n) in the events and keys.
  init(
    id: AnchorID, space: SpaceID, file: SDKAnchor?, events: [SDKEvent], isUnreadable: Bool = false
  ) {
    self.id = id
    self.space = space
    self.file = file
    let log = inOrder(events)
    eventCount = log.count
    guard file != nil || !log.isEmpty else { return }
    begin(log)
    // The last deletion has the date that the file tells; the log has when it was saved.
    let last = log.last { $0.type != .moved && $0.type != .updated }
    for event in log {
      take(event, deletedAt: event.id == last?.id ? file?.deletedAt : nil)
    }
    if let file {
      end(as: file)
    } else if !isUnreadable, let existence, existence.deleted == nil, let end = log.last {
      let deleted = Existence(created: existence.created, deleted: end.timestamp)
      note(end.timestamp, [write(deleted)])
    }
  }

  // MARK: Private

  /// By time, then version, then place in the log; without those that lack what they tell.
  private mutating func inOrder(_ events: [SDKEvent]) -> [SDKEvent] {
    let sound = events.filter { event in
      guard let missing = event.missing else { return true }
      problems.append(
        SDKProblem(
          file: "\(SDKFolder.events)/\("\(space)".uppercased())/events.jsonl",
          reason: "event \(event.id) is \(event.type.rawValue) and has no \(missing)"))
      return false
    }
    return sound.enumerated().sorted {
      ($0.element.timestamp, $0.element.version, $0.offset)
        < ($1.element.timestamp, $1.element.version, $1.offset)
    }.map(\.element)
  }

  /// The creation: the log's own, or where that was lost one with the earliest that is known.
  private mutating func begin(_ log: [SDKEvent]) {
    let known = (
      transform: log.lazy.compactMap(\.transform).first ?? file?.transform ?? .identity,
      metadata: log.lazy.compactMap(\.metadata).first ?? file?.metadata ?? Value.Object()
    )
    let first = log.first
    let isTold = first?.type == .created
    let times = isTold ? [first!.timestamp] : [file?.createdAt, first?.timestamp].compactMap { $0 }
    let time = times.min()!
    let born = write(Existence(created: file?.createdAt ?? time))
    note(
      time,
      [born] + write(isTold ? first!.transform ?? known.transform : known.transform)
        + write(isTold ? first!.metadata ?? known.metadata : known.metadata))
  }

  private mutating func take(_ event: SDKEvent, deletedAt: Int64?) {
    guard let existence else { preconditionFailure("the creation is the first change") }
    var operations: [Operation] = []
    switch event.type {
    case .created where eventsTaken == 0: break
    case .created, .restored:
      // A second creation: the anchor had been purged.
      operations.append(
        write(Existence(created: existence.created, restored: event.timestamp)))
      if let transform = event.transform { operations += write(transform) }
      if let metadata = event.metadata { operations += write(metadata) }
    case .moved: operations += write(event.transform!)
    case .updated: operations += write(event.metadata!)
    case .deleted:
      guard existence.deleted == nil else { break }
      operations.append(
        write(Existence(created: existence.created, deleted: deletedAt ?? event.timestamp)))
    }
    eventsTaken += 1
    note(event.timestamp, operations)
  }

  private var eventsTaken = 0

  /// What the file has and the log does not give.
  private mutating func end(as file: SDKAnchor) {
    guard let existence else { preconditionFailure("the creation is the first change") }
    var operations = write(file.transform) + write(file.metadata)
    if let deletedAt = file.deletedAt, existence.deleted != deletedAt {
      operations.append(write(Existence(created: existence.created, deleted: deletedAt)))
    } else if file.deletedAt == nil, existence.deleted != nil {
      operations.append(write(Existence(created: existence.created, restored: file.updatedAt)))
    }
    note(file.deletedAt ?? file.updatedAt, operations)
    changes[changes.count - 1].date = file.updatedAt
  }

  private mutating func note(_ time: Int64, _ operations: [Operation]) {
    guard !operations.isEmpty else { return }
    let time = max(time, changes.last?.time ?? .min)
    changes.append(PastChange(time: time, date: time, operations: operations))
  }

  private mutating func write(_ new: Existence) -> Operation {
    existence = new
    return .existence(id, new)
  }

  private mutating func write(_ new: Transform) -> [Operation] {
    defer { transform = new }
    return new == transform ? [] : [.transform(id, new)]
  }

  /// Replaces the whole metadata.
  private mutating func write(_ new: Value.Object) -> [Operation] {
    defer { metadata = new }
    let old = metadata
    return new.entries.filter { old[$0.key] != $0.value }.map { .metadata(id, $0.key, $0.value) }
      + old.entries.filter { new[$0.key] == nil }.map { .metadata(id, $0.key, nil) }
  }
}

extension SDKEvent {
  /// What an event of its type must have and this one lacks.
  fileprivate var missing: String? {
    switch type {
    case .moved: transform == nil ? "transform" : nil
    case .updated: metadata == nil ? "metadata" : nil
    case .created, .deleted, .restored: nil
    }
  }
}
