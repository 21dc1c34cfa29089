import HyperbasisCore

/// Reads JSON lines: one object on each line, blank lines skipped.
///
/// ```swift
/// var lines = JSONLines(Array("{\"a\":1}\n\n{\"a\":2}\n".utf8))
/// while let line = try lines.next() { print(line.number) }  // 1, then 3
/// ```
package struct JSONLines {
  private let bytes: [UInt8]
  private var at = 0
  /// Of the line that was read last.
  private(set) var number = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The object of the next line that is not blank, with its number counted from 1; nil at the end.
  ///
  /// - Throws: `JSONError` with the line in the whole text.
  package mutating func next() throws(JSONError) -> (number: Int, object: Value.Object)? {
    guard let range = nextRange() else { return nil }
    guard case .object(let object) = try JSON.parse(bytes, in: range) else {
      let start = bytes[range].firstIndex { !isBlank($0) } ?? range.lowerBound
      throw JSONError(
        .expected("an object", found: "another value"), at: start, of: bytes)
    }
    return (number, object)
  }

  /// The bytes of the next line that is not blank, without its line feed.
  mutating func nextRange() -> Range<Int>? {
    while at < bytes.count {
      let start = at
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      at = end + 1
      number += 1
      if !bytes[start..<end].allSatisfy(isBlank) { return start..<end }
    }
    return nil
  }
}

private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
}
