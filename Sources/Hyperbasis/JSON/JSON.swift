import HyperbasisCore

/// JSON text (RFC 8259) to and from typed values, exactly.
///
/// ```swift
/// let value = try JSON.parse(Array(#"{"a":3.0,"b":3}"#.utf8))
/// print(JSON.write(value))  // {"a":3.0,"b":3}
/// ```
///
/// Foundation's reader does not serve here: it turns `3.0` into a number that cannot be told from
/// `3`, and its dictionaries merge keys that are canonically equal but differ in bytes.
///
/// A number without point and exponent is a `.int`, any other a `.double`; `-0` is `.double(-0.0)`.
/// What one reader could understand differently from another is refused: two equal keys in one
/// object, unpaired surrogates, integers beyond 64 bits, doubles beyond the largest, a byte-order
/// mark, bytes that are not UTF-8. `\u0000` is allowed.
package enum JSON {
  /// Reads one JSON text: a value of any kind with whitespace around it.
  ///
  /// Complexity: O(n) in the bytes; objects are sorted by key.
  ///
  /// - Parameter stringBytes: bytes of one string, as written.
  /// - Throws: `JSONError` with line, column and what was expected.
  package static func parse(
    _ bytes: [UInt8], stringBytes: Int = InputLimits.jsonStringBytes
  ) throws(JSONError) -> Value {
    try parse(bytes, in: 0..<bytes.count, stringBytes: stringBytes)
  }

  /// Reads the JSON text in `range`; an error counts its line and column from the first byte.
  static func parse(
    _ bytes: [UInt8], in range: Range<Int>, stringBytes: Int = InputLimits.jsonStringBytes
  ) throws(JSONError) -> Value {
    var reader = JSONReader(bytes, in: range, stringBytes: stringBytes)
    do throws(JSONReader.Failure) {
      return try reader.document()
    } catch {
      throw JSONError(error.reason, at: error.offset, of: bytes)
    }
  }
}
