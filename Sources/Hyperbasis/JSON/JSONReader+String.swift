import HyperbasisCore

extension JSONReader {
  /// Reads a string; the opening quote is next.
  mutating func string() throws(Failure) -> String {
    at += 1
    let start = at
    try skipPlain(from: start)
    if bytes[at] == UInt8(ascii: "\"") {
      let text = try text(bytes[start..<at], from: start)
      at += 1
      return text
    }
    var unescaped = Array(bytes[start..<at])
    while bytes[at] != UInt8(ascii: "\"") {
      try escape(into: &unescaped)
      let run = at
      try skipPlain(from: start)
      unescaped.append(contentsOf: bytes[run..<at])
    }
    let text = try text(unescaped, from: start)
    at += 1
    return text
  }

  /// Stops at the quote or backslash that comes next.
  private mutating func skipPlain(from start: Int) throws(Failure) {
    var position = at
    while position < end {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      position += 1
    }
    at = position
    guard at - start <= stringBytes else {
      throw Failure(reason: .stringTooLong, offset: start - 1)
    }
    guard let byte = peek() else { throw failure(.endsEarly(expected: "the closing quote")) }
    guard byte >= 0x20 else { throw failure(.controlCharacter(byte)) }
  }

  /// Checks that the bytes, which were read up to `at`, are UTF-8.
  private func text(_ unescaped: some Collection<UInt8>, from start: Int) throws(Failure) -> String
  {
    if let text = String(validating: unescaped, as: UTF8.self) { return text }
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes[start..<at].makeIterator()
    var offset = start
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { offset += scalar.count }
    throw Failure(reason: .notUTF8, offset: offset)
  }

  /// Reads one escape; the backslash is next.
  private mutating func escape(into unescaped: inout [UInt8]) throws(Failure) {
    let start = at
    at += 1
    guard let byte = peek() else { throw failure(.endsEarly(expected: "an escaped character")) }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0C)
    case UInt8(ascii: "n"): unescaped.append(0x0A)
    case UInt8(ascii: "r"): unescaped.append(0x0D)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = try escapedScalar(from: start)
      unescaped.append(contentsOf: String(scalar).utf8)
    default: throw Failure(reason: .badEscape, offset: start)
    }
  }

  /// Reads the digits of a `\u` escape, and of the second one where the first is a high surrogate.
  private mutating func escapedScalar(from start: Int) throws(Failure) -> UnicodeScalar {
    let first = try fourHexDigits()
    if let scalar = UnicodeScalar(first) { return scalar }
    let isHigh = first < 0xDC00
    guard isHigh, skip("\\u") else { throw Failure(reason: .unpairedSurrogate, offset: start) }
    let second = try fourHexDigits()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw Failure(reason: .unpairedSurrogate, offset: start) }
    return scalar
  }

  private mutating func fourHexDigits() throws(Failure) -> UInt32 {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek(), let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
        throw unexpected("four hex digits")
      }
      number = number << 4 | UInt32(digit)
      at += 1
    }
    return number
  }
}
