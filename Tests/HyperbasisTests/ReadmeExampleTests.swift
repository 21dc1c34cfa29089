import Foundation
import Hyperbasis
import Testing

/// The example in README.md is the code that is compiled here, and it does what it says.
struct ReadmeExampleTests {
  @Test(.timeLimit(.minutes(5)))
  func theExampleSharesANote() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("hyperbasis-readme-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try await shareNote(in: folder) == ["text": "Buy milk", "done": true])
  }

  @Test func theReadmeShowsTheExample() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let readme = folder.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("README.md")
    let compiled = try String(
      contentsOf: folder.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
    let shown = try String(contentsOf: readme, encoding: .utf8)
    let example = try #require(
      compiled.between("// README begins\n", "// README ends\n"), "the marks are there")
    let block = try #require(
      shown.between("```swift\n", "```\n"), "README.md has a block of Swift")
    #expect(block == example)
    #expect(shown.components(separatedBy: "```swift\n").count == 2, "one block, all of it tested")
  }
}

extension String {
  /// What stands between the first `start` and the next `end` after it.
  fileprivate func between(_ start: String, _ end: String) -> String? {
    guard let begin = range(of: start), let stop = self[begin.upperBound...].range(of: end) else {
      return nil
    }
    return String(self[begin.upperBound..<stop.lowerBound])
  }
}
