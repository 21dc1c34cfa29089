import HyperbasisCore

/// Keys that look alike, and values at the borders of what there is, by number: any number names one.
package enum AwkwardValues {
  private static let keys: [Key] = [
    "", "a", "A", "caf\u{E9}", "cafe\u{301}", "k\0", "\u{200F}",
    Key(String(repeating: "k", count: 300)),
  ]

  private static let values: [Value] = [
    .null, .bool(true), .int(3), .double(3), .double(0.0), .double(-0.0), .int(.min), .int(.max),
    .int(9_007_199_254_740_993), .double(.leastNonzeroMagnitude), .string(""), .string("caf\u{E9}"),
    .string("cafe\u{301}"), .array([.int(1), .double(1)]), .array([]),
    .object(Value.Object([.init(key: "x", value: .null), .init(key: "", value: .int(-1))])!),
  ]

  /// Some 64 kB each.
  private static let largeValues: [Value] = ["x", "y", "z"].enumerated().map { number, letter in
    .string(String(repeating: letter, count: 60_000 + 5_000 * number))
  }

  private static let coordinates: [Float] = [0, -0.0, 1.5, -2.25, .leastNonzeroMagnitude, 3e38]

  /// Numbers from here on name a large value, where there are such.
  static let firstLargeNumber: UInt8 = 250

  package static func key(_ number: UInt8) -> Key { keys[Int(number) % keys.count] }

  package static func value(_ number: UInt8, areLarge: Bool) -> Value {
    areLarge && number >= firstLargeNumber
      ? largeValues[Int(number) % largeValues.count] : values[Int(number) % values.count]
  }

  package static func transform(_ first: UInt8, _ second: UInt8) -> Transform {
    let position = [first, second, first &* 7 &+ second].map {
      coordinates[Int($0) % coordinates.count]
    }
    do { return try Transform.identity.moved(to: (position[0], position[1], position[2])) } catch {
      preconditionFailure("the numbers are finite")
    }
  }
}
