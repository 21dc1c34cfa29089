extension VersionVector {
  package func encode(into writer: inout ByteWriter) {
    writer.varint(entries.count)
    for entry in entries {
      writer.identifier(entry.replica)
      writer.varint(entry.sequence)
    }
  }

  /// - Throws: `CodecError` when replicas do not ascend, a sequence is 0 or above 2^48, or there
  ///   are more than `Limits.replicas` entries.
  package init(from reader: inout ByteReader) throws(CodecError) {
    self.init()
    let start = reader.offset
    let count = try reader.count(of: "vector entries", most: Limits.replicas, itemBytes: 17)
    for _ in 0..<count {
      let replica: ReplicaID = try reader.identifier()
      if let last = entries.last, last.replica >= replica {
        throw .invalid("vector order", offset: start)
      }
      self[replica] = try reader.sequence()
    }
  }
}

extension ByteReader {
  /// A sequence number: 1 to 2^48.
  package mutating func sequence() throws(CodecError) -> UInt64 {
    let start = offset
    let sequence = try varint()
    guard sequence > 0 else { throw .invalid("sequence", offset: start) }
    guard sequence <= UInt64(Limits.sequence) else {
      throw .limit("sequence", value: sequence, most: Limits.sequence, offset: start)
    }
    return sequence
  }
}

extension Stamp {
  /// The timestamp, then by how many nanoseconds the date differs from it: one byte when by none.
  fileprivate func encodeTime(into writer: inout ByteWriter) {
    writer.fixed(timestamp.bits)
    writer.signed(date &- timestamp.nanoseconds)
  }

  fileprivate static func decodeTime(
    from reader: inout ByteReader
  ) throws(CodecError) -> (Timestamp, date: Int64) {
    let timestamp = Timestamp(bits: try reader.fixed(UInt64.self))
    return (timestamp, timestamp.nanoseconds &+ (try reader.signed()))
  }
}

extension Change {
  /// As many as a transform has, of which most operations have fewer: memory that need not grow.
  private static let operationBytes = 72
  /// Of a change of a few anchors without its operations.
  private static let headBytes = 160

  /// The anchors' table, then stamp and operations.
  package func encode(into writer: inout ByteWriter) {
    var anchors = IdentifierTable<AnchorKind>()
    var body = ByteWriter(capacity: operations.count * Change.operationBytes)
    for operation in operations { operation.encode(into: &body, anchors: &anchors) }
    writer.reserve(body.bytes.count + Change.headBytes)
    writer.identifier(stamp.dot.replica)
    writer.varint(stamp.dot.sequence)
    stamp.encodeTime(into: &writer)
    anchors.encode(into: &writer)
    writer.varint(operations.count)
    writer.raw(body.bytes)
  }

  /// - Throws: `CodecError` for malformed bytes, no operations, a register that occurs twice, or
  ///   more than `Limits.changeBytes`.
  package init(from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    let replica: ReplicaID = try reader.identifier()
    let sequence = try reader.sequence()
    let (timestamp, date) = try Stamp.decodeTime(from: &reader)
    let anchors = try IdentifierTable<AnchorKind>(
      from: &reader, of: "anchors", most: Limits.changeOperations)
    let count = try reader.count(
      of: "operations", most: Limits.changeOperations, itemBytes: 1)
    guard count > 0 else { throw .invalid("operations", offset: start) }
    var operations: [Operation] = []
    operations.reserveCapacity(count)
    for _ in 0..<count { operations.append(try Operation(from: &reader, anchors: anchors)) }
    let length = reader.offset - start
    guard length <= Limits.changeBytes else {
      throw .limit("change bytes", value: UInt64(length), most: Limits.changeBytes, offset: start)
    }
    guard Change.registersAreDistinct(operations) else {
      throw .invalid("operations: a register occurs twice", offset: start)
    }
    let dot = Dot(replica: replica, sequence: sequence)
    self.init(
      stamp: Stamp(timestamp: timestamp, dot: dot, date: date), distinct: operations)
  }
}

extension Cell {
  /// As many as most cells have at most: memory that need not grow.
  private static let cellBytes = 96

  /// Writes cells with their tables of replicas and anchors first.
  package static func encode(_ cells: [Cell], into writer: inout ByteWriter) {
    var anchors = IdentifierTable<AnchorKind>()
    var replicas = IdentifierTable<ReplicaKind>()
    var body = ByteWriter(capacity: cells.count * Cell.cellBytes)
    for cell in cells {
      body.varint(replicas.index(of: cell.stamp.dot.replica))
      body.varint(cell.stamp.dot.sequence)
      cell.stamp.encodeTime(into: &body)
      cell.operation.encode(into: &body, anchors: &anchors)
    }
    replicas.encode(into: &writer)
    anchors.encode(into: &writer)
    writer.varint(cells.count)
    writer.raw(body.bytes)
  }

  /// - Throws: `CodecError` for malformed bytes, and for more writes or bytes under one dot than a
  ///   change can have: they could not be sent on, since a batch does not divide a change.
  package static func decode(from reader: inout ByteReader) throws(CodecError) -> [Cell] {
    var cells: [Cell] = []
    try decode(from: &reader) { cells.append(Cell(operation: $0, stamp: $1)) }
    return cells
  }

  /// As ``decode(from:)``, one after the other: what was read before something malformed was taken.
  @inline(__always)
  fileprivate static func decode(
    from reader: inout ByteReader, take: (Operation, Stamp) throws(CodecError) -> Void
  ) throws(CodecError) {
    let replicas = try IdentifierTable<ReplicaKind>(
      from: &reader, of: "replicas", most: Limits.replicas)
    let anchors = try IdentifierTable<AnchorKind>(
      from: &reader, of: "anchors", most: Limits.frameBytes)
    let count = try reader.count(of: "cells", most: Limits.frameBytes, itemBytes: 12)
    var last: Dot?
    var run = (count: 0, start: reader.offset)
    for _ in 0..<count {
      let start = reader.offset
      let replica = try replicas.read(from: &reader, of: "replica index")
      let sequence = try reader.sequence()
      let (timestamp, date) = try Stamp.decodeTime(from: &reader)
      let operation = try Operation(from: &reader, anchors: anchors)
      let dot = Dot(replica: replica, sequence: sequence)
      if last != dot { run = (0, start) }
      last = dot
      run.count += 1
      try check(run.count, bytes: reader.offset - run.start, offset: run.start)
      try take(operation, Stamp(timestamp: timestamp, dot: dot, date: date))
    }
  }

  /// Whether a change can have so many writes, and so many bytes of them, as were read so far under one dot.
  ///
  /// - Throws: `CodecError.limit` where it cannot.
  static func check(_ count: Int, bytes: Int, offset: Int) throws(CodecError) {
    guard count <= Limits.changeOperations else {
      throw .limit(
        "writes of a change", value: UInt64(count), most: Limits.changeOperations, offset: offset)
    }
    guard bytes <= Limits.changeCellBytes else {
      throw .limit(
        "bytes of a change's writes", value: UInt64(bytes), most: Limits.changeCellBytes,
        offset: offset)
    }
  }
}

extension CellTable {
  /// Adds the cells that ``Cell/encode(_:into:)`` wrote.
  ///
  /// - Throws: `CodecError` for malformed bytes, and for more replicas than a table can hold. Nothing is added then.
  package mutating func append(from reader: inout ByteReader) throws(CodecError) {
    let (known, start) = (count, reader.offset)
    do throws(CodecError) {
      try Cell.decode(from: &reader) { (operation, stamp) throws(CodecError) in
        guard authors.count < Limits.authors || authors.place(of: stamp.dot.replica) != nil else {
          throw .limit(
            "replicas", value: UInt64(authors.count + 1), most: Limits.authors, offset: start)
        }
        append(operation, stamp)
      }
    } catch {
      removeRows(from: known)
      throw error
    }
  }
}
