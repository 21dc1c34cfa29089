import HyperbasisCore

/// Writes changes as one direction of a link names things: by the number that each got when it was first named,
/// and by what differs from what was sent before.
///
/// ```swift
/// var encoder = LiveEncoder()
/// encoder.encode(first, of: space, into: &writer)   // space, author and anchor in full
/// encoder.encode(second, of: space, into: &writer)  // a move takes 10 to 40 bytes
/// ```
///
/// ``LiveDecoder`` at the other end follows. What is written has to be sent, all of it and in this order. The
/// form is in `Docs/PROTOCOL.md`.
package struct LiveEncoder: Sendable {
  private var sources = LiveRing<LiveSource>(capacity: Limits.liveSources)
  private var sourcePlaces = LiveIndex<LiveSource.Name>()
  private var anchors = LiveRing<LiveAnchor>(capacity: Limits.liveAnchors)
  private var anchorPlaces = LiveIndex<AnchorID>()
  private var keys = LiveRing<Key>(capacity: Limits.liveKeys)
  private var keyPlaces = LiveIndex<Key>()
  /// The places of what was named last.
  private var source: Int?
  private var anchor: Int?
  private var mask: UInt16?

  package init() {}

  /// Complexity: O(n) in the operations and in what their values hold.
  package mutating func encode(_ change: Change, of space: SpaceID, into writer: inout ByteWriter) {
    let stamp = change.stamp
    let name = LiveSource.Name(space: space, author: stamp.dot.replica)
    var head = LiveHead()
    var known: Int?
    if let source, sources[source].name == name {
      known = source
    } else {
      known = sourcePlaces.place(of: name)
      head.insert(.source)
    }
    let last = known.map { sources[$0] } ?? LiveSource(name: name)
    let sequence = Int64(bitPattern: stamp.dot.sequence &- last.sequence &- 1)
    let time = Int64(bitPattern: stamp.timestamp.bits &- last.timestamp.bits)
    let date = stamp.date &- stamp.timestamp.nanoseconds
    if sequence != 0 { head.insert(.sequence) }
    if time & 0xFF != 0 { head.insert(.fineTime) }
    if date != 0 { head.insert(.date) }
    if change.operations.count != 1 { head.insert(.count) }

    writer.byte(head.rawValue)
    if head.contains(.source) { writeSource(name, at: known, into: &writer) }
    if head.contains(.sequence) { writer.signed(sequence) }
    writer.signed(head.contains(.fineTime) ? time : time >> 8)
    if head.contains(.date) { writer.signed(date) }
    if head.contains(.count) { writer.varint(change.operations.count) }
    sources[source!].sequence = stamp.dot.sequence
    sources[source!].timestamp = stamp.timestamp
    for operation in change.operations { encode(operation, date: stamp.date, into: &writer) }
  }

  private mutating func writeSource(
    _ name: LiveSource.Name, at known: Int?, into writer: inout ByteWriter
  ) {
    if let known {
      writer.varint(sources.number(ofPlace: known) + 1)
      source = known
      return
    }
    writer.varint(0)
    writer.identifier(name.space)
    writer.identifier(name.author)
    let (place, forgotten) = sources.add(LiveSource(name: name))
    sourcePlaces.put(name, at: place, insteadOf: forgotten?.name)
    source = place
  }

  private mutating func encode(
    _ operation: HyperbasisCore.Operation, date: Int64, into writer: inout ByteWriter
  ) {
    let kind = operation.kind.rawValue
    switch operation {
    case .name, .spaceExistence, .worldMap, .retention, .member:
      operation.encode(into: &writer, anchorIndex: 0)
    case .existence(let id, let existence):
      _ = write(kind, of: id, at: place(of: id), into: &writer)
      writer.signed(existence.created &- date)
      if let other = existence.deleted ?? existence.restored { writer.signed(other &- date) }
    case .transform(let id, let transform):
      encode(transform, of: id, kind: kind, into: &writer)
    case .metadata(let id, let key, let value):
      _ = write(kind, of: id, at: place(of: id), into: &writer)
      writeKey(key, into: &writer)
      value?.encode(into: &writer)
    }
  }

  private func place(of id: AnchorID) -> Int? {
    if let anchor, anchors[anchor].id == id { return anchor }
    return anchorPlaces.place(of: id)
  }

  /// Writes the first byte of an operation, and which anchor it is of, that has its place already or gets it now.
  private mutating func write(
    _ byte: UInt8, of id: AnchorID, at known: Int?, into writer: inout ByteWriter
  ) -> Int {
    if let known, known == anchor {
      writer.byte(byte | LiveOperation.sameAnchor)
      return known
    }
    writer.byte(byte)
    if let known {
      writer.varint(anchors.number(ofPlace: known) + 1)
      anchor = known
      return known
    }
    writer.varint(0)
    writer.identifier(id)
    let (place, forgotten) = anchors.add(LiveAnchor(id: id))
    anchorPlaces.put(id, at: place, insteadOf: forgotten?.id)
    anchor = place
    return place
  }

  private mutating func encode(
    _ transform: Transform, of id: AnchorID, kind: UInt8, into writer: inout ByteWriter
  ) {
    var place = place(of: id)
    let known = place.flatMap { anchors[$0].transform }
    let (bits, last) = (transform.bits, (known ?? .identity).bits)
    var differing: UInt16 = 0
    for index in 0..<16 where bits[index] != last[index] { differing |= 1 << UInt16(index) }
    let isSame = differing == mask
    place = write(isSame ? kind | LiveOperation.sameMask : kind, of: id, at: place, into: &writer)
    if !isSame { writer.fixed(differing) }
    for index in 0..<16 where differing & 1 << UInt16(index) != 0 {
      if known == nil {
        writer.fixed(bits[index])
      } else {
        writer.signed(Int64(Int32(bitPattern: bits[index] &- last[index])))
      }
    }
    mask = differing
    anchors[place!].transform = transform
  }

  private mutating func writeKey(_ key: Key, into writer: inout ByteWriter) {
    if let place = keyPlaces.place(of: key) {
      return writer.varint(keys.number(ofPlace: place) + 1)
    }
    writer.varint(0)
    writer.text(key.text)
    let (place, forgotten) = keys.add(key)
    keyPlaces.put(key, at: place, insteadOf: forgotten)
  }
}
