import HyperbasisCore

/// Reads what a ``LiveEncoder`` at the other end of a link wrote, in the same order.
///
/// Whatever it reads, it holds no more than `Limits.liveSources`, `Limits.liveAnchors` and `Limits.liveKeys` of
/// what was named.
package struct LiveDecoder: Sendable {
  private var sources = LiveRing<LiveSource>(capacity: Limits.liveSources)
  private var anchors = LiveRing<LiveAnchor>(capacity: Limits.liveAnchors)
  private var keys = LiveRing<Key>(capacity: Limits.liveKeys)
  /// The places of what was named last.
  private var source: Int?
  private var anchor: Int?
  private var mask: UInt16?

  package init() {}

  /// Reads one change.
  ///
  /// Complexity: O(n) in the bytes.
  ///
  /// - Throws: `CodecError` for malformed bytes, for what names something that was never named or is forgotten,
  ///   and for a change that could not be stored: one without operations, with a register that occurs twice, or of
  ///   more than `Limits.changeBytes` when it is written in full. The link has to end then.
  package mutating func decode(
    from reader: inout ByteReader
  ) throws(CodecError) -> (space: SpaceID, change: Change) {
    let start = reader.offset
    let head = LiveHead(rawValue: try reader.byte())
    guard LiveHead.all.isSuperset(of: head) else { throw .invalid("change head", offset: start) }
    let source = try readSource(head, from: &reader)
    let sequence = try readSequence(head, after: sources[source].sequence, from: &reader)
    let timestamp = try readTime(head, after: sources[source].timestamp, from: &reader)
    sources[source].sequence = sequence
    sources[source].timestamp = timestamp
    let date =
      head.contains(.date)
      ? timestamp.nanoseconds &+ (try reader.signed(of: "date")) : timestamp.nanoseconds

    let operations = try readOperations(head, date: date, from: &reader)
    guard Change.registersAreDistinct(operations) else {
      throw .invalid("operations: a register occurs twice", offset: start)
    }
    let name = sources[source].name
    let dot = Dot(replica: name.author, sequence: sequence)
    let stamp = Stamp(timestamp: timestamp, dot: dot, date: date)
    let change = Change(stamp: stamp, distinct: operations)
    let length = change.encodedLength
    guard length <= Limits.changeBytes else {
      throw .limit("change bytes", value: UInt64(length), most: Limits.changeBytes, offset: start)
    }
    return (name.space, change)
  }

  /// Returns the place of the source.
  private mutating func readSource(
    _ head: LiveHead, from reader: inout ByteReader
  ) throws(CodecError) -> Int {
    let start = reader.offset
    guard head.contains(.source) else {
      guard let source else { throw .invalid("source: none came before", offset: start) }
      return source
    }
    let number = try reader.varint()
    let place: Int?
    if number == 0 {
      let name = LiveSource.Name(space: try reader.identifier(), author: try reader.identifier())
      place = sources.add(LiveSource(name: name)).place
    } else {
      place = sources.place(ofNumber: number - 1)
    }
    guard let place else { throw .invalid("source number", offset: start) }
    source = place
    return place
  }

  private func readSequence(
    _ head: LiveHead, after last: UInt64, from reader: inout ByteReader
  ) throws(CodecError) -> UInt64 {
    let start = reader.offset
    let difference = head.contains(.sequence) ? try reader.signed(of: "sequence") : 0
    let sequence = last &+ 1 &+ UInt64(bitPattern: difference)
    guard sequence > 0 else { throw .invalid("sequence", offset: start) }
    guard sequence <= UInt64(Limits.sequence) else {
      throw .limit("sequence", value: sequence, most: Limits.sequence, offset: start)
    }
    return sequence
  }

  private func readTime(
    _ head: LiveHead, after last: Timestamp, from reader: inout ByteReader
  ) throws(CodecError) -> Timestamp {
    let start = reader.offset
    let number = try reader.signed()
    let difference = head.contains(.fineTime) ? number : number << 8
    // One time has one form.
    guard head.contains(.fineTime) ? number & 0xFF != 0 : difference >> 8 == number else {
      throw .invalid("time", offset: start)
    }
    return Timestamp(bits: last.bits &+ UInt64(bitPattern: difference))
  }

  private mutating func readOperations(
    _ head: LiveHead, date: Int64, from reader: inout ByteReader
  ) throws(CodecError) -> [HyperbasisCore.Operation] {
    guard head.contains(.count) else { return [try readOperation(date: date, from: &reader)] }
    let start = reader.offset
    let count = try reader.count(of: "operations", most: Limits.changeOperations)
    guard count > 1 else { throw .invalid("operations", offset: start) }
    var operations: [HyperbasisCore.Operation] = []
    operations.reserveCapacity(count)
    for _ in 0..<count { operations.append(try readOperation(date: date, from: &reader)) }
    return operations
  }

  private mutating func readOperation(
    date: Int64, from reader: inout ByteReader
  ) throws(CodecError) -> HyperbasisCore.Operation {
    let start = reader.offset
    let byte = try reader.byte()
    let kind = try HyperbasisCore.Operation.Kind(byte & LiveOperation.kindMask, at: start)
    let marks = byte & ~LiveOperation.kindMask
    let allowed =
      kind.isOfSpace
      ? 0
      : kind == .transform
        ? LiveOperation.sameAnchor | LiveOperation.sameMask : LiveOperation.sameAnchor
    guard marks & ~allowed == 0 else { throw .invalid("operation marks", offset: start) }
    if kind.isOfSpace { return try HyperbasisCore.Operation(ofSpace: kind, from: &reader) }

    let place = try readAnchor(isSame: marks & LiveOperation.sameAnchor != 0, from: &reader)
    let id = anchors[place].id
    switch kind {
    case .live:
      return .existence(id, Existence(created: date &+ (try reader.signed())))
    case .deleted:
      let created = date &+ (try reader.signed())
      return .existence(id, Existence(created: created, deleted: date &+ (try reader.signed())))
    case .restored:
      let created = date &+ (try reader.signed())
      return .existence(id, Existence(created: created, restored: date &+ (try reader.signed())))
    case .transform:
      let isSame = marks & LiveOperation.sameMask != 0
      return .transform(id, try readTransform(at: place, hasSameMask: isSame, from: &reader))
    case .set: return .metadata(id, try readKey(from: &reader), try Value(from: &reader))
    case .unset: return .metadata(id, try readKey(from: &reader), nil)
    default: preconditionFailure("it writes to the space")
    }
  }

  /// Returns the place of the anchor.
  private mutating func readAnchor(
    isSame: Bool, from reader: inout ByteReader
  ) throws(CodecError) -> Int {
    let start = reader.offset
    if isSame {
      guard let anchor else { throw .invalid("anchor: none came before", offset: start) }
      return anchor
    }
    let number = try reader.varint()
    let place: Int?
    if number == 0 {
      place = anchors.add(LiveAnchor(id: try reader.identifier())).place
    } else {
      place = anchors.place(ofNumber: number - 1)
    }
    guard let place else { throw .invalid("anchor number", offset: start) }
    anchor = place
    return place
  }

  private mutating func readTransform(
    at place: Int, hasSameMask: Bool, from reader: inout ByteReader
  ) throws(CodecError) -> Transform {
    let start = reader.offset
    let differing: UInt16
    if hasSameMask {
      guard let mask else { throw .invalid("transform: none came before", offset: start) }
      differing = mask
    } else {
      differing = try reader.fixed(UInt16.self)
    }
    mask = differing
    let known = anchors[place].transform
    let last = (known ?? .identity).bits
    var bits = last
    for index in 0..<16 where differing & 1 << UInt16(index) != 0 {
      if known == nil {
        bits[index] = try reader.fixed(UInt32.self)
      } else {
        guard let difference = Int32(exactly: try reader.signed()) else {
          throw .invalid("transform", offset: start)
        }
        bits[index] &+= UInt32(bitPattern: difference)
      }
      guard bits[index] != last[index] else { throw .invalid("transform", offset: start) }
    }
    do {
      let transform = try Transform(elements: unsafeBitCast(bits, to: SIMD16<Float>.self))
      anchors[place].transform = transform
      return transform
    } catch {
      throw .invalid("transform", offset: start)
    }
  }

  private mutating func readKey(from reader: inout ByteReader) throws(CodecError) -> Key {
    let start = reader.offset
    let number = try reader.varint()
    guard number > 0 else {
      let key = Key(try reader.text("key", most: Limits.keyBytes))
      keys.add(key)
      return key
    }
    guard let place = keys.place(ofNumber: number - 1) else {
      throw .invalid("key number", offset: start)
    }
    return keys[place]
  }
}

extension ByteReader {
  /// A number that is there since it is not 0.
  fileprivate mutating func signed(of what: CodecError.StaticText) throws(CodecError) -> Int64 {
    let start = offset
    let number = try signed()
    guard number != 0 else { throw .invalid(what, offset: start) }
    return number
  }
}
