/// A text that equals another only byte by byte; Swift's own strings also equal when merely
/// composed differently.
struct ExactText: Hashable, Comparable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  static func < (left: Self, right: Self) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8(0xFF))
  }
}
