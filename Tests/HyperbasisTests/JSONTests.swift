import HyperbasisCore
import Testing

@testable import Hyperbasis

@Suite struct JSONTests {
  @Test(
    arguments: [
      ("null", .null),
      (" \t\r\n true ", .bool(true)),
      ("false", .bool(false)),
      ("0", .int(0)),
      ("-1", .int(-1)),
      ("9007199254740993", .int(9_007_199_254_740_993)),
      ("9223372036854775807", .int(.max)),
      ("-9223372036854775808", .int(.min)),
      ("-0", .double(-0.0)),
      ("0.0", .double(0)),
      ("-0.0", .double(-0.0)),
      ("3.0", .double(3)),
      ("3e0", .double(3)),
      ("3E+2", .double(300)),
      ("0.1", .double(0.1)),
      ("1e-320", .double(Double(bitPattern: 2_024))),
      ("5e-324", .double(.leastNonzeroMagnitude)),
      ("1e-400", .double(0)),
      ("0e999999999999", .double(0)),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
      ("1e22", .double(1e22)),
      ("1e23", .double(1e23)),
      ("123456789012345678901234567890.0", .double(123456789012345678901234567890.0)),
      ("9007199254740993.0", .double(9_007_199_254_740_992)),
      ("2.2250738585072011e-308", .double(.leastNormalMagnitude.nextDown)),
      ("\"\"", .string("")),
      (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
      (#""a\u0000b""#, .string("a\0b")),
      (#""\u00e9\uD83D\uDE00""#, .string("\u{E9}\u{1F600}")),
      ("\"e\u{301}\u{200F}\"", .string("e\u{301}\u{200F}")),
      ("[]", .array([])),
      ("[ 1 , [ ] ]", .array([.int(1), .array([])])),
      ("{ }", .object(Value.Object())),
    ] as [(String, Value)])
  func reads(text: String, value: Value) throws {
    #expect(try JSON.parse(Array(text.utf8)) == value)
  }

  @Test func keepsKeysThatLookTheSame() throws {
    let text = "{\"caf\u{E9}\":1,\"cafe\u{301}\":2,\"\":3,\"A\":4,\"a\":5,\"\\u0000\":6}"
    let value = try JSON.parse(Array(text.utf8))
    guard case .object(let object) = value else {
      Issue.record("no object")
      return
    }
    #expect(object.entries.map(\.key.text).map { Array($0.utf8).count } == [0, 1, 1, 1, 6, 5])
    #expect(object["caf\u{E9}"] == .int(1))
    #expect(object["cafe\u{301}"] == .int(2))
  }

  @Test(arguments: [
    ("", "line 1, column 1: the text ends where a value was expected; is it cut short?"),
    ("[1,]", #"line 1, column 4: expected a value, found "]""#),
    ("[1 2]", #"line 1, column 4: expected "," or "]", found "2""#),
    ("[1", #"line 1, column 3: the text ends where "," or "]" was expected; is it cut short?"#),
    ("{\"a\":1,}", #"line 1, column 8: expected a key in quotes, found "}""#),
    ("{\"a\" 1}", #"line 1, column 6: expected ":", found "1""#),
    ("{a:1}", #"line 1, column 2: expected a key in quotes, found "a""#),
    (
      "{\n\"a\":1,\n\"b\":2,\n  \"a\":3}",
      #"line 4, column 3: the key "a" occurs twice in one object"#
    ),
    ("{\"a\":1,\"\\u0061\":2}", #"line 1, column 8: the key "a" occurs twice in one object"#),
    ("1 1", "line 1, column 3: expected the end, found more text after the first value"),
    ("01", "line 1, column 1: a number does not begin with 0 before other digits"),
    ("-", "line 1, column 2: the text ends where a digit was expected; is it cut short?"),
    ("+1", #"line 1, column 1: expected a value, found "+""#),
    (".5", #"line 1, column 1: expected a value, found ".""#),
    ("1.", "line 1, column 3: the text ends where a digit was expected; is it cut short?"),
    ("1.e5", #"line 1, column 3: expected a digit, found "e""#),
    ("1e+", "line 1, column 4: the text ends where a digit was expected; is it cut short?"),
    ("1e400", "line 1, column 1: the number 1e400 does not fit a double"),
    ("-1e999999999999", "line 1, column 1: the number -1e999999999999 does not fit a double"),
    (
      "[9223372036854775808]",
      "line 1, column 2: the integer 9223372036854775808 does not fit 64 bits"
    ),
    (
      "-9223372036854775809",
      "line 1, column 1: the integer -9223372036854775809 does not fit 64 bits"
    ),
    ("NaN", "line 1, column 1: NaN and infinity are not JSON numbers"),
    ("[-Infinity]", "line 1, column 3: NaN and infinity are not JSON numbers"),
    ("nul", #"line 1, column 1: expected a value, found "n""#),
    ("'a'", #"line 1, column 1: expected a value, found "'""#),
    ("/**/1", #"line 1, column 1: expected a value, found "/""#),
    ("\u{A0}1", "line 1, column 1: expected a value, found the byte 194"),
    (
      "\"a",
      "line 1, column 3: the text ends where the closing quote was expected; is it cut short?"
    ),
    (
      "\"\\",
      "line 1, column 3: the text ends where an escaped character was expected; is it cut short?"
    ),
    ("\"\\x\"", #"line 1, column 2: expected one of \" \\ \/ \b \f \n \r \t \uXXXX"#),
    ("\"\\u12G4\"", #"line 1, column 6: expected four hex digits, found "G""#),
    (
      #""é\uD800""#,
      "line 1, column 3: a \\u escape is half of a surrogate pair, the other half is missing"
    ),
    (
      #""\uD800\u0041""#,
      "line 1, column 2: a \\u escape is half of a surrogate pair, the other half is missing"
    ),
    (
      #""\uDC00\uDC00""#,
      "line 1, column 2: a \\u escape is half of a surrogate pair, the other half is missing"
    ),
    (
      #""\uDC00""#,
      "line 1, column 2: a \\u escape is half of a surrogate pair, the other half is missing"
    ),
    (
      "\"a\u{1}\"",
      "line 1, column 3: a string has the control character 1 unescaped; write it as \\u0001"
    ),
    (
      "\"\u{1F}\"",
      "line 1, column 2: a string has the control character 31 unescaped; write it as \\u001f"
    ),
    (
      "\"a\nb\"",
      "line 1, column 3: a string has the control character 10 unescaped; write it as \\u000a"
    ),
    ("\u{FEFF}1", "line 1, column 1: begins with a byte-order mark; save it as UTF-8 without one"),
  ])
  func refuses(text: String, message: String) {
    let error = #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8)) }
    #expect(error?.description == message)
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF],
    ] as [[UInt8]])
  func refusesBytesThatAreNotUTF8(bytes: [UInt8]) {
    for escape in ["", "\\n"] {
      let text = Array("[\"é\(escape)".utf8) + bytes + Array("\"]".utf8)
      let error = #expect(throws: JSONError.self) { try JSON.parse(text) }
      #expect(error?.reason == .notUTF8)
      #expect(error?.column == 4 + escape.utf8.count)
    }
  }

  @Test func refusesUTF16() {
    let error = #expect(throws: JSONError.self) { try JSON.parse([0xFF, 0xFE, 0x31, 0x00]) }
    #expect(error?.reason == .byteOrderMark)
  }

  @Test(arguments: ["[", "{\"a\":"])
  func boundsTheDepth(opening: String) throws {
    func text(_ levels: Int) -> [UInt8] {
      let closing = opening == "[" ? "]" : "}"
      let middle = "0"
      return Array(
        (String(repeating: opening, count: levels) + middle
          + String(repeating: closing, count: levels)).utf8)
    }
    _ = try JSON.parse(text(InputLimits.jsonDepth))
    for levels in [InputLimits.jsonDepth + 1, 1_000_000] {
      let error = #expect(throws: JSONError.self) { try JSON.parse(text(levels)) }
      #expect(error?.reason == .tooDeep)
    }
  }

  @Test func boundsNumbersAndStrings() {
    let number = Array(repeating: UInt8(ascii: "1"), count: InputLimits.jsonNumberBytes + 1)
    let numberError = #expect(throws: JSONError.self) { try JSON.parse(number) }
    #expect(numberError?.reason == .numberTooLong)
    let quote = [UInt8(ascii: "\"")]
    let letters = Array(repeating: UInt8(ascii: "a"), count: InputLimits.jsonStringBytes + 1)
    let stringError = #expect(throws: JSONError.self) { try JSON.parse(quote + letters + quote) }
    #expect(stringError?.reason == .stringTooLong)
  }

  @Test func aHostileKeyDoesNotReachTheTerminal() {
    let text = "{\"\u{202E}\\u001b[2J\":1,\"\u{202E}\\u001b[2J\":1}"
    let error = #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8)) }
    #expect(
      error?.description.hasSuffix(#"the key "\u{202E}\u{1B}[2J" occurs twice in one object"#)
        == true)
  }

  @Test(
    arguments: [
      (.double(3), "3.0"), (.int(3), "3"), (.double(-0.0), "-0.0"), (.double(1e16), "1e+16"),
      (.double(0.1), "0.1"), (.double(.leastNonzeroMagnitude), "5e-324"),
      (.int(.min), "-9223372036854775808"),
      (.string("\"\\/\n\u{7F}\u{1F}\0é"), "\"\\\"\\\\/\\n\u{7F}\\u001f\\u0000é\""),
      (.array([.null, .bool(true)]), "[null,true]"),
      (.object(object(["b": .int(1), "a": .object(Value.Object())])), #"{"a":{},"b":1}"#),
    ] as [(Value, String)])
  func writes(value: Value, text: String) {
    #expect(JSON.write(value) == text)
  }

  @Test func floatsKeepTheirBits() throws {
    var random = SplitMix(seed: 7)
    for _ in 0..<20_000 {
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      guard float.isFinite else { continue }
      let short = try JSON.parse(Array(JSON.write(float).utf8))
      #expect(JSON.float(short)?.bitPattern == float.bitPattern)
      let wide = try JSON.parse(Array(Double(float).description.utf8))
      #expect(JSON.float(wide)?.bitPattern == float.bitPattern)
    }
    #expect(JSON.write(Float(0.9870156)) == "0.9870156")
    #expect(JSON.float(.double(1e-50)) == 0)
    #expect(JSON.float(.double(-1e39)) == nil)
    #expect(JSON.float(.double(1e39)) == nil)
    #expect(JSON.float(.int(1)) == 1)
    #expect(JSON.float(.string("1")) == nil)
  }

  /// Of all floats, these are the two whose shortest decimal is not found again by way of a double.
  @Test(arguments: [0x15AE_43FD, 0x95AE_43FD] as [UInt32])
  func theFloatThatTwoRoundingsMiss(bits: UInt32) throws {
    let float = Float(bitPattern: bits)
    #expect(JSON.write(float.magnitude) == "7.038531e-26")
    let value = try JSON.parse(Array(JSON.write(float).utf8))
    #expect(JSON.float(value)?.bitPattern == bits)
    #expect(JSON.float(.double(Double(float)))?.bitPattern == bits)
  }

  @Test func linesSkipBlanksAndCountThem() throws {
    var lines = JSONLines(Array("\n{\"a\":1}\r\n \t\r\n{\"a\":2}".utf8))
    #expect(try lines.next()?.number == 2)
    #expect(try lines.next()?.number == 4)
    #expect(try lines.next() == nil)
  }

  @Test(arguments: [
    ("{}\n[1]", #"line 2, column 1: expected an object, found another value"#),
    ("{}\n{\"a\":}", #"line 2, column 6: expected a value, found "}""#),
    ("{} {}", "line 1, column 4: expected the end, found more text after the first value"),
  ])
  func linesRefuse(text: String, message: String) {
    let error = #expect(throws: JSONError.self) {
      var lines = JSONLines(Array(text.utf8))
      while try lines.next() != nil {}
    }
    #expect(error?.description == message)
  }
}
