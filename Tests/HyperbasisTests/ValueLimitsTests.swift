import HyperbasisCore
import Testing

@testable import Hyperbasis

@Suite struct ValueLimitsTests {
  @Test func theLimitsAreAllowed() throws {
    let key = Key(String(repeating: "é", count: Limits.keyBytes / 2))
    try Value.check(.null, for: key)
    try Value.check(.null, for: "")
    // A tag, three bytes of length, and the text.
    try Value.check(.string(String(repeating: "a", count: Limits.valueBytes - 4)), for: "k")
    try Value.check(nested(Limits.valueDepth), for: "k")
    try Value.check(.int(.min), for: "k")
  }

  @Test func beyondIsRefusedByName() {
    let key = Key(String(repeating: "é", count: Limits.keyBytes / 2) + "a")
    #expect(throws: ValueError.keyTooLong(key, bytes: 1_025)) { try Value.check(.null, for: key) }
    let text = String(repeating: "a", count: Limits.valueBytes - 3)
    #expect(throws: ValueError.tooLarge("k", bytes: 1_048_577)) {
      try Value.check(.string(text), for: "k")
    }
    #expect(throws: ValueError.tooDeep("k")) {
      try Value.check(nested(Limits.valueDepth + 1), for: "k")
    }
    #expect(throws: ValueError.tooDeep("k")) {
      let objects = (0...Limits.valueDepth).reduce(Value.null) { value, _ in
        .object(object(["k": value]))
      }
      try Value.check(objects, for: "k")
    }
    #expect(throws: ValueError.tooDeep("k")) { try Value.check(nested(100), for: "k") }
    for number in [Double.nan, .signalingNaN, .infinity, -.infinity] {
      #expect(throws: ValueError.notFinite("k")) {
        try Value.check(.array([.object(object(["x": .double(number)]))]), for: "k")
      }
    }
  }

  @Test func messagesNameTheKey() {
    #expect(
      ValueError.notFinite("wi\nd\"th").description
        == #"metadata "wi\u{A}d\"th" holds a number that is not finite"#)
  }

  private func nested(_ levels: Int) -> Value {
    (0..<levels).reduce(.null) { value, level in
      level % 2 == 0 ? .array([value]) : .object(object(["k": value]))
    }
  }
}
