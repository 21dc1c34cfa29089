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
}
