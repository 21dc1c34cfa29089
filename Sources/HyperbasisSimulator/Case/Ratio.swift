/// A probability: `part` times in `whole`.
///
/// ```swift
/// options.faults[.cut] = Ratio(1, in: 20)
/// print(options.faults[.cut])  // 1/20
/// ```
public struct Ratio: Equatable, Sendable, CustomStringConvertible {
  /// How often.
  public let part: Int
  /// Of how many times.
  public let whole: Int

  /// Precondition: `0 <= part <= whole`, `whole > 0`.
  public init(_ part: Int, in whole: Int) {
    precondition(whole > 0 && (0...whole).contains(part), "a probability")
    self.part = part
    self.whole = whole
  }

  /// Reads `1/20`; nil for anything else.
  init?(_ text: some StringProtocol) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let part = numbers[0], let whole = numbers[1], whole > 0,
      (0...whole).contains(part)
    else { return nil }
    self.init(part, in: whole)
  }

  /// At no time.
  public static let never = Ratio(0, in: 1)

  /// As `1/20`.
  public var description: String { "\(part)/\(whole)" }
}
