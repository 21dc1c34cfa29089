/// A point of hybrid logical time: 48 bits of milliseconds since 1970, then a 16-bit counter.
///
/// ```swift
/// Timestamp(milliseconds: 5, counter: 1) > Timestamp(milliseconds: 5, counter: 0)  // true
/// ```
///
/// The counter carries into the milliseconds, so that adding one to `bits` is always the next
/// timestamp. Source: Kulkarni and others, "Logical Physical Clocks" (2014).
package struct Timestamp: Hashable, Comparable, Sendable {
  package let bits: UInt64

  package init(bits: UInt64) {
    self.bits = bits
  }

  package init(milliseconds: UInt64, counter: UInt16 = 0) {
    precondition(milliseconds < 1 << 48, "milliseconds have 48 bits")
    bits = milliseconds << 16 | UInt64(counter)
  }

  /// The latest timestamp that is not after a date, given in nanoseconds since 1970; zero for those
  /// before.
  package init(nanoseconds: Int64) {
    let (whole, rest) = UInt64(max(0, nanoseconds)).quotientAndRemainder(dividingBy: 1_000_000)
    bits = whole << 16 | (((rest + 1) << 16) - 1) / 1_000_000
  }

  package static let zero = Timestamp(bits: 0)

  package var milliseconds: UInt64 { bits >> 16 }

  /// The latest tick of a clock that is not after this: clocks give multiples of 8 alone. What is written anew as
  /// members join lies between two ticks, below whatever a clock gives that observed the former.
  package var tick: Timestamp { Timestamp(bits: bits & ~7) }

  /// Whether this was made by ``afterGivenUp``: when it was first written is not known.
  package var isOfUnknownAge: Bool { bits & 7 == 7 }

  /// The first timestamp after this, the greatest of what was given up, that stands for some earlier one.
  package var afterGivenUp: Timestamp {
    Timestamp(bits: bits == .max ? bits : (bits + 1) | 7)
  }

  /// The first timestamp that stands for this one. From the seventh on its age is not known any more.
  package var anew: Timestamp {
    isOfUnknownAge ? afterGivenUp : Timestamp(bits: bits + 1)
  }

  /// Nanoseconds since 1970, the counter read as a fraction of the millisecond; what lies beyond the
  /// year 2262 counts as that.
  package var nanoseconds: Int64 {
    let whole = Int64(min(milliseconds, UInt64(Int64.max) / 1_000_000 - 1)) * 1_000_000
    return whole + Int64(((bits & 0xFFFF) * 1_000_000) >> 16)
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.bits < right.bits
  }
}

/// A hybrid logical clock: every timestamp it gives is above all that it gave or observed before.
package struct HybridClock: Sendable {
  /// The highest timestamp given or observed.
  package private(set) var last: Timestamp

  package init(last: Timestamp = .zero) {
    self.last = last
  }

  /// The next timestamp, a ``Timestamp/tick``; `now` is the wall clock in milliseconds since 1970, `fraction` 256ths of a
  /// millisecond beyond it.
  ///
  /// The fraction starts the counter, so that an app that reads its clock between two edits finds
  /// that time between their timestamps.
  package mutating func next(now: UInt64, fraction: UInt8 = 0) -> Timestamp {
    let wall = HybridClock.timestamp(now: now, fraction: fraction)
    let isWrong = Defect.counterWraps.isPlanted && last.bits & 0xFFFF >= 0xFFF8
    // After the last timestamp of all there is none: the sequence then decides alone.
    let next = last.bits > .max - 8 ? .max : (last.bits | 7) + 1
    last = max(wall, Timestamp(bits: isWrong ? last.bits & ~0xFFFF : next))
    return last
  }

  /// What a wall clock alone gives; one that is thousands of years ahead is not followed.
  package static func timestamp(now: UInt64, fraction: UInt8) -> Timestamp {
    Timestamp(bits: min(now, 1 << 47) << 16 | UInt64(fraction) << 8)
  }

  /// Takes note of a timestamp that became part of the state.
  package mutating func observe(_ timestamp: Timestamp) {
    if Defect.clockIgnoresOthers.isPlanted { return }
    last = max(last, timestamp)
  }
}
