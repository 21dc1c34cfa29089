import Foundation

/// Seconds from 1970 to 2001, where a `Date` has its zero.
private let secondsTo2001: Int64 = 978_307_200
private let nanosecondsPerSecond: Int64 = 1_000_000_000

extension Date {
  /// The date of so many nanoseconds since 1970, as near as a `Date` comes.
  package init(nanoseconds: Int64) {
    let parts = nanoseconds.floored(by: nanosecondsPerSecond)
    self.init(
      timeIntervalSinceReferenceDate: Double(parts.quotient - secondsTo2001)
        + Double(parts.remainder) / Double(nanosecondsPerSecond))
  }

  /// Nanoseconds since 1970, rounded.
  ///
  /// ```swift
  /// Date(nanoseconds: date.nanoseconds) == date  // true, to the bit
  /// ```
  ///
  /// So for every date from 1677 to 2262 but for those within 98 days of the start of 2001: there a
  /// `Date` has steps finer than a nanosecond, and one of whole nanoseconds returns. A date before
  /// or after these years gives the least or greatest number, NaN gives 0.
  package var nanoseconds: Int64 {
    guard !timeIntervalSinceReferenceDate.isNaN else { return 0 }
    // More seconds than an Int64 of nanoseconds holds, and fewer than would overflow below.
    let most = 20e9
    let seconds = max(-most, min(most, timeIntervalSinceReferenceDate))
    let whole = seconds.rounded(.down)
    let rest = ((seconds - whole) * Double(nanosecondsPerSecond)).rounded()
    return Int64(
      clamping: (Int128(whole) + Int128(secondsTo2001)) * Int128(nanosecondsPerSecond)
        + Int128(rest))
  }
}

extension Int64 {
  /// Division that rounds down, so that the remainder is never negative.
  fileprivate func floored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
