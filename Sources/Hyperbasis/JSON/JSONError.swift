import HyperbasisCore

/// Why bytes are not a JSON text, and where.
///
/// ```swift
/// do { _ = try JSON.parse(Array("[1,]".utf8)) } catch { print(error) }
/// // line 1, column 4: expected a value, found "]"
/// ```
package struct JSONError: Error, Equatable, Sendable {
  /// Counted from 1; lines end with a line feed.
  package let line: Int
  /// Counted from 1, in Unicode scalars.
  package let column: Int
  package let reason: Reason

  package enum Reason: Equatable, Sendable {
    case expected(String, found: String)
    case endsEarly(expected: String)
    case byteOrderMark
    case notUTF8
    case controlCharacter(UInt8)
    case badEscape
    case unpairedSurrogate
    case leadingZero
    case notFinite
    case integerTooWide(String)
    case doubleTooLarge(String)
    case duplicateKey(Key)
    case trailing
    case tooDeep
    case stringTooLong
    case numberTooLong
    case tooManyValues
  }

  init(_ reason: Reason, at offset: Int, of bytes: [UInt8]) {
    self.reason = reason
    var line = 1
    var column = 1
    for byte in bytes[..<offset] {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0b1100_0000 != 0b1000_0000 {
        column += 1
      }
    }
    self.line = line
    self.column = column
  }
}

extension JSONError: CustomStringConvertible {
  package var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSONError.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .expected(let expected, let found): "expected \(expected), found \(found)"
    case .endsEarly(let expected): "the text ends where \(expected) was expected; is it cut short?"
    case .byteOrderMark: "begins with a byte-order mark; save it as UTF-8 without one"
    case .notUTF8: "a string has a byte that is not UTF-8"
    case .controlCharacter(let byte):
      "a string has the control character \(byte) unescaped; write it as \\u00\(hex(byte))"
    case .badEscape: "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"
    case .unpairedSurrogate: "a \\u escape is half of a surrogate pair, the other half is missing"
    case .leadingZero: "a number does not begin with 0 before other digits"
    case .notFinite: "NaN and infinity are not JSON numbers"
    case .integerTooWide(let token): "the integer \(token) does not fit 64 bits"
    case .doubleTooLarge(let token): "the number \(token) does not fit a double"
    case .duplicateKey(let key): "the key \(key.shown) occurs twice in one object"
    case .trailing: "expected the end, found more text after the first value"
    case .tooDeep: "more than \(InputLimits.jsonDepth) levels of arrays and objects"
    case .stringTooLong: "a string is longer than \(InputLimits.jsonStringBytes) bytes"
    case .numberTooLong: "a number is longer than \(InputLimits.jsonNumberBytes) characters"
    case .tooManyValues: "more than \(InputLimits.jsonValues) values"
    }
  }
}

private func hex(_ byte: UInt8) -> String {
  (byte < 16 ? "0" : "") + String(byte, radix: 16)
}
