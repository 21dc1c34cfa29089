extension AnyCodableValue: Codable {
  private static let doubleTag = "$double"
  private static let dictionaryTag = "$dictionary"
  private static let stringTag = "$string"
  /// The string that stands for nil in property lists.
  private static let propertyListNil = "$null"
  private static let propertyListNilTag = [stringTag: "null"]

  /// Writes the value so that every kind is read back as it was, by any coder.
  ///
  /// ```swift
  /// try JSONEncoder().encode(["width": 2.5, "depth": 20.0] as AnyCodableValue)
  /// // {"width":2.5,"depth":{"$double":20}}
  /// ```
  ///
  /// Strings, integers, booleans, null, lists and dictionaries are written as themselves, and so is
  /// a double with a fraction. A coder may write a whole double as an integer, so it becomes
  /// `{"$double": 20}`. A dictionary of one key that begins with `$` becomes
  /// `{"$dictionary": {...}}`. The string `$null`, which property lists hold for nil, becomes
  /// `{"$string": "null"}`.
  ///
  /// - Throws: what the coder throws, such as `EncodingError` of JSON for NaN and infinities.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .int(let int): try container.encode(int)
    case .double(let double) where double.hasFraction: try container.encode(double)
    case .double(let double): try container.encode([Self.doubleTag: double])
    case .string(Self.propertyListNil):
      try container.encode(Self.propertyListNilTag)
    case .string(let string): try container.encode(string)
    case .array(let elements): try container.encode(elements)
    case .dictionary(let entries) where entries.hasTagForm:
      try container.encode([Self.dictionaryTag: entries])
    case .dictionary(let entries): try container.encode(entries)
    }
  }

  /// Reads what ``encode(to:)`` wrote, and JSON of other programs.
  ///
  /// A number without a tag is an integer where it is whole and fits, else a double.
  ///
  /// - Throws: `DecodingError` for what is none of the kinds.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let int = try? container.decode(Int.self) {
      self = .int(int)
    } else if let double = try? container.decode(Double.self) {
      self = .double(double)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [AnyCodableValue] = []
      while !list.isAtEnd { elements.append(try list.decode(AnyCodableValue.self)) }
      self = .array(elements)
    } else if let keys = try? container.decode([String: Skipped].self).keys {
      let tagged = keys.count == 1 ? Self.tagged(keys.first!, in: container) : nil
      self = try tagged?.get() ?? .dictionary(container.decode([String: AnyCodableValue].self))
    } else {
      throw DecodingError.typeMismatch(
        AnyCodableValue.self,
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "Expected null, a Bool, Int, Double, String, array or dictionary"))
    }
  }

  /// What a dictionary of one key stands for; nil when it is no tag but the dictionary itself.
  ///
  /// The nested values are decoded once only: that they fit the tag is looked up before, one level
  /// deep, so that hostile nesting costs no more than its length.
  private static func tagged(
    _ key: String, in container: any SingleValueDecodingContainer
  ) -> Result<AnyCodableValue, any Error>? {
    switch key {
    case doubleTag:
      (try? container.decode([String: Double].self)[key]).map { .success(.double($0)) }
    case stringTag where (try? container.decode([String: String].self)) == propertyListNilTag:
      .success(.string(propertyListNil))
    case dictionaryTag where (try? container.decode([String: [String: Skipped]].self)) != nil:
      Result {
        .dictionary(
          try container.decode([String: [String: AnyCodableValue]].self)[key] ?? [:])
      }
    default: nil
    }
  }
}

/// Any value at all, not read.
private struct Skipped: Decodable {
  init(from decoder: any Decoder) {}
}

extension Double {
  /// Whether every coder writes it as a number that is no integer.
  fileprivate var hasFraction: Bool { isFinite && self != rounded() }
}

extension [String: AnyCodableValue] {
  /// Whether it could be taken for a tag.
  fileprivate var hasTagForm: Bool { count == 1 && keys.first!.utf8.first == UInt8(ascii: "$") }
}
