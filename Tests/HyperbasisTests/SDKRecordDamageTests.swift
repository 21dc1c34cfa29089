import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// Damage to the anchors and events of an SDK directory: it is named, and the rest is read.
struct SDKRecordDamageTests {
  let sample = SDKSample()

  /// Writes the first anchor anew and gives what is said of it; the others must be there.
  private func problem(ofAnchor json: String) throws -> String? {
    sample.write(SDKSample.anchorFile, json)
    let directory = try sample.read()
    #expect(directory.anchors.count == 2)
    #expect(directory.problems.count == 1)
    return directory.problems.first { $0.file == SDKSample.anchorFile }?.reason
  }

  /// Writes the events anew and gives the versions that were read, and what is said.
  private func events(_ text: String) throws -> (versions: [Int64], problems: [String]) {
    sample.write(SDKSample.events, text)
    let directory = try sample.read()
    #expect(directory.problems.filter { $0.file != SDKSample.events } == [])
    return (directory.events.map(\.version), directory.problems.map(\.reason))
  }

  // MARK: Anchors

  @Test(arguments: [
    (SDKSample.anchorJSON(transform: "[1,2,3]"), "transform has 3 numbers, expected 16"),
    (SDKSample.anchorJSON(transform: "[]"), "transform has 0 numbers, expected 16"),
    (
      SDKSample.anchorJSON(
        transform: SDKSample.transform.replacingOccurrences(of: "0.5", with: "NaN")),
      "line 1, column 132: NaN and infinity are not JSON numbers"
    ),
    (
      SDKSample.anchorJSON(
        transform: SDKSample.transform.replacingOccurrences(of: "0.5", with: "1e39")),
      "transform[12] does not fit a 32-bit float"
    ),
    (
      SDKSample.anchorJSON(
        transform: SDKSample.transform.replacingOccurrences(of: "0.5", with: "\"nan\"")),
      "transform[12] is a string, expected a number"
    ),
    (SDKSample.anchorJSON(transform: "null"), "transform is missing"),
    (SDKSample.anchorJSON(metadata: "[]"), "metadata is an array, expected an object"),
    (
      SDKSample.anchorJSON(space: SDKSample.anchors[2]),
      "its space \(SDKSample.anchors[2].lowercased()) is not there"
    ),
    (
      SDKSample.anchorJSON(id: SDKSample.anchors[1]),
      "its id is \(SDKSample.anchors[1].lowercased()), its name says another"
    ),
    (
      SDKSample.anchorJSON(created: "2025-02-30T00:00:00Z"),
      "createdAt is \"2025-02-30T00:00:00Z\", expected a date such as 2025-01-31T12:00:00Z"
    ),
    ("null", "it is null, expected an object"),
  ])
  func anAnchorThatIsNone(json: String, expected: String) throws {
    #expect(try problem(ofAnchor: json) == expected)
  }

  /// Found by fuzzing: each was taken out alone, and moved all those behind it.
  @Test(.timeLimit(.minutes(1)))
  func millionsOfEntriesBeyondTheLimitsTakeSeconds() throws {
    let deep = String(repeating: "[", count: 34) + String(repeating: "]", count: 34)
    let entries = (0..<200_000).map { #""\#($0)":\#(deep)"# }.joined(separator: ",")
    sample.write(SDKSample.anchorFile, SDKSample.anchorJSON(metadata: "{\(entries)}"))
    let directory = try sample.read()
    #expect(directory.anchors[0].metadata.entries.isEmpty)
    #expect(directory.problems.count > 200_000 - 1)
  }

  @Test func metadataBeyondTheLimits() throws {
    let key = String(repeating: "k", count: Limits.keyBytes + 1)
    sample.write(
      SDKSample.anchorFile, SDKSample.anchorJSON(metadata: #"{"\#(key)":1,"text":"kept"}"#))
    let directory = try sample.read()
    #expect(directory.anchors.count == 3)
    #expect(directory.anchors[0].metadata == object(["text": .string("kept")]))
    #expect(
      directory.problems.map(\.reason) == [
        "metadata: metadata key \"\(key.prefix(40))…\" has 1025 bytes, at most 1024 are allowed; "
          + "it is left out"
      ])
  }

  @Test func everyPrefixOfAnAnchorIsRefused() throws {
    let json = Array(SDKSample.anchorJSON().utf8)
    for length in stride(from: 0, to: json.count, by: 7) {
      sample.write(SDKSample.anchorFile, Array(json.prefix(length)))
      #expect(try sample.read().problems.count == 1, "\(length)")
    }
  }

  // MARK: Events

  @Test func aLastLineThatIsTorn() throws {
    let torn = SDKSample.eventJSON(version: 2).prefix(80)
    let read = try events(SDKSample.eventJSON(version: 1) + "\n" + torn)
    #expect(read.versions == [1])
    #expect(read.problems == ["line 2 is cut short"])
  }

  @Test func aLastLineWithoutItsEnd() throws {
    let read = try events(SDKSample.eventJSON(version: 1) + "\n" + SDKSample.eventJSON(version: 2))
    #expect(read.versions == [1, 2])
    #expect(read.problems == [])
  }

  /// What comes of a torn line when the SDK is started again and appends to it.
  @Test func aBadLineInTheMiddle() throws {
    let lines = [
      SDKSample.eventJSON(version: 1),
      SDKSample.eventJSON(version: 2).prefix(10)
        + SDKSample.eventJSON(version: 3), "", SDKSample.eventJSON(version: 4), "[1]",
    ]
    let read = try events(lines.joined(separator: "\n") + "\n")
    #expect(read.versions == [1, 4])
    #expect(read.problems.count == 2)
    #expect(read.problems[0].hasPrefix("line 2, column 13: expected"), "\(read.problems)")
    #expect(read.problems[1] == "line 5 is an array, expected an object")
  }

  @Test(arguments: [
    (
      SDKSample.eventJSON(version: 1, type: "painted"),
      "line 1: type is \"painted\", expected one of"
    ),
    (SDKSample.eventJSON(version: 0), "line 1: version is 0, expected an integer from 1"),
    (
      SDKSample.eventJSON(version: 1, space: SDKSample.bareSpace),
      "line 1: spaceId is \(SDKSample.bareSpace.lowercased()), the folder says another"
    ),
    (SDKSample.eventJSON(version: 1, transform: "[1]"), "line 1: transform has 1 numbers"),
    ("{}", "line 1: id is missing"),
  ])
  func anEventThatIsNone(json: String, expected: String) throws {
    let read = try events(json + "\n" + SDKSample.eventJSON(version: 5) + "\n")
    #expect(read.versions == [5])
    #expect(read.problems.count == 1)
    #expect(read.problems[0].hasPrefix(expected), "\(read.problems)")
  }

  /// The SDK leaves the events of a space that it deletes.
  @Test func eventsOfASpaceThatIsGone() throws {
    let file = "events/\(SDKSample.anchors[0])/events.jsonl"
    try FileManager.default.createDirectory(
      atPath: "\(sample.path)/events/\(SDKSample.anchors[0])", withIntermediateDirectories: false)
    sample.write(file, SDKSample.eventJSON(version: 1))
    #expect(
      try sample.problems() == [
        "\(file): its space \(SDKSample.anchors[0].lowercased()) is not there"
      ])
  }

  @Test func eventsOfAnAnchorThatIsGone() throws {
    sample.remove(SDKSample.anchorFile)
    let directory = try sample.read()
    #expect(directory.events.count == 3)
    #expect(directory.problems == [])
  }

  /// A log of nothing but bad lines costs no more than its length.
  @Test func manyBadLines() throws {
    let read = try events(String(repeating: "{]\n", count: 20_000))
    #expect(read.problems.count == 20_000)
    #expect(read.problems.last?.hasPrefix("line 20000, column 2: expected a key") == true)
  }
}
