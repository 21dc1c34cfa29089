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
    left.text.utf8.count == right.text.utf8.count && left.difference(from: right) == 0
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.difference(from: right) < 0
  }

  /// Of the first byte that differs, else of the lengths: negative when this key comes first.
  @inline(__always)
  private func difference(from other: Key) -> Int {
    text.withBytes { mine in
      other.text.withBytes { theirs in
        for index in 0..<min(mine.count, theirs.count) where mine[index] != theirs[index] {
          return Int(mine[index]) - Int(theirs[index])
        }
        return mine.count - theirs.count
      }
    }
  }

  package func hash(into hasher: inout Hasher) {
    text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

extension String {
  /// Lends the bytes of UTF-8, without a copy of the text where they lie in one piece: everywhere but
  /// in strings that came from Objective-C.
  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    return Array(utf8).withUnsafeBufferPointer(body)
  }
}
