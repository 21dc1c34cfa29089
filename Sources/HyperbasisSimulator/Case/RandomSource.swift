/// The one source of chance of a simulation: the same seed gives the same numbers everywhere.
///
/// Source: SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators").
///
/// ```swift
/// var random = RandomSource(seed: 7)
/// random.below(6)  // the same number in every run
/// ```
public struct RandomSource: Sendable {
  private var state: UInt64

  /// The source of a seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// A number in `0..<bound`. Precondition: `bound` is positive.
  public mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0, "something to choose from")
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number in a range.
  public mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// True as often as a ratio says.
  public mutating func chance(_ ratio: Ratio) -> Bool {
    below(ratio.whole) < ratio.part
  }

  /// One of several. Precondition: `items` is not empty.
  public mutating func pick<Item>(_ items: [Item]) -> Item {
    items[below(items.count)]
  }

  /// A source of its own for another purpose, so that one draw more here changes nothing there.
  public mutating func forked() -> RandomSource {
    RandomSource(seed: next())
  }
}
