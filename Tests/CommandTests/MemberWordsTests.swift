import HyperbasisCore
import Testing

@testable import HyperbasisCommand

/// What `hyperbasis retention`, `members` and `retire` are told, and what they refuse by name.
@Suite struct MemberWordsTests {
  private func request(_ words: String...) throws -> Request {
    guard case .request(let request) = try Invocation(words).task else {
      throw UsageError("another task")
    }
    return request
  }

  @Test func `words are understood`() throws {
    #expect(try request("members", "Hall") == .members(space: "Hall"))
    #expect(try request("retire", "Hall", "Tablet") == .retire(member: "Tablet", space: "Hall"))
    #expect(try request("retention", "Hall") == .retention(space: "Hall", becomes: nil))
    #expect(
      try request("retention", "Hall", "30d", "--json")
        == .retention(space: "Hall", becomes: "30d"))
    #expect(try !request("retention", "Hall").writes)
    #expect(try request("retention", "Hall", "latest").writes)
  }

  @Test(arguments: [
    ["members"], ["members", "a", "b"], ["retire", "a"], ["retention"],
    ["retention", "a", "latest", "b"],
  ])
  func `too few and too many words`(words: [String]) {
    #expect(throws: UsageError.self) { try Invocation(words) }
  }

  @Test(arguments: [
    "", "d", "0d", "-1d", "1", "1w", "1.5h", "99999999999999999999s", "9999999999999999d",
  ])
  func `what is no retention`(word: String) {
    #expect(throws: UsageError.self) { try Invocation(["retention", "Hall", word]) }
  }

  @Test(arguments: ["everything", "latest", "30d", "36h", "90m", "61s"])
  func `a retention is written as it is read`(word: String) throws {
    #expect(RetentionWord.write(try RetentionWord.read(word)) == word)
  }

  @Test func `status shows who is waited for, and what a join could not keep`() {
    let member = """
      {"id":"0a","name":"Tablet","this":false,"connected":false,"retired":false,"since":0,\
      "waitedFor":true,"missing":1,"successor":null}
      """
    let status = """
      {"spaces":[{"id":"s","name":"Hall","anchors":1,"deleted":2,"retention":"latest",\
      "heldBack":{"deletedAnchors":1,"removedKeys":0,"changes":3,"waitsToJoin":false,\
      "waitingFor":[\(member)]}}],\
      "rejoins":[{"space":"s","through":"Kiosk","at":0,"offered":[{"id":"a","space":"s",\
      "position":[0.0,1.5,-2.0],"metadata":{"k":1},"deleted":null}]}]}
      """
    let lines = Text.lines([status], for: .status)
    let shown = [
      "space      s  1 anchor (2 deleted)  Hall",
      "           keeps latest",
      "           holds back 1 deleted anchor, 3 changes",
      "             for 0a  Tablet  member, misses 1 change, waited for",
      "joined     s  through Kiosk",
      "           edited here, deleted there: a  at 0.0, 1.5, -2.0  {\"k\":1}",
    ]
    #expect(Array(lines.suffix(shown.count)) == shown)
  }

  @Test func `status says how a store that is no member gets rid of its former self`() {
    func status(waits: Bool, successor: String) -> String {
      """
      {"spaces":[{"id":"s","name":null,"anchors":1,"deleted":0,"retention":"latest",\
      "heldBack":{"deletedAnchors":1,"removedKeys":0,"changes":0,"waitsToJoin":\(waits),\
      "waitingFor":[{"id":"0a1b2c3d4e","name":null,"this":false,"connected":false,\
      "retired":false,"since":0,"waitedFor":true,"missing":null,"successor":\(successor)}]}}]}
      """
    }
    let hint = "             if no store goes on as 0a1b2c3d: hyperbasis retire s 0a1b2c3d4e"
    let lines = Text.lines([status(waits: true, successor: "\"ff\"")], for: .status)
    #expect(lines.last == hint && lines.contains("space      s  1 anchor  unnamed"))
    #expect(!Text.lines([status(waits: true, successor: "null")], for: .status).contains(hint))
    #expect(!Text.lines([status(waits: false, successor: "\"ff\"")], for: .status).contains(hint))
  }
}
