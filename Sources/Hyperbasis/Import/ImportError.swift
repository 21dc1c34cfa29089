import HyperbasisCore

/// Why a file was not imported: one line that says what, where and, where it helps, what to do.
///
/// ```swift
/// print(ImportError.item("walls[3].transform", .count(15, expected: 16)))
/// // walls[3].transform has 15 numbers, expected 16
/// ```
///
/// A place is a path in the document (`walls[3].transform`) or in a line (`line 7: transform`).
package enum ImportError: Error, Equatable, Sendable {
  case empty
  case fileTooLarge(bytes: Int)
  /// More than `InputLimits.items` anchors; nothing beyond that was counted.
  case tooManyItems
  case json(JSONError)
  /// A JSON object with none of RoomPlan's arrays that is no anchor either.
  case unrecognised
  case item(String, Problem)

  /// What is wrong with one item.
  package enum Problem: Equatable, Sendable {
    case missing
    /// A RoomPlan item without a key that every RoomPlan file has.
    case notRoomPlan(missing: String)
    case unknownKey
    case wrongKind(expected: String, found: String)
    case count(Int, expected: Int)
    case notFloat
    case bottomRow(index: Int)
    case badUUID(String)
    case repeatedIdentifier(AnchorID, first: String)
    case noPlace
    case placesDiffer
    case limit(ValueError)
  }
}

extension ImportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty:
      "the file is empty; expected RoomPlan JSON or JSON lines of anchors"
    case .fileTooLarge(let bytes):
      "the file has \(bytes) bytes, at most \(InputLimits.fileBytes) are allowed; split it"
    case .tooManyItems:
      "the file has more than \(InputLimits.items) anchors; split it"
    case .json(let error):
      error.description
    case .unrecognised:
      """
      the file is not a RoomPlan CapturedRoom ("walls" is missing, and so are its other arrays), \
      nor JSON lines of anchors (on each line "id", and "transform" or "position")
      """
    case .item(let place, let problem):
      place + problem.description
    }
  }
}

extension ImportError.Problem: CustomStringConvertible {
  /// Follows the place directly.
  package var description: String {
    switch self {
    case .missing: " is missing"
    case .notRoomPlan(let missing):
      " has no \(missing.shown): the file is not a RoomPlan CapturedRoom; export it from RoomPlan itself"
    case .unknownKey: " is not a key of an anchor; put it into \"metadata\""
    case .wrongKind(let expected, let found): " is \(found), expected \(expected)"
    case .count(let count, let expected): " has \(count) numbers, expected \(expected)"
    case .notFloat: " does not fit a 32-bit float"
    case .bottomRow(let index):
      " at index \(index) should be \(index == 15 ? 1 : 0): the bottom row is not 0 0 0 1"
    case .badUUID(let text): " is \(text.shown), which is not a UUID"
    case .repeatedIdentifier(let id, let first): " repeats \(id) of \(first)"
    case .noPlace: " has neither \"transform\" nor \"position\""
    case .placesDiffer: " differs from elements 13 to 15 of \"transform\"; remove one of the two"
    case .limit(let error): ": \(error)"
    }
  }
}

extension Value {
  /// The name of the kind, for messages.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .int, .double: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
