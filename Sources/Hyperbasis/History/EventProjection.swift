import Foundation
import HyperbasisCore

/// Turns whole changes, in the order of their stamps, into the events that apps read.
///
/// ```swift
/// var projection = EventProjection(space: space)
/// let events = changes.flatMap { projection.events(of: $0) }
/// ```
///
/// Converged devices have the same changes and so compute the same events, ids included.
///
/// Two devices that import one directory write the same at the same times: what says nothing new and
/// bears the very timestamp of the write before it gives no event.
struct EventProjection {
  let space: SpaceID
  private var anchors: [AnchorID: Track] = [:]

  /// One anchor as the changes so far made it.
  fileprivate struct Track {
    var existence: Existence?
    var transform = Transform.identity
    var metadata = Value.Object()
    var version = 0
    /// When each of them was last written.
    var existenceAt: Timestamp?
    var transformAt: Timestamp?
    var metadataAt: Timestamp?
  }

  /// What one change wrote to one anchor.
  fileprivate struct Writes {
    var existence: Existence?
    var changesTransform = false
    var changesMetadata = false
  }

  init(space: SpaceID) {
    self.space = space
  }

  /// Precondition: `change` has a greater stamp than those before it.
  mutating func events(of change: Change) -> [HBAnchorEvent] {
    var events: [HBAnchorEvent] = []
    for (anchor, operations) in change.operationsByAnchor {
      events += self.events(of: operations, on: anchor, at: change.stamp)
    }
    return events
  }

  private mutating func events(
    of operations: [Operation], on anchor: AnchorID, at stamp: Stamp
  ) -> [HBAnchorEvent] {
    var track = anchors[anchor] ?? Track()
    let before = track.existence
    var writes = Writes()
    for operation in operations {
      track.apply(operation, at: stamp.timestamp, noting: &writes)
    }
    if let old = anchors[anchor] {
      writes.leaveOutRepeats(of: old, in: track, at: stamp.timestamp)
    }
    var types = types(of: writes, before: before)
    // A second creation, by a device that had not heard of the first, tells what it changed only.
    if writes.existence != nil, before != nil, let old = anchors[anchor] {
      if old.transform == track.transform { types.removeAll { $0 == .moved } }
      if old.metadata == track.metadata { types.removeAll { $0 == .updated } }
    }
    defer { anchors[anchor] = track }
    return types.map { type in
      track.version += 1
      return event(type, of: anchor, as: track, at: stamp)
    }
  }

  private func types(
    of writes: Writes, before: Existence?
  ) -> [HBAnchorEvent.EventType] {
    let aspects: [HBAnchorEvent.EventType] =
      (writes.changesTransform ? [.moved] : []) + (writes.changesMetadata ? [.updated] : [])
    switch (before, writes.existence) {
    case (nil, nil): return []
    case (nil, let existence?): return existence.deleted == nil ? [.created] : [.created, .deleted]
    case (_, nil): return aspects
    case (let before?, let existence?):
      if existence.deleted != nil { return aspects + [.deleted] }
      return existence.restored != nil || before.deleted != nil ? [.restored] : aspects
    }
  }

  private func event(
    _ type: HBAnchorEvent.EventType, of anchor: AnchorID, as track: Track, at stamp: Stamp
  ) -> HBAnchorEvent {
    let hasTransform = [.created, .moved, .restored].contains(type)
    let hasMetadata = [.created, .updated, .restored].contains(type)
    return HBAnchorEvent(
      id: eventID(type, anchor: anchor, dot: stamp.dot), anchorId: UUID(anchor),
      spaceId: UUID(space), type: type, timestamp: Date(nanoseconds: stamp.timestamp.nanoseconds),
      version: track.version,
      transform: hasTransform ? track.transform.numbers : nil,
      metadata: hasMetadata ? track.metadata.dictionary : nil,
      actorId: UUID(stamp.dot.replica).uuidString,
      createdAt: track.existence.map { Date(nanoseconds: $0.created) })
  }

  /// The same on every device: a hash of what the event is about.
  private func eventID(
    _ type: HBAnchorEvent.EventType, anchor: AnchorID, dot: Dot
  ) -> UUID {
    var writer = ByteWriter()
    writer.identifier(space)
    writer.identifier(anchor)
    writer.identifier(dot.replica)
    writer.varint(dot.sequence)
    writer.text(type.rawValue)
    return UUID(Identifier<Self>(Digest(of: writer.bytes).bits))
  }
}

extension EventProjection.Track {
  fileprivate mutating func apply(
    _ operation: Operation, at time: Timestamp, noting writes: inout EventProjection.Writes
  ) {
    switch operation {
    case .existence(_, let written):
      writes.existence = written
      existence = written
      existenceAt = time
    case .transform(_, let written):
      writes.changesTransform = true
      transform = written
      transformAt = time
    case .metadata(_, let key, let value):
      writes.changesMetadata = true
      metadata[key] = value
      metadataAt = time
    case .name, .spaceExistence, .worldMap, .retention, .member:
      preconditionFailure("it has no anchor")
    }
  }
}

extension EventProjection.Writes {
  fileprivate mutating func leaveOutRepeats(
    of old: EventProjection.Track, in new: EventProjection.Track, at time: Timestamp
  ) {
    if old.existenceAt == time && old.existence == new.existence { existence = nil }
    if old.transformAt == time && old.transform == new.transform { changesTransform = false }
    if old.metadataAt == time && old.metadata == new.metadata { changesMetadata = false }
  }
}

extension Change {
  /// The operations on each anchor, in the order in which the anchors first occur.
  var operationsByAnchor: [(anchor: AnchorID, operations: [Operation])] {
    var groups: [(anchor: AnchorID, operations: [Operation])] = []
    var indices: [AnchorID: Int] = [:]
    for operation in operations {
      guard let anchor = operation.anchor else { continue }
      if let index = indices[anchor] {
        groups[index].operations.append(operation)
      } else {
        indices[anchor] = groups.count
        groups.append((anchor, [operation]))
      }
    }
    return groups
  }
}
