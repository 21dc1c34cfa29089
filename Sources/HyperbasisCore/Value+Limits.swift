extension Value {
  /// Checks one metadata entry before it is stored, so that every peer can read it.
  ///
  /// ```swift
  /// try Value.check(.double(.nan), for: "width")  // throws: metadata "width" holds a number that is not finite
  /// ```
  ///
  /// Complexity: O(n) in the size of the value; a value nested too deep is refused without
  /// descending further.
  ///
  /// - Throws: `ValueError` that names the key and what it exceeds.
  package static func check(_ value: Value, for key: Key) throws(ValueError) {
    let keyBytes = key.text.utf8.count
    guard keyBytes <= Limits.keyBytes else { throw .keyTooLong(key, bytes: keyBytes) }
    let bytes = try value.checkedLength(for: key, depth: 0)
    guard bytes <= Limits.valueBytes else { throw .tooLarge(key, bytes: bytes) }
  }

  /// Bytes of the encoded value: a tag, then varints for integers, lengths and counts, eight bytes
  /// for a double, UTF-8 for texts.
  private func checkedLength(for key: Key, depth: Int) throws(ValueError) -> Int {
    switch self {
    case .null, .bool:
      return 1
    case .int(let int):
      return 1 + varintLength(UInt64(bitPattern: int << 1 ^ int >> 63))
    case .double(let double):
      guard double.isFinite else { throw .notFinite(key) }
      return 9
    case .string(let string):
      return 1 + textLength(string)
    case .array(let elements):
      guard depth < Limits.valueDepth else { throw .tooDeep(key) }
      var length = 1 + varintLength(UInt64(elements.count))
      for element in elements { length += try element.checkedLength(for: key, depth: depth + 1) }
      return length
    case .object(let object):
      guard depth < Limits.valueDepth else { throw .tooDeep(key) }
      var length = 1 + varintLength(UInt64(object.entries.count))
      for entry in object.entries {
        length += textLength(entry.key.text)
        length += try entry.value.checkedLength(for: key, depth: depth + 1)
      }
      return length
    }
  }
}

private func textLength(_ text: String) -> Int {
  let bytes = text.utf8.count
  return varintLength(UInt64(bytes)) + bytes
}

/// Bytes of a variable-length integer with seven bits in each.
private func varintLength(_ number: UInt64) -> Int {
  max(1, (UInt64.bitWidth - number.leadingZeroBitCount + 6) / 7)
}

/// Why a metadata entry cannot be stored.
package enum ValueError: Error, Equatable, Sendable {
  /// The key has more than `Limits.keyBytes` bytes of UTF-8.
  case keyTooLong(Key, bytes: Int)
  /// The encoded value has more than `Limits.valueBytes` bytes.
  case tooLarge(Key, bytes: Int)
  /// The value has more than `Limits.valueDepth` levels of arrays and objects.
  case tooDeep(Key)
  /// The value is or holds NaN or an infinity.
  case notFinite(Key)
}

extension ValueError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .keyTooLong(let key, let bytes):
      "metadata key \(key.shown) has \(bytes) bytes, at most \(Limits.keyBytes) are allowed"
    case .tooLarge(let key, let bytes):
      "metadata \(key.shown) has \(bytes) bytes, at most \(Limits.valueBytes) are allowed"
    case .tooDeep(let key):
      "metadata \(key.shown) is nested deeper than \(Limits.valueDepth) levels"
    case .notFinite(let key):
      "metadata \(key.shown) holds a number that is not finite"
    }
  }
}
