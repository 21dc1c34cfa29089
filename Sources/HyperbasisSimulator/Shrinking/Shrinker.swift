/// Makes a list that fails small, by leaving things out.
///
/// ```swift
/// let shrinker = Shrinker(runs: 200)
/// shrinker.smallest(Array(1...100)) { $0.contains(13) && $0.contains(77) }  // [13, 77]
/// ```
///
/// Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002).
final class Shrinker {
  /// How often it may still try.
  private(set) var runs: Int
  /// Whether there is something left to spend on another run.
  private let mayGoOn: () -> Bool
  /// Whether it stopped because there was not.
  private(set) var isCutShort = false

  init(runs: Int, while mayGoOn: @escaping () -> Bool = { true }) {
    self.runs = runs
    self.mayGoOn = mayGoOn
  }

  /// Whether something fails, as long as there are runs left.
  func tries(_ fails: () -> Bool) -> Bool {
    guard isOpen else { return false }
    runs -= 1
    return fails()
  }

  /// A part of `items` that fails, of which nothing can be left out as long as there are runs left.
  /// Precondition: all of them together fail.
  func smallest<Item>(_ items: [Item], fails: ([Item]) -> Bool) -> [Item] {
    var rest = items
    var size = max(1, rest.count / 2)
    while !rest.isEmpty && isOpen {
      var start = 0
      var hasShrunk = false
      while start < rest.count && isOpen {
        var fewer = rest
        fewer.removeSubrange(start..<min(start + size, rest.count))
        if tries({ fails(fewer) }) {
          rest = fewer
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1 && !hasShrunk { break }
      size = max(1, size / 2)
    }
    return rest
  }

  private var isOpen: Bool {
    if runs > 0, !isCutShort { isCutShort = !mayGoOn() }
    return runs > 0 && !isCutShort
  }
}
