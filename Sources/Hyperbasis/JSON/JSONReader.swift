import HyperbasisCore

/// One pass over the bytes of a JSON text.
///
/// Strings and numbers are read in `JSONReader+String.swift` and `JSONReader+Number.swift`. Depth is
/// bounded by `InputLimits.jsonDepth`, so the recursion is.
struct JSONReader {
  let bytes: [UInt8]
  let end: Int
  let stringBytes: Int
  var at: Int
  private var depth = 0
  private var values = 0

  /// Where reading stopped, as an offset; turned into line and column once, at the surface.
  struct Failure: Error {
    let reason: JSONError.Reason
    let offset: Int
  }

  init(_ bytes: [UInt8], in range: Range<Int>, stringBytes: Int) {
    self.bytes = bytes
    self.stringBytes = stringBytes
    at = range.lowerBound
    end = range.upperBound
  }

  mutating func document() throws(Failure) -> Value {
    for mark: [UInt8] in [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]]
    where bytes[at..<end].starts(with: mark) {
      throw failure(.byteOrderMark)
    }
    skipWhitespace()
    let value = try value()
    skipWhitespace()
    guard at == end else { throw failure(.trailing) }
    return value
  }

  private mutating func value() throws(Failure) -> Value {
    values += 1
    guard values <= InputLimits.jsonValues else { throw failure(.tooManyValues) }
    guard let first = peek() else { throw unexpected("a value") }
    switch first {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t") where skip("true"): return .bool(true)
    case UInt8(ascii: "f") where skip("false"): return .bool(false)
    case UInt8(ascii: "n") where skip("null"): return .null
    default:
      if isNonFiniteWord { throw failure(.notFinite) }
      throw unexpected("a value")
    }
  }

  /// Passes an opening bracket; `leave` is its counterpart.
  private mutating func enter() throws(Failure) {
    guard depth < InputLimits.jsonDepth else { throw failure(.tooDeep) }
    depth += 1
    at += 1
    skipWhitespace()
  }

  /// Whether the closing bracket was next; it is then passed.
  private mutating func leave(_ bracket: StaticString) -> Bool {
    guard skip(bracket) else { return false }
    depth -= 1
    return true
  }

  private mutating func array() throws(Failure) -> [Value] {
    try enter()
    if leave("]") { return [] }
    var elements: [Value] = []
    while true {
      skipWhitespace()
      elements.append(try value())
      skipWhitespace()
      if leave("]") { return elements }
      guard skip(",") else { throw unexpected("\",\" or \"]\"") }
    }
  }

  private mutating func object() throws(Failure) -> Value.Object {
    try enter()
    if leave("}") { return Value.Object() }
    var entries: [Value.Object.Entry] = []
    var offsets: [Int] = []
    while true {
      skipWhitespace()
      guard peek() == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
      offsets.append(at)
      let key = Key(try string())
      skipWhitespace()
      guard skip(":") else { throw unexpected("\":\"") }
      skipWhitespace()
      entries.append(Value.Object.Entry(key: key, value: try value()))
      skipWhitespace()
      if leave("}") { break }
      guard skip(",") else { throw unexpected("\",\" or \"}\"") }
    }
    if let object = Value.Object(entries) { return object }
    throw duplicate(entries.map(\.key), at: offsets)
  }

  /// The failure at the first key that was there before.
  private func duplicate(_ keys: [Key], at offsets: [Int]) -> Failure {
    var seen: Set<Key> = []
    for (key, offset) in zip(keys, offsets) where !seen.insert(key).inserted {
      return Failure(reason: .duplicateKey(key), offset: offset)
    }
    preconditionFailure("Value.Object refused keys that differ")
  }
}

extension JSONReader {
  func peek() -> UInt8? {
    at < end ? bytes[at] : nil
  }

  /// Whether the word was next; it is then passed.
  mutating func skip(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard at + length <= end else { return false }
    for index in 0..<length where bytes[at + index] != word.utf8Start[index] { return false }
    at += length
    return true
  }

  mutating func skipWhitespace() {
    while at < end {
      switch bytes[at] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): at += 1
      default: return
      }
    }
  }

  var isNonFiniteWord: Bool {
    ["NaN", "nan", "Infinity", "inf", "Inf"].contains { bytes[at..<end].starts(with: $0.utf8) }
  }

  func failure(_ reason: JSONError.Reason) -> Failure {
    Failure(reason: reason, offset: at)
  }

  func unexpected(_ expected: String) -> Failure {
    guard let byte = peek() else { return failure(.endsEarly(expected: expected)) }
    let isASCII = byte < 0x80
    return failure(
      .expected(
        expected,
        found: isASCII ? String(UnicodeScalar(byte)).shown : "the byte \(byte)"))
  }
}
