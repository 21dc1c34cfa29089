import HyperbasisCore

/// One metadata value of a simulated anchor; its cases are those of `AnyCodableValue`.
///
/// ```swift
/// anchor.metadata["size"] = 3.0
/// anchor.metadata["size"]?.doubleValue  // 3.0
/// anchor.metadata["size"]?.intValue     // nil: a double stays a double
/// ```
///
/// Equality is exact: doubles by their bits, texts by their UTF-8 bytes. O(n) in the size.
public enum SimulatedValue: Equatable, Sendable {
  /// Text.
  case string(String)
  /// An integer of 64 bits.
  case int(Int)
  /// A double; NaN and infinities cannot be saved.
  case double(Double)
  /// True or false.
  case bool(Bool)
  /// A list; lists and dictionaries may be 32 levels deep.
  case array([SimulatedValue])
  /// Values by key.
  case dictionary(SimulatedMetadata)
  /// Null, which is a value: a key that has it is there.
  case null

  /// Compares exactly. O(n) in the size.
  public static func == (left: SimulatedValue, right: SimulatedValue) -> Bool {
    // Pairs that wait, and not a call for each level: a model's values may be of any depth.
    var pairs = [(left, right)]
    while let pair = pairs.popLast() {
      switch pair {
      case (.string(let left), .string(let right)):
        guard EngineKey(left) == EngineKey(right) else { return false }
      case (.int(let left), .int(let right)): guard left == right else { return false }
      case (.double(let left), .double(let right)):
        guard left.bitPattern == right.bitPattern else { return false }
      case (.bool(let left), .bool(let right)): guard left == right else { return false }
      case (.null, .null): break
      case (.array(let left), .array(let right)):
        guard left.count == right.count else { return false }
        pairs += zip(left, right)
      case (.dictionary(let left), .dictionary(let right)):
        let (left, right) = (left.entries, right.entries)
        guard left.count == right.count, zip(left, right).allSatisfy({ $0.key == $1.key }) else {
          return false
        }
        pairs += zip(left, right).map { ($0.value, $1.value) }
      default: return false
      }
    }
    return true
  }
}

extension SimulatedValue {
  /// The string; nil for another kind.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The integer; nil for another kind, doubles included.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
  /// The double; nil for another kind, integers included.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The boolean; nil for another kind.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements; nil for another kind.
  public var arrayValue: [SimulatedValue]? {
    if case .array(let value) = self { value } else { nil }
  }
  /// The entries; nil for another kind.
  public var dictionaryValue: SimulatedMetadata? {
    if case .dictionary(let value) = self { value } else { nil }
  }
}

extension SimulatedValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes a ``string(_:)`` of a literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes an ``int(_:)`` of a literal.
  public init(integerLiteral value: Int) { self = .int(value) }
  /// Makes a ``double(_:)`` of a literal.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Makes a ``bool(_:)`` of a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes an ``array(_:)`` of a literal.
  public init(arrayLiteral elements: SimulatedValue...) { self = .array(elements) }
  /// Makes a ``dictionary(_:)`` of a literal; of a key that occurs twice the last one counts.
  public init(dictionaryLiteral elements: (String, SimulatedValue)...) {
    self = .dictionary(SimulatedMetadata(elements))
  }
}

extension SimulatedValue: CustomStringConvertible {
  /// As it would be written in Swift: `3`, `3.0`, `"x"`, `[1, 2]`, `{key: 3}`. What lies deeper than
  /// can be saved is left out.
  public var description: String { text(depth: 0) }

  func text(depth: Int) -> String {
    switch self {
    case .string(let value): value.shown
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .bool(let value): "\(value)"
    case .array where depth >= Limits.valueDepth: "[…]"
    case .array(let values):
      "[" + values.map { $0.text(depth: depth + 1) }.joined(separator: ", ") + "]"
    case .dictionary where depth >= Limits.valueDepth: "{…}"
    case .dictionary(let values): values.text(depth: depth + 1)
    case .null: "null"
    }
  }
}
