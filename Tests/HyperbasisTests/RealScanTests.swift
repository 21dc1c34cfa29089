import HyperbasisCore
import Testing

@testable import Hyperbasis

/// The real scans are not part of the repository; these tests run where their folder lies beside it.
@Suite(
  .enabled(
    if: Scans.folder != nil, "the real scans are not here: no folder ../shared/data/roomplan"))
struct RealScanTests {
  @Test(arguments: [
    ("a", [4, 1, 0, 3, 1, 13]), ("b", [10, 6, 0, 2, 1, 2]), ("c", [9, 1, 1, 1, 1, 6]),
    ("d", [4, 2, 2, 0, 1, 5]), ("e", [4, 1, 0, 3, 1, 13]),
  ])
  func countsPerKind(name: String, counts: [Int]) throws {
    let drafts = try ImportFile.read(bytes: Scans.bytes(name))
    let found = RoomPlanKind.allCases.map { kind in
      drafts.count { $0.metadata["kind"] == .string(kind.rawValue) }
    }
    #expect(found == counts)
    #expect(drafts.count == counts.reduce(0, +))
    #expect(try ImportFile.read(bytes: Scans.bytes(name)) == drafts)
  }

  @Test func oneCaptureInTwoTextsIsEqual() throws {
    #expect(
      try ImportFile.read(bytes: Scans.bytes("a")) == ImportFile.read(bytes: Scans.bytes("e")))
  }

  /// Every number is compared with the library's own conversion of its text.
  @Test(arguments: ["a", "b", "c", "d", "e"])
  func transformsAreBitExact(name: String) throws {
    let bytes = try Scans.bytes(name)
    let drafts = try ImportFile.read(bytes: bytes)
    let compact = String(decoding: bytes.filter { !" \n\r\t".utf8.contains($0) }, as: UTF8.self)
    var transforms: [String: [UInt32]] = [:]
    for item in compact.split(separator: "\"identifier\":\"").dropFirst() {
      let identifier = item.prefix(36)
      let rest = item.split(separator: "\"transform\":[", maxSplits: 1)
      let numbers = try #require(rest.last).prefix { $0 != "]" }.split(separator: ",")
      transforms[String(identifier).lowercased()] = numbers.compactMap { Float($0)?.bitPattern }
    }
    #expect(transforms.count == drafts.count)
    for draft in drafts {
      let bits = (0..<16).map { draft.transform.elements[$0].bitPattern }
      #expect(transforms[draft.id.description] == bits)
    }
  }

  @Test(arguments: ["a", "b", "c", "d", "e"])
  func aParentIsAnAnchorOfTheSameScan(name: String) throws {
    let drafts = try ImportFile.read(bytes: Scans.bytes(name))
    let ids = drafts.map { Value.string($0.id.description) }
    let parents = drafts.compactMap { $0.metadata["parent"] }
    #expect(!parents.isEmpty)
    #expect(parents.allSatisfy(ids.contains))
  }

  @Test func anchorLinesCarryAScan() throws {
    let drafts = try ImportFile.read(bytes: Scans.bytes("d"))
    let lines = drafts.map {
      AnchorLines.line(
        id: $0.id, space: SpaceID(1), transform: $0.transform, metadata: $0.metadata, created: 0,
        updated: 0, deleted: nil)
    }
    let back = try read(lines.joined(separator: "\n"))
    #expect(back.map(\.id) == drafts.map(\.id))
    #expect(back.map(\.transform) == drafts.map(\.transform))
    #expect(back.map(\.metadata) == drafts.map(\.metadata))
  }

  @Test func everyCutIsRefused() throws {
    let bytes = try Scans.bytes("e")
    for length in stride(from: 0, to: bytes.count - 2, by: 97) {
      #expect(throws: ImportError.self) { try ImportFile.read(bytes: Array(bytes[..<length])) }
    }
  }
}
