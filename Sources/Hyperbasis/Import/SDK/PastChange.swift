import HyperbasisCore

/// A change that happened before it came here, at its time.
package struct PastChange: Equatable, Sendable {
  /// Nanoseconds since 1970: when it happened.
  package let time: Int64
  /// Nanoseconds since 1970: the `updatedAt` that it left.
  package var date: Int64
  package let operations: [Operation]
}

extension PastChange {
  /// A timestamp for each of the times, which ascend: strictly ascending ones, none after its time
  /// and none after `latest`.
  ///
  /// Those of one time come just before it, so that what was at that time is what the last of them
  /// left. Devices with the same times get the same stamps, as long as no time lies ahead.
  /// Complexity: O(n).
  package static func stamps(of times: [Int64], latest: Timestamp) -> [Timestamp] {
    var stamps: [Timestamp] = []
    var next = latest
    for (index, time) in times.enumerated().reversed() {
      // Before 1970 there is one stamp for each change.
      let wanted = max(Timestamp(nanoseconds: time), Timestamp(bits: UInt64(index + 1)))
      let stamp = min(wanted, next)
      stamps.append(stamp)
      next = Timestamp(bits: stamp.bits &- 1)
    }
    return stamps.reversed()
  }
}
