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
  /// A change without anchors, of one operation of one byte.
  private static let changeBytes = 29

  func encode(into writer: inout ByteWriter) {
    writer.identifier(space)
    writer.byte(isLast ? HistoryPart.last : 0)
    writer.varint(changes.count)
    for change in changes { change.encode(into: &writer) }
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    space = try reader.identifier()
    let start = reader.offset
    let flags = try reader.byte()
    guard flags <= HistoryPart.last else { throw .invalid("history flags", offset: start) }
    isLast = flags == HistoryPart.last
    let count = try reader.count(
      of: "changes", most: Limits.frameBytes, itemBytes: HistoryPart.changeBytes)
    guard count > 0 else { throw .invalid("history: it has no change", offset: start) }
    changes = []
    changes.reserveCapacity(count)
    for _ in 0..<count { changes.append(try Change(from: &reader)) }
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
