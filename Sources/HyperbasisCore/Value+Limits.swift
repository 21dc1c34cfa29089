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
    try value.checkContents(for: key, depth: 0)
    let bytes = value.encodedLength
    guard bytes <= Limits.valueBytes else { throw .tooLarge(key, bytes: bytes) }
  }

  private func checkContents(for key: Key, depth: Int) throws(ValueError) {
    switch self {
    case .null, .bool, .int, .string: break
    case .double(let double):
      guard double.isFinite else { throw .notFinite(key) }
    case .array(let elements):
      guard depth < Limits.valueDepth else { throw .tooDeep(key) }
      for element in elements { try element.checkContents(for: key, depth: depth + 1) }
    case .object(let object):
      guard depth < Limits.valueDepth else { throw .tooDeep(key) }
      for entry in object.entries { try entry.value.checkContents(for: key, depth: depth + 1) }
    }
  }
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
