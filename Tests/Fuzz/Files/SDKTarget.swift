import Foundation
import Hyperbasis
import HyperbasisBlob
import HyperbasisCore

/// A directory of the old SDK: what is in its files becomes changes within the limits, and problems are
/// lines of text.
///
/// The input is the JSON of a space, of an anchor and of its events, then the world map; the byte FF,
/// which no UTF-8 text has, is between them.
enum SDKTarget: FuzzTarget {
  static let name = "sdk"
  private static let space = "6A1F0C5E-0000-4000-8000-000000000001"
  private static let anchor = "A0000000-0000-4000-8000-000000000001"
  private static let separator: UInt8 = 0xFF
  private static let files = [
    "spaces/\(space).json", "anchors/\(anchor).json", "events/\(space)/events.jsonl",
    "worldmaps/\(space).bin",
  ]

  static func seeds() -> [[UInt8]] {
    let transform = #""transform":[1,0,0,0,0,1,0,0,0,0,1,0,0.5,-0.25,3,1]"#
    let dates = #""createdAt":"2025-01-31T12:00:00Z","updatedAt":"2025-02-28T23:59:59.25+01:00""#
    let spaceJSON = #"{"id":"\#(space)","name":"Kitchen",\#(dates),"isCompressed":true}"#
    let embedded = #"{"id":"\#(space)",\#(dates),"worldMapData":"q1YqSy0qzszPAwA="}"#
    let anchorJSON = """
      {"id":"\(anchor)","spaceId":"\(space)",\(transform),\(dates),\
      "deletedAt":"2025-03-01T00:00:00Z","metadata":{"a":1,"b":[true,null]}}
      """
    let events = ["created", "moved", "updated", "deleted", "restored"].enumerated().map {
      """
      {"id":"\(anchor.dropLast())\($0)","anchorId":"\(anchor)","spaceId":"\(space)",\
      "type":"\($1)","timestamp":"2025-02-0\($0 + 1)T00:00:00Z","version":\($0 + 1),\(transform),\
      "metadata":{"a":\($0)},"actorId":"me"}

      """
    }
    let map = RawDeflate.deflate(Array("bplist00 room room room room".utf8))
    return [
      joined([spaceJSON, anchorJSON, events.joined()], map),
      joined([embedded, anchorJSON, events[0] + events[3]], nil),
      joined([spaceJSON, "", events.joined()], Array("bplist00".utf8)),
      joined([spaceJSON, anchorJSON, ""], map),
    ]
  }

  private static func joined(_ texts: [String], _ map: [UInt8]?) -> [UInt8] {
    Array(texts.map { Array($0.utf8) }.joined(separator: [separator]))
      + (map.map { [separator] + $0 } ?? [])
  }

  static func run(_ bytes: [UInt8]) throws {
    let parts = bytes.split(
      separator: separator, maxSplits: files.count - 1, omittingEmptySubsequences: false)
    for (index, file) in files.enumerated() {
      try folder.write(index < parts.count ? Array(parts[index]) : nil, to: file)
    }
    let directory = try SDKDirectory(path: folder.path)
    let groups = SDKDirectory.AnchorGroups(directory)
    for space in directory.spaces {
      if let map = try? directory.worldMap(of: space.id) {
        try expect(!map.isEmpty && map.count <= Limits.mapBytes, "a map is within the limits")
      }
      let parts = SDKParts(directory.pasts(of: space.id, groups))
      for past in parts.parts.joined() { try check(past) }
      for problem in parts.problems { try check(problem) }
    }
    for problem in directory.problems { try check(problem) }
  }

  private static func check(_ past: SDKAnchorPast) throws {
    let times = past.changes.map(\.time)
    try expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "times ascend")
    let latest = Timestamp(milliseconds: 1_700_000_000_000)
    let stamps = PastChange.stamps(of: times, latest: latest)
    try expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 }, "stamps ascend")
    for (index, change) in past.changes.enumerated() {
      try expect(!change.operations.isEmpty, "a change has operations")
      try expect(
        Change.registersAreDistinct(change.operations), "a change writes each register once")
      let dot = Dot(replica: Samples.local, sequence: UInt64(index + 1))
      let written = Change(
        stamp: Stamp(timestamp: stamps[index], dot: dot, date: change.date),
        operations: change.operations)
      var writer = ByteWriter()
      written.encode(into: &writer)
      var reader = ByteReader(writer.bytes)
      try expect(try Change(from: &reader) == written, "a change is read as it was written")
    }
  }

  private static func check(_ problem: SDKProblem) throws {
    try expect(!"\(problem)".utf8.contains(0x0A), "a problem is one line: \(problem)")
  }

  private static let folder = try! Folder(["spaces", "anchors", "events/\(space)", "worldmaps"])
}
