/// A date as the SDK writes it: ISO 8601, in whole seconds; a fraction and another time zone are read
/// as well.
///
/// ```swift
/// SDKDate.nanoseconds("1970-01-01T00:00:01.5Z")  // 1,500,000,000
/// ```
enum SDKDate {
  /// Nanoseconds since 1970, what is finer cut off; nil for what is no date, or none within 64 bits
  /// (the years 1678 to 2261 are).
  static func nanoseconds(_ text: String) -> Int64? {
    var reader = DateReader(bytes: Array(text.utf8))
    guard let year = reader.number(4), reader.skip("-"),
      let month = reader.number(2, in: 1...12), reader.skip("-"),
      let day = reader.number(2, in: 1...days(inMonth: month, of: year)), reader.skip("T"),
      let hour = reader.number(2, in: 0...23), reader.skip(":"),
      let minute = reader.number(2, in: 0...59), reader.skip(":"),
      let second = reader.number(2, in: 0...59),
      let fraction = reader.fraction(), let offset = reader.zone(), reader.isAtEnd
    else { return nil }
    let days = days(since1970: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    let (nanoseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isBeyond) = nanoseconds.addingReportingOverflow(fraction)
    return isTooFar || isBeyond ? nil : sum
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// In the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms": years begin
  /// in March, so that the leap day is the last).
  private static func days(since1970 year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

/// One pass over the text of a date.
private struct DateReader {
  let bytes: [UInt8]
  private var at = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { at == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  mutating func digit() -> Int64? {
    guard at < bytes.count, case let digit = bytes[at] &- UInt8(ascii: "0"), digit < 10 else {
      return nil
    }
    at += 1
    return Int64(digit)
  }

  /// Exactly so many digits.
  mutating func number(_ digits: Int, in range: ClosedRange<Int64> = 0...9_999) -> Int64? {
    var number: Int64 = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return range.contains(number) ? number : nil
  }

  /// Nanoseconds; 0 where there is no fraction.
  mutating func fraction() -> Int64? {
    guard skip(".") else { return 0 }
    guard var fraction = digit() else { return nil }
    var digits = 1
    while let digit = digit() {
      if digits < 9 {
        fraction = fraction * 10 + digit
        digits += 1
      }
    }
    for _ in digits..<9 { fraction *= 10 }
    return fraction
  }

  /// Seconds that the zone is ahead of UTC: `Z`, `+02:00` or `+0200`.
  mutating func zone() -> Int64? {
    if skip("Z") { return 0 }
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = number(2, in: 0...23) else { return nil }
    _ = skip(":")
    guard let minutes = number(2, in: 0...59) else { return nil }
    return (isAhead ? 1 : -1) * (hours * 3_600 + minutes * 60)
  }
}
