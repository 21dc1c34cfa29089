import Hyperbasis
import HyperbasisCore

/// JSON texts and JSON lines: what was read is written as one text, which is read as the same.
enum JSONTarget: FuzzTarget {
  static let name = "json"

  static func seeds() -> [[UInt8]] {
    let texts = [
      #"{"a":3.0,"b":3,"caf\#u{E9}":[null,true,false,-0,1e-7,1.7976931348623157e308]}"#,
      #"["\u0000\ud83d\ude00\"\\\/\b\f\n\r\t","\u00e9"]"#, "[[[[[[[[]]]]]]]]",
      " 9223372036854775807 ",
      "{\"a\":1}\n\n{\"b\":-9223372036854775808}\r\n", "123456789012345678901234567890.5e-20",
    ]
    return texts.map { Array($0.utf8) }
  }

  static func run(_ bytes: [UInt8]) throws {
    switch Result(catching: { () throws(JSONError) in try JSON.parse(bytes) }) {
    case .success(let value): try check(value)
    case .failure(let error): try check(error, bytes)
    }
    var lines = JSONLines(bytes)
    var count = 0
    while (try? lines.next()) ?? nil != nil { count += 1 }
    try expect(count <= bytes.count / 2, "a line with an object has two bytes at least")
  }

  private static func check(_ value: Value) throws {
    let text = JSON.write(value)
    let again = try JSON.parse(Array(text.utf8))
    try expect(again == value, "a text is read as it was written: \(text)")
    try expect(JSON.write(again) == text, "a value has one text: \(text)")
  }

  private static func check(_ error: JSONError, _ bytes: [UInt8]) throws {
    let lineFeeds = bytes.count { $0 == UInt8(ascii: "\n") }
    try expect((1...lineFeeds + 1).contains(error.line), "the error is in a line of the text")
    try expect((1...bytes.count + 1).contains(error.column), "the error is in a column of it")
    try expect("\(error)".utf8.count < 1_000, "an error is a line for people")
  }
}
