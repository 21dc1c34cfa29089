/// A list of whole changes as a table: a row for each operation, those of a change behind each other.
extension CellTable {
  /// Adds the operations of a change, in their order.
  package mutating func append(_ change: Change) {
    for operation in change.operations { append(operation, change.stamp) }
  }

  /// The changes that were added, told apart by their dots. O(n).
  ///
  /// - Parameter offset: Where the table was read, for errors.
  /// - Throws: `CodecError` for rows of one dot that are no change within the limits.
  package func changes(readAt offset: Int) throws(CodecError) -> [Change] {
    var changes: [Change] = []
    var first = 0
    while first < rows.count {
      var end = first + 1
      while end < rows.count, rows[end].dot == rows[first].dot { end += 1 }
      changes.append(try change(first..<end, readAt: offset))
      first = end
    }
    return changes
  }

  private func change(_ range: Range<Int>, readAt offset: Int) throws(CodecError) -> Change {
    let stamp = stamp(at: range.lowerBound)
    guard range.allSatisfy({ self.stamp(at: $0) == stamp }) else {
      throw .invalid("change: it has two times", offset: offset)
    }
    let operations = range.map { operation(at: $0) }
    guard Change.registersAreDistinct(operations) else {
      throw .invalid("operations: a register occurs twice", offset: offset)
    }
    let change = Change(stamp: stamp, distinct: operations)
    let length = change.encodedLength
    guard length <= Limits.changeBytes else {
      throw .limit("change bytes", value: UInt64(length), most: Limits.changeBytes, offset: offset)
    }
    return change
  }
}
