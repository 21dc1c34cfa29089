/// A metadata key or other text that is compared by its UTF-8 bytes.
///
/// Swift's own `String` comparison treats composed and decomposed forms as equal; peers that do so
/// would disagree about how many keys an anchor has. Here the bytes are the identity.
///
/// ```swift
/// Key("caf\u{E9}") == Key("cafe\u{301}")  // false
/// ```
package struct Key: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package init(stringLiteral text: String) {
    self.text = text
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.count == right.text.utf8.count && left.order(right, by: ==)
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.order(right, by: <)
  }

  /// Compares by the first byte that differs, then by the lengths.
  private func order(_ other: Key, by compare: (Int, Int) -> Bool) -> Bool {
    var (mine, theirs) = (text, other.text)
    return mine.withUTF8 { mine in
      theirs.withUTF8 { theirs in
        for index in 0..<min(mine.count, theirs.count) where mine[index] != theirs[index] {
          return compare(Int(mine[index]), Int(theirs[index]))
        }
        return compare(mine.count, theirs.count)
      }
    }
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}
