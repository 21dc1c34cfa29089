/// A list that grows by pieces: what is in it stays where it is, and a copy of it shares the pieces that neither changes.
///
/// ```swift
/// var rows = Column<Int>()
/// rows.append(7)
/// rows[0]  // 7
/// ```
///
/// An array of a million elements is copied twenty times while it is built, and leaves as much memory behind as it takes.
/// Here the first piece grows as an array does, and the others have their room from the start. Each place is found in
/// O(1), by one look into the list of pieces. `Docs/PERFORMANCE.md` has what it saves and costs.
struct Column<Element> {
  private var pieces: [[Element]] = []
  private(set) var count = 0

  /// Elements of a piece: a power of two, of 8 to 16 KiB.
  private static var shift: Int {
    (16_384 / MemoryLayout<Element>.stride).bitWidth - 1
      - (16_384 / MemoryLayout<Element>.stride).leadingZeroBitCount
  }

  private static var mask: Int { 1 << shift - 1 }

  mutating func append(_ element: Element) {
    if count & Self.mask == 0 { addPiece() }
    pieces[pieces.count - 1].append(element)
    count += 1
  }

  /// Precondition: it is not empty.
  @discardableResult
  mutating func removeLast() -> Element {
    count -= 1
    let element = pieces[pieces.count - 1].removeLast()
    if count & Self.mask == 0 { pieces.removeLast() }
    return element
  }

  /// Removes all others, in place. O(n).
  mutating func keep(_ isKept: (Element) -> Bool) {
    var kept = 0
    for index in indices {
      let element = self[index]
      guard isKept(element) else { continue }
      self[kept] = element
      kept += 1
    }
    while count > kept { removeLast() }
  }

  private mutating func addPiece() {
    var piece: [Element] = []
    if count > 0 { piece.reserveCapacity(1 << Self.shift) }
    pieces.append(piece)
  }
}

extension Column: Sendable where Element: Sendable {}

extension Column: RandomAccessCollection, MutableCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Element {
    @inline(__always) get { pieces[index >> Self.shift][index & Self.mask] }
    @inline(__always) _modify { yield &pieces[index >> Self.shift][index & Self.mask] }
  }
}
