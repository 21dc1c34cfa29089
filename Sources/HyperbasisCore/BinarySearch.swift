extension RandomAccessCollection where Index == Int {
  /// The index of the first element that does not lie below, in a collection where those below come
  /// first; `endIndex` when all do. O(log n).
  ///
  /// ```swift
  /// [1, 3, 5].firstIndex(notBelow: { $0 < 4 })  // 2
  /// ```
  @inlinable public func firstIndex(notBelow isBelow: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isBelow(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
