import HyperbasisCore

extension JSONReader {
  /// Reads a number; a minus or a digit is next.
  mutating func number() throws(Failure) -> Value {
    let start = at
    var decimal = Decimal(isNegative: skip("-"))
    if isNonFiniteWord { throw failure(.notFinite) }
    let hasLeadingZero = peek() == UInt8(ascii: "0")
    let wholeDigits = try digits(into: &decimal, isFraction: false)
    if hasLeadingZero, wholeDigits > 1 { throw Failure(reason: .leadingZero, offset: start) }
    var isWhole = true
    if skip(".") {
      isWhole = false
      _ = try digits(into: &decimal, isFraction: true)
    }
    if skip("e") || skip("E") {
      isWhole = false
      let isNegative = skip("-")
      if !isNegative { _ = skip("+") }
      var exponent = Decimal(isNegative: isNegative)
      _ = try digits(into: &exponent, isFraction: false)
      decimal.scale(by: exponent)
    }
    guard at - start <= InputLimits.jsonNumberBytes else {
      throw Failure(reason: .numberTooLong, offset: start)
    }
    if isWhole { return try whole(decimal, from: start) }
    if let double = decimal.exactDouble { return .double(double) }
    return try double(from: start)
  }

  private func whole(_ decimal: Decimal, from start: Int) throws(Failure) -> Value {
    if decimal.isNegative, decimal.digits == 0 { return .double(-0.0) }
    guard let integer = decimal.integer else {
      let token = String(decoding: bytes[start..<at].prefix(40), as: UTF8.self)
      throw Failure(reason: .integerTooWide(token), offset: start)
    }
    return .int(integer)
  }

  /// The correctly rounded value of the token that was just read.
  private func double(from start: Int) throws(Failure) -> Value {
    let token = String(decoding: bytes[start..<at], as: UTF8.self)
    guard let double = Double(token) else {
      preconditionFailure("the grammar allowed a number that is none")
    }
    guard double.isFinite else {
      throw Failure(reason: .doubleTooLarge(String(token.prefix(40))), offset: start)
    }
    return .double(double)
  }

  /// Reads one or more digits and returns how many.
  private mutating func digits(into decimal: inout Decimal, isFraction: Bool) throws(Failure) -> Int
  {
    let start = at
    while at < end {
      let digit = bytes[at] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      decimal.append(digit, isFraction: isFraction)
      at += 1
    }
    guard at > start else { throw unexpected("a digit") }
    return at - start
  }
}

/// The digits of a number as far as 64 bits hold them, and its power of ten.
private struct Decimal {
  let isNegative: Bool
  private var significand: UInt64 = 0
  /// Digits of the significand, leading zeros not counted, those that did not fit included.
  private(set) var digits = 0
  private var exponent = 0

  /// Every significand of so many digits fits 64 bits.
  private static let mostDigits = 19

  init(isNegative: Bool) {
    self.isNegative = isNegative
  }

  mutating func append(_ digit: UInt8, isFraction: Bool) {
    if isFraction { exponent -= 1 }
    if digits == 0, digit == 0 { return }
    digits += 1
    if digits <= Self.mostDigits { significand = significand &* 10 &+ UInt64(digit) }
  }

  /// Precondition: `power` is a whole number.
  mutating func scale(by power: Decimal) {
    let magnitude = power.digits <= 6 ? Int(power.significand) : 1_000_000
    exponent += power.isNegative ? -magnitude : magnitude
  }

  /// The number as a 64-bit integer, the exponent aside; nil when it does not fit.
  var integer: Int64? {
    guard digits <= Self.mostDigits, significand <= UInt64(Int64.max) + (isNegative ? 1 : 0) else {
      return nil
    }
    return Int64(truncatingIfNeeded: isNegative ? 0 &- significand : significand)
  }

  /// The correctly rounded double where one operation on two exact doubles gives it, else nil.
  ///
  /// Integers up to 2^53 and powers of ten up to 10^22 are exact doubles, so their product or
  /// quotient is rounded once (Clinger, "How to read floating point numbers accurately", 1990).
  var exactDouble: Double? {
    guard digits <= 15, -22...22 ~= exponent else { return nil }
    let magnitude = Double(significand)
    let double =
      exponent < 0 ? magnitude / powersOfTen[-exponent] : magnitude * powersOfTen[exponent]
    return isNegative ? -double : double
  }
}

private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]
