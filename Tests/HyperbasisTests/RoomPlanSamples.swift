@testable import Hyperbasis

/// Small documents in RoomPlan's shapes, made for the tests.
enum Sample {
  static let turn = "[1,0,0,0,0,1,0,0,0,0,1,0,1.5,-0.25,2,1]"

  /// One item; `changes` replaces the text of keys, nil removes them.
  static func item(
    _ number: Int, _ category: String = #"{"wall":{}}"#,
    _ changes: KeyValuePairs<String, String?> = [:]
  ) -> String {
    var keys: [(String, String?)] = [
      ("identifier", "\"\(uuid(number))\""), ("category", category),
      ("confidence", #"{"high":{}}"#), ("dimensions", "[2.5,2.4375,0]"), ("transform", turn),
      ("parentIdentifier", "null"), ("story", "0"),
    ]
    for (key, text) in changes {
      if let index = keys.firstIndex(where: { $0.0 == key }) {
        keys[index].1 = text
      } else {
        keys.append((key, text))
      }
    }
    let fields = keys.compactMap { key, text in text.map { "\"\(key)\":\($0)" } }
    return "{" + fields.joined(separator: ",") + "}"
  }

  /// A document of arrays; more text goes before its end.
  static func room(_ arrays: KeyValuePairs<String, [String]>, _ more: String = "") -> String {
    let fields = arrays.map { "\"\($0.key)\":[\($0.value.joined(separator: ","))]" }
    return "{" + fields.joined(separator: ",") + more + "}"
  }

  static func wall(_ changes: KeyValuePairs<String, String?>) -> String {
    room(["walls": [item(1, #"{"wall":{}}"#, changes)]])
  }
}
