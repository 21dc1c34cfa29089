import HyperbasisCore

/// Changes, the cells of records and deltas, and vectors: what is read is written again in no more
/// bytes and read as the same; cells make a state that a record and a delta give back.
enum ChangeTarget: FuzzTarget {
  static let name = "change"

  static func seeds() -> [[UInt8]] {
    let changes = Samples.changes(of: Samples.local)
    let state = Samples.state(of: Samples.remote)
    var seeds = changes.map { change in encoded(0) { change.encode(into: &$0) } }
    seeds += changes.map { change in
      let cells = change.operations.map { Cell(operation: $0, stamp: change.stamp) }
      return encoded(1) { Cell.encode(cells, into: &$0) }
    }
    seeds.append(
      encoded(1) { Cell.encode(state.delta(since: VersionVector()).cells, into: &$0) })
    seeds.append(encoded(2) { state.vector.encode(into: &$0) })
    return seeds
  }

  static func run(_ bytes: [UInt8]) throws {
    guard let kind = bytes.first else { return }
    let bytes = Array(bytes.dropFirst())
    switch kind % 3 {
    case 0: try runChange(bytes)
    case 1: try runCells(bytes)
    default: try runVector(bytes)
    }
  }

  private static func encoded(_ kind: UInt8, _ encode: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(kind)
    encode(&writer)
    return writer.bytes
  }

  private static func runChange(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    guard let change = try? Change(from: &reader) else { return }
    var writer = ByteWriter()
    change.encode(into: &writer)
    try expect(writer.bytes.count <= reader.offset, "a change does not grow when it is passed on")
    var again = ByteReader(writer.bytes)
    try expect(try Change(from: &again) == change, "a change is read as it was written")
    try again.finish()
  }

  private static func runCells(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    guard let cells = try? Cell.decode(from: &reader) else { return }
    var writer = ByteWriter()
    Cell.encode(cells, into: &writer)
    try expect(writer.bytes.count <= reader.offset, "cells do not grow when they are passed on")
    var again = ByteReader(writer.bytes)
    try expect(try Cell.decode(from: &again) == cells, "cells are read as they were written")
    try again.finish()
    try check(stateOf: cells)
  }

  private static func check(stateOf cells: [Cell]) throws {
    var vector = VersionVector()
    for dot in cells.map(\.stamp.dot) where !vector.covers(dot) {
      vector[dot.replica] = dot.sequence
    }
    let state = try SpaceState(id: Samples.space, vector: vector, cells: cells)
    _ = (state.anchors(), state.record, state.memberCells)
    var copy = SpaceState(id: Samples.space)
    _ = try copy.apply(state.delta(since: VersionVector()))
    try expect(copy.digest == state.digest, "a delta from the start on is the whole state")
    try expect(
      copy.delta(since: vector).cells.isEmpty, "nothing lies beyond what is known")
  }

  private static func runVector(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    guard let vector = try? VersionVector(from: &reader) else { return }
    var writer = ByteWriter()
    vector.encode(into: &writer)
    try expect(writer.bytes.elementsEqual(bytes[..<reader.offset]), "a vector has one encoding")
  }
}
