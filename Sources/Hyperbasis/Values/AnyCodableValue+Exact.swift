extension AnyCodableValue {
  /// Equal as a store compares: by kinds, bits of doubles, UTF-8 bytes of strings and keys.
  ///
  /// ```swift
  /// // All of these are false, where == is true:
  /// AnyCodableValue.double(0.0).isIdentical(to: .double(-0.0))
  /// AnyCodableValue.string("caf\u{E9}").isIdentical(to: .string("cafe\u{301}"))
  /// ```
  func isIdentical(to other: AnyCodableValue) -> Bool {
    switch (self, other) {
    case (.string(let left), .string(let right)): left.isIdentical(to: right)
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.array(let left), .array(let right)):
      left.elementsEqual(right) { $0.isIdentical(to: $1) }
    case (.dictionary(let left), .dictionary(let right)):
      left.count == right.count
        && left.allSatisfy { key, value in
          right.exactValue(for: key)?.isIdentical(to: value) ?? false
        }
    case (.int(let left), .int(let right)): left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.null, .null): true
    default: false
    }
  }

  /// Whether arrays and dictionaries lie in it to more levels than so many; looks no deeper.
  func isDeeper(than levels: Int) -> Bool {
    switch self {
    case .array(let elements): levels == 0 || elements.contains { $0.isDeeper(than: levels - 1) }
    case .dictionary(let entries):
      levels == 0 || entries.values.contains { $0.isDeeper(than: levels - 1) }
    case .string, .int, .double, .bool, .null: false
    }
  }

  /// Whether no number in it is NaN or infinite.
  var isFinite: Bool {
    switch self {
    case .double(let double): double.isFinite
    case .array(let elements): elements.allSatisfy(\.isFinite)
    case .dictionary(let entries): entries.values.allSatisfy(\.isFinite)
    case .string, .int, .bool, .null: true
    }
  }
}

extension String {
  /// Equal byte for byte; `==` also holds for composed and decomposed forms of one character.
  func isIdentical(to other: String) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}

extension [String: AnyCodableValue] {
  /// The value of the key with these very bytes.
  func exactValue(for key: String) -> AnyCodableValue? {
    guard let index = index(forKey: key), self[index].key.isIdentical(to: key) else { return nil }
    return self[index].value
  }

  /// Whether there is a key with these very bytes.
  func hasExactKey(_ key: String) -> Bool {
    index(forKey: key).map { self[$0].key.isIdentical(to: key) } ?? false
  }
}
