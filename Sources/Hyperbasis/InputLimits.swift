/// Every limit on text that this module reads from files and arguments, with its unit.
package enum InputLimits {
  /// Bytes of one file to import.
  package static let fileBytes = 268_435_456

  /// Anchors in one file to import.
  package static let items = 1_000_000

  /// Levels of arrays and objects in one JSON text; more than `Limits.valueDepth`, since metadata
  /// is nested in a document.
  package static let jsonDepth = 64

  /// Values in one JSON text, keys not counted.
  package static let jsonValues = 16_777_216

  /// Bytes of one string in a JSON text, as written. RoomPlan's `coreModel` reaches 416 kB.
  package static let jsonStringBytes = 16_777_216

  /// Characters of one number in a JSON text. The longest exact double has 1,077.
  package static let jsonNumberBytes = 2_048
}
