import HyperbasisCore
import Testing

@testable import Hyperbasis

@Suite struct AnchorLinesTests {
  @Test func aLineHasTheKeysInOrder() throws {
    let transform = try Transform([
      0.9870156, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.0, 1.1920929e-07, -2, 1,
    ])
    let line = AnchorLines.line(
      id: AnchorID(1), space: SpaceID(2), transform: transform,
      metadata: object(["b": .double(3), "a": .int(3)]), created: -1,
      updated: 1_700_000_000_000_999_999,
      deleted: nil)
    let id = "00000000-0000-0000-0000-00000000000"
    #expect(
      line == """
        {"id":"\(id)1","space":"\(id)2","position":[-0.0,1.1920929e-07,-2.0],\
        "transform":[0.9870156,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,-0.0,1.1920929e-07,-2.0,1.0],\
        "metadata":{"a":3,"b":3.0},"created":-1,"updated":1700000000000,"deleted":null}
        """)
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func aLineComesBack(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var lines: [String] = []
    var drafts: [AnchorDraft] = []
    for number in 1...50 {
      let numbers = (0..<16).map { _ in
        let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
        return float.isFinite ? float : -0.0
      }
      let metadata = object([
        "n": .int(Int64(bitPattern: random.next())), "caf\u{E9}": .double(-0.0),
        "cafe\u{301}": .string("\0\u{200F}\n"), "": .null,
      ])
      let draft = try AnchorDraft(
        id: AnchorID(UInt128(number)), transform: Transform(numbers), metadata: metadata,
        isDeleted: number % 3 == 0)
      drafts.append(draft)
      lines.append(
        AnchorLines.line(
          id: draft.id, space: SpaceID(9), transform: draft.transform, metadata: metadata,
          created: .min, updated: .max, deleted: draft.isDeleted ? 0 : nil))
    }
    #expect(try read(lines.joined(separator: "\n") + "\n") == drafts)
    #expect(try read(lines[0]) == [drafts[0]])
  }

  @Test func aPositionSuffices() throws {
    let draft = try #require(
      try read("\n {\"id\":\"\(uuid(1))\",\"position\":[1,2.5,-3]}\r\n\n").first)
    #expect(draft.transform == (try Transform.identity.moved(to: (1, 2.5, -3))))
    #expect(draft.metadata == Value.Object())
    #expect(draft.ownedKeys == [])
    #expect(!draft.isDeleted)
  }

  static let good = "\"id\":\"\(uuid(1))\",\"position\":[1,2,3]"

  @Test(arguments: [
    ("{\(good)}\n{\(good)}", "line 2: id repeats \(uuid(1)) of line 1"),
    (
      "{\(good)}\n{",
      "line 2, column 2: the text ends where a key in quotes was expected; is it cut short?"
    ),
    ("{\(good)}\n\n[]", "line 3, column 1: expected an object, found another value"),
    ("{\(good)}\n{\"position\":[1,2,3]}", "line 2: id is missing"),
    ("{\(good)}\n{\"id\":\"\(uuid(2))\"}", "line 2 has neither \"transform\" nor \"position\""),
    ("{\"id\":7,\"position\":[1,2,3]}", "line 1: id is a number, expected a UUID string"),
    ("{\"id\":\"7\",\"position\":[1,2,3]}", "line 1: id is \"7\", which is not a UUID"),
    ("{\"id\":\"\(uuid(1))\",\"position\":[1,2]}", "line 1: position has 2 numbers, expected 3"),
    (
      "{\"id\":\"\(uuid(1))\",\"transform\":[1,2]}", "line 1: transform has 2 numbers, expected 16"
    ),
    (
      "{\(good),\"transform\":\(Sample.turn)}",
      "line 1: position differs from elements 13 to 15 of \"transform\"; remove one of the two"
    ),
    ("{\(good),\"metadata\":[]}", "line 1: metadata is an array, expected an object"),
    ("{\(good),\"space\":\"x\"}", "line 1: space is \"x\", which is not a UUID"),
    (
      "{\(good),\"created\":\"2024\"}",
      "line 1: created is a string, expected an integer of milliseconds"
    ),
    (
      "{\(good),\"deleted\":true}",
      "line 1: deleted is a boolean, expected an integer of milliseconds"
    ),
    (
      "{\(good),\"metdata\":{}}",
      "line 1: \"metdata\" is not a key of an anchor; put it into \"metadata\""
    ),
    (
      "{\(good),\"metadata\":{\"a\":\(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))}}",
      "line 1: metadata \"a\" is nested deeper than 32 levels"
    ),
  ])
  func refuses(text: String, message: String) {
    #expect(refusal(text) == message)
  }
}
