/// The one source of chance of a simulation: the same seed gives the same numbers everywhere.
///
/// Source: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators").
struct RandomSource {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// A number in `0..<bound`. Precondition: `bound` is positive.
  mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0, "something to choose from")
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  mutating func chance(_ ratio: Ratio) -> Bool {
    below(ratio.whole) < ratio.part
  }

  /// Precondition: `items` is not empty.
  mutating func pick<Item>(_ items: [Item]) -> Item {
    items[below(items.count)]
  }

  /// A source of its own for another purpose, so that one draw more here changes nothing there.
  mutating func forked() -> RandomSource {
    RandomSource(seed: next())
  }
}

/// A probability: `part` times in `whole`.
public struct Ratio: Equatable, Sendable, CustomStringConvertible {
  public let part: Int
  public let whole: Int

  /// Precondition: `0 <= part <= whole`, `whole > 0`.
  public init(_ part: Int, in whole: Int) {
    precondition(whole > 0 && (0...whole).contains(part), "a probability")
    self.part = part
    self.whole = whole
  }

  public static let never = Ratio(0, in: 1)

  public var description: String { "\(part)/\(whole)" }
}
