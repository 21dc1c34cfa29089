import Foundation
import Testing

@testable import Hyperbasis

struct AnyCodableValueTests {
  /// Every kind, and what a coder could take for another.
  static let values: [AnyCodableValue] = [
    nil, true, false, 0, 1, -1, .int(.max), .int(.min), 2.5, -1e-300, 0.1, "", "text", "1", "true",
    "$null", "null", "$double", .string("cafe\u{301}"), .string("a\0b"), [], [:],
    [nil, [1, [2.0]]],
    .double(20), .double(0), .double(-0.0), .double(1e16), .double(-1e300), .double(1e22),
    .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude),
    .double(9_007_199_254_740_992), .double(0x1p62), .double(0x1p63),
    ["a": 1], ["a": nil], ["a": 20.0, "b": ["c": -0.0]], ["$double": 20], ["$double": 20.0],
    ["$double": "20"], ["$dictionary": ["$double": 20]], ["$dictionary": [:]], ["$dictionary": 1],
    ["$string": "$null"], ["$string": "null"], ["$": 1], ["": 1], ["$double": 1, "b": 2],
    ["$dictionary": ["$dictionary": ["$dictionary": 3.0]]], [["$double": [1.0]]],
  ]

  @Test(arguments: values)
  func jsonKeepsTheKind(_ value: AnyCodableValue) throws {
    let data = try JSONEncoder().encode(value)
    let read = try JSONDecoder().decode(AnyCodableValue.self, from: data)
    #expect(read.isIdentical(to: value), "\(String(decoding: data, as: UTF8.self)) gave \(read)")
  }

  @Test(arguments: values, [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func propertyListsKeepTheKind(
    _ value: AnyCodableValue, _ format: PropertyListSerialization.PropertyListFormat
  ) throws {
    // XML cannot hold the character 0.
    if format == .xml, value == .string("a\0b") { return }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    let read = try PropertyListDecoder().decode(
      [AnyCodableValue].self, from: try encoder.encode([value]))
    #expect(read.count == 1 && read[0].isIdentical(to: value), "\(read)")
  }

  @Test func coderSettingsForKeysDoNotReachMetadata() throws {
    let value: AnyCodableValue = ["someKey": ["$double": ["otherKey": 3.0]], "some_key": 1]
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let read = try decoder.decode(AnyCodableValue.self, from: try encoder.encode(value))
    #expect(read == value)
  }

  @Test func nonFiniteNumbersKeepTheirKindWhereACoderAllowsThem() throws {
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([AnyCodableValue.double(.nan)]) }
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let data = try encoder.encode([AnyCodableValue.double(.infinity), .string("inf")])
    let read = try decoder.decode([AnyCodableValue].self, from: data)
    // A coder with these settings takes the text for a number, as it was told.
    #expect(read[0] == .double(.infinity))
  }

  /// Defect: `.double(20.0)` was written `20` and read back as `.int(20)`.
  @Test func aWholeDoubleStaysADoubleOnDisk() throws {
    let data = try JSONEncoder().encode(["depth": AnyCodableValue.double(20)])
    #expect(String(decoding: data, as: UTF8.self) == #"{"depth":{"$double":20}}"#)
    let read = try JSONDecoder().decode([String: AnyCodableValue].self, from: data)
    #expect(read["depth"]?.doubleValue == 20)
    #expect(read["depth"]?.intValue == nil)
  }

  /// Defect: saving what was loaded seemed a change, because the double had become an integer.
  @Test func whatWasLoadedEqualsWhatWasSaved() throws {
    let anchor = HBAnchor(
      spaceId: UUID(), transform: matrix_identity_float4x4, metadata: ["depth": 20.0])
    let read = try JSONDecoder().decode(HBAnchor.self, from: try JSONEncoder().encode(anchor))
    #expect(read == anchor)
    #expect(read.metadata == ["depth": .double(20)])
  }

  @Test func theSDKsPlainJSONIsRead() throws {
    let text = """
      {"a": null, "b": true, "c": 20, "d": 20.5, "e": "text", "f": [1, "x", null], "g": {"h": 1},
       "i": 1e400, "j": 18446744073709551616, "k": {"$double": "no number"}, "l": {"$dictionary": 2}}
      """
    let json = text.replacing("1e400", with: "1e300")
    let read = try JSONDecoder().decode([String: AnyCodableValue].self, from: Data(json.utf8))
    #expect(
      read == [
        "a": nil, "b": true, "c": 20, "d": 20.5, "e": "text", "f": [1, "x", nil], "g": ["h": 1],
        "i": 1e300, "j": 18_446_744_073_709_551_616.0, "k": ["$double": "no number"],
        "l": ["$dictionary": 2],
      ])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([String: AnyCodableValue].self, from: Data(text.utf8))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func hostileNestingCostsNoMoreThanItsLength() {
    // A decoder that tries each tag before it falls back would need 2^200 attempts.
    let deep = (0..<200).reduce("1e999") { inner, _ in #"{"$dictionary":{"a":\#(inner)}}"# }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(AnyCodableValue.self, from: Data(deep.utf8))
    }
    let tags = (0..<400).reduce("1e999") { inner, _ in #"{"$dictionary":\#(inner)}"# }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(AnyCodableValue.self, from: Data(tags.utf8))
    }
  }

  /// Defect: a dictionary literal with a repeated key trapped.
  @Test func aRepeatedKeyInALiteralDoesNotTrap() {
    let value: AnyCodableValue = ["a": 1, "b": 2, "a": 3]
    #expect(value == ["a": 3, "b": 2])
  }

  /// Defect: not Hashable, so that values could not be grouped.
  @Test func valuesAreHashable() {
    #expect(Set<AnyCodableValue>([1, 1.0, 1, "1", [1], [1]]).count == 4)
    #expect(Set<AnyCodableValue>([0.0, -0.0]).count == 1)
  }

  @Test func exactComparisonSeesBitsAndBytes() {
    let composed = AnyCodableValue.string("caf\u{E9}")
    let decomposed = AnyCodableValue.string("cafe\u{301}")
    #expect(composed == decomposed)
    #expect(!composed.isIdentical(to: decomposed))
    #expect(!AnyCodableValue.double(0).isIdentical(to: .double(-0.0)))
    #expect(AnyCodableValue.double(.nan).isIdentical(to: .double(.nan)))
    #expect(!AnyCodableValue.int(1).isIdentical(to: .double(1)))
    #expect(!AnyCodableValue.int(1).isIdentical(to: .bool(true)))
    #expect(
      !AnyCodableValue.dictionary(["\u{E9}": 1]).isIdentical(to: .dictionary(["e\u{301}": 1])))
    #expect(!AnyCodableValue.dictionary(["a": 1]).isIdentical(to: ["a": 1, "b": 1]))
    #expect(!AnyCodableValue.array([1]).isIdentical(to: [1, 1]))
    for (left, value) in Self.values.enumerated() {
      for (right, other) in Self.values.enumerated() {
        #expect(value.isIdentical(to: other) == (left == right), "\(value) and \(other)")
      }
    }
  }
}
