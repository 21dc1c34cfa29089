import HyperbasisCore

/// One metadata value: a string, number, boolean, list, dictionary or null, with its type kept.
///
/// ```swift
/// let metadata: [String: AnyCodableValue] = ["text": "Buy milk", "size": 3.0, "count": 3]
/// metadata["size"]?.doubleValue  // 3.0
/// metadata["size"]?.intValue     // nil: a double stays a double
/// ```
///
/// `.double(3)` and `.int(3)` are different values, on every device. NaN and infinities are refused
/// when they are saved.
public enum AnyCodableValue: Hashable, Sendable {
  /// Text; compared by its UTF-8 bytes when it is saved.
  case string(String)
  /// An integer of 64 bits, exact.
  case int(Int)
  /// A double, also a whole one; NaN and infinities are refused by a save.
  case double(Double)
  /// True or false.
  case bool(Bool)
  /// A list; arrays and dictionaries may be 32 levels deep.
  case array([AnyCodableValue])
  /// Values by key.
  case dictionary([String: AnyCodableValue])
  /// Null, which is a value: a key that has it is there.
  case null
}

extension AnyCodableValue {
  /// The string; nil for another kind.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  /// The integer; nil for another kind, doubles included.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
  /// The double; nil for another kind, integers included.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  /// The boolean; nil for another kind.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements; nil for another kind.
  public var arrayValue: [AnyCodableValue]? {
    if case .array(let value) = self { value } else { nil }
  }
  /// The entries; nil for another kind.
  public var dictionaryValue: [String: AnyCodableValue]? {
    if case .dictionary(let value) = self { value } else { nil }
  }
  /// Whether it is ``null``.
  public var isNull: Bool { self == .null }
}

/// Text that is put together is a string: `["text": "From \(name)"]`.
extension AnyCodableValue: ExpressibleByStringInterpolation {}

extension AnyCodableValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// Makes a ``string(_:)`` of a literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes an ``int(_:)`` of a literal.
  public init(integerLiteral value: Int) { self = .int(value) }
  /// Makes a ``double(_:)`` of a literal with a point or an exponent.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Makes a ``bool(_:)`` of a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes an ``array(_:)`` of a literal.
  public init(arrayLiteral elements: AnyCodableValue...) { self = .array(elements) }
  /// Of a key that occurs twice, the last value stays.
  public init(dictionaryLiteral elements: (String, AnyCodableValue)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
  /// Makes a ``null`` of the literal `nil`.
  public init(nilLiteral: ()) { self = .null }
}

extension AnyCodableValue {
  /// The engine's value.
  package var value: HyperbasisCore.Value {
    switch self {
    case .string(let string): .string(string)
    case .int(let int): .int(Int64(int))
    case .double(let double): .double(double)
    case .bool(let bool): .bool(bool)
    case .array(let elements): .array(elements.map(\.value))
    case .dictionary(let entries): .object(HyperbasisCore.Value.Object(entries))
    case .null: .null
    }
  }

  /// The engine's value as an app sees it.
  package init(_ value: HyperbasisCore.Value) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .int(let int): self = .int(Int(int))
    case .double(let double): self = .double(double)
    case .string(let string): self = .string(string)
    case .array(let elements): self = .array(elements.map(AnyCodableValue.init))
    case .object(let object): self = .dictionary(object.dictionary)
    }
  }
}

extension HyperbasisCore.Value.Object {
  package init(_ dictionary: [String: AnyCodableValue]) {
    self.init()
    for (key, value) in dictionary { self[Key(key)] = value.value }
  }

  /// The entries as an app sees them.
  ///
  /// Of keys that Swift holds for equal although their bytes differ (composed and decomposed forms)
  /// the last in byte order appears, with its own value, so that an edit of it is seen again; the
  /// space keeps all.
  package var dictionary: [String: AnyCodableValue] {
    var dictionary = [String: AnyCodableValue](minimumCapacity: entries.count)
    for entry in entries {
      let value = AnyCodableValue(entry.value)
      if dictionary.updateValue(value, forKey: entry.key.text) != nil {
        // An update keeps the former key, with other bytes than this one.
        dictionary.removeValue(forKey: entry.key.text)
        dictionary[entry.key.text] = value
      }
    }
    return dictionary
  }
}
