import HyperbasisCore

/// A bounded part of a space's history: whole changes, of each replica in order and without gaps.
package struct HistoryPart: Equatable, Sendable {
  package var space: SpaceID
  /// At least one.
  package var changes: [Change]
  /// Whether the sender has no more, so that the answer to the request is complete.
  package var isLast: Bool

  /// Precondition: there is at least one change.
  package init(space: SpaceID, changes: [Change], isLast: Bool) {
    precondition(!changes.isEmpty, "a part has changes")
    self.space = space
    self.changes = changes
    self.isLast = isLast
  }
}

extension HistoryPart {
  private static let last: UInt8 = 1

  /// Writes the changes as a batch has its cells, a cell for each operation, with names of its own: a change is told
  /// from the next by its dot.
  func encode(into writer: inout ByteWriter) {
    writer.identifier(space)
    writer.byte(isLast ? HistoryPart.last : 0)
    var cells = CellTable()
    for change in changes { cells.append(change) }
    var names = CellNames()
    BatchCells(cells).encode(into: &writer, names: &names)
  }

  /// - Throws: `CodecError` for malformed bytes, and for what is no change.
  init(from reader: inout ByteReader) throws(CodecError) {
    space = try reader.identifier()
    let start = reader.offset
    let flags = try reader.byte()
    guard flags <= HistoryPart.last else { throw .invalid("history flags", offset: start) }
    isLast = flags == HistoryPart.last
    var names = CellNames()
    guard let cells = try BatchCells(from: &reader, names: &names).whole, !cells.isEmpty else {
      throw .invalid("history: it has no change, or names by writes", offset: start)
    }
    changes = try cells.changes(readAt: start)
  }
}

extension VersionVector {
  /// Writes this vector of a history whose state has `state`: one byte when they are equal.
  func encodeHistory(behind state: VersionVector, into writer: inout ByteWriter) {
    writer.byte(self == state ? 0 : 1)
    if self != state { encode(into: &writer) }
  }

  /// - Throws: `CodecError` for a vector that `state` does not cover, and for the long form of an
  ///   equal one.
  init(historyBehind state: VersionVector, from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    switch try reader.byte() {
    case 0: self = state
    case 1:
      self = try VersionVector(from: &reader)
      guard self != state, state.covers(self) else {
        throw .invalid("history vector", offset: start)
      }
    default: throw .invalid("history flags", offset: start)
    }
  }
}
