import Foundation
import HyperbasisBlob
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// Damage of every kind: it is listed, the rest comes in, and the directory stays as it was.
@Suite(.timeLimit(.minutes(5))) struct ImportSDKDamageTests {
  let directory = PeerDirectory()
  let sample = SDKSample()

  /// Imports twice; the second time nothing changes but for what is still to be listed.
  private func imported() async throws -> (HBStorage, HBImportReport) {
    let before = try sample.everything()
    let storage = localStorage(directory)
    let report = try await storage.importSDK(sample)
    let again = try await storage.importSDK(sample)
    #expect(again.spaces + again.anchors + again.events + again.worldMaps == 0)
    #expect(again.unchanged == report.anchors)
    #expect(try sample.everything() == before)
    return (storage, report)
  }

  @Test func `a torn tail of the log`() async throws {
    sample.write(
      SDKSample.events,
      SDKSample.line("created", 1, version: 1, x: 1, metadata: "{}") + "\n"
        + SDKSample.line("moved", 3, version: 2, x: 2).prefix(100))
    let (storage, report) = try await imported()
    #expect(report.problems == ["\(SDKSample.events): line 2 is cut short"])
    #expect(report.events == 1 && report.anchors == 3)
    // What the torn line said is in the file.
    #expect(try await storage.sampleHistory() == ["created", "moved", "updated"])
  }

  @Test func `a space that is cut short takes its anchors with it`() async throws {
    sample.write(SDKSample.spaceFile, String(SDKSample.spaceJSON().prefix(60)))
    let (storage, report) = try await imported()
    #expect(report.problems.count == 5)
    #expect(report.spaces == 1 && report.anchors == 1 && report.worldMaps == 1)
    #expect(try await storage.loadAllSpaces().map(\.id.uuidString) == [SDKSample.bareSpace])
  }

  @Test(
    arguments: [
      (Array(RawDeflate.deflate([UInt8](repeating: 1, count: 9_999)).prefix(9)), "end early"),
      ([0xFF, 1, 2], "damaged"), ([], "end early"),
    ] as [([UInt8], String)])
  func `a map that does not inflate`(bytes: [UInt8], expected: String) async throws {
    sample.write(SDKSample.mapFile, bytes)
    let (storage, report) = try await imported()
    // It is read once, since the space is known the second time.
    #expect(report.problems.count == 1)
    #expect(report.problems[0].hasPrefix("\(SDKSample.mapFile): "))
    #expect(report.problems[0].contains(expected))
    #expect(report.spaces == 2 && report.worldMaps == 1 && report.anchors == 3)
    #expect(try await storage.loadSpace(id: SDKSample.spaceID)?.name == "Kitchen")
  }

  @Test func `a map that is not there`() async throws {
    sample.remove(SDKSample.mapFile)
    let (_, report) = try await imported()
    #expect(
      report.problems == [
        "\(SDKSample.mapFile): it is missing; its space comes without a world map"
      ])
    #expect(report.spaces == 2 && report.worldMaps == 1)
  }

  @Test(arguments: [
    (SDKSample.transform.replacingOccurrences(of: "0.5", with: "NaN"), "NaN"),
    (SDKSample.transform.replacingOccurrences(of: "0.5", with: "1e39"), "does not fit"),
    ("[1,2,3]", "has 3 numbers"),
  ])
  func `an anchor whose file is bad comes as its log has it`(
    transform: String, expected: String
  ) async throws {
    sample.write(SDKSample.anchorFile, SDKSample.anchorJSON(transform: transform))
    let (storage, report) = try await imported()
    #expect(report.problems.count == 1)
    #expect(report.problems[0].hasPrefix("\(SDKSample.anchorFile): "))
    #expect(report.problems[0].contains(expected))
    #expect(report.anchors == 3)
    #expect(try await storage.loadAnchors(spaceId: SDKSample.spaceID).count == 2)
  }

  @Test func `an anchor whose file is bad and that has no log`() async throws {
    sample.write("anchors/\(SDKSample.anchors[1]).json", "{")
    let (storage, report) = try await imported()
    #expect(report.problems.count == 1 && report.anchors == 2)
    #expect(try await storage.loadAnchor(id: SDKSample.anchorIDs[1]) == nil)
  }

  /// Anchors are purged one by one: when all names are unknown, nothing says that they were.
  @Test(arguments: [true, false])
  func `without the anchors' folder the logs tell of anchors that live`(
    isThere: Bool
  ) async throws {
    sample.remove("anchors")
    if isThere { sample.write("anchors", "a file") }
    let (storage, report) = try await imported()
    #expect(report.problems == (isThere ? ["anchors: Not a directory"] : []))
    #expect(report.anchors == 1)
    #expect(try await storage.loadAnchors(spaceId: SDKSample.spaceID).count == 1)
  }

  @Test func `metadata that cannot be kept is left out alone`() async throws {
    let key = String(repeating: "k", count: Limits.keyBytes + 1)
    sample.write(
      SDKSample.anchorFile, SDKSample.anchorJSON(metadata: #"{"\#(key)":1,"text":"kept"}"#))
    let (storage, report) = try await imported()
    #expect(report.problems.count == 1 && report.anchors == 3)
    #expect(try await storage.loadAnchor(id: SDKSample.anchorIDs[0])?.metadata == ["text": "kept"])
  }

  @Test func `an anchor that is beyond the limits of a change`() async throws {
    let value = String(repeating: "v", count: 1_000_000)
    let entries = (0..<5).map { #""\#($0)":"\#(value)""# }.joined(separator: ",")
    sample.write(SDKSample.anchorFile, SDKSample.anchorJSON(metadata: "{\(entries)}"))
    let (storage, report) = try await imported()
    #expect(report.problems.count == 1 && report.anchors == 2)
    #expect(report.problems[0].hasPrefix("\(SDKSample.anchorFile): a change of 500"))
    #expect(try await storage.loadAnchor(id: SDKSample.anchorIDs[0]) == nil)
  }

  @Test func `events that lack what they tell, and lines that are none`() async throws {
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: "{}"),
      SDKSample.line("moved", 2, version: 2), SDKSample.line("updated", 3, version: 3),
      SDKSample.line("painted", 4, version: 4), "{]", "[]",
      SDKSample.line("moved", 5, version: 5, x: 5).replacingOccurrences(
        of: "[1,", with: "[NaN,"),
      SDKSample.line("moved", 5, version: 6, x: 6),
    ])
    let (storage, report) = try await imported()
    #expect(report.problems.count == 6, "\(report.problems)")
    #expect(report.problems.allSatisfy { $0.hasPrefix("\(SDKSample.events): ") })
    #expect(report.problems.contains { $0.hasSuffix("is moved and has no transform") })
    #expect(report.problems.contains { $0.hasSuffix("is updated and has no metadata") })
    #expect(report.anchors == 3 && report.events == 2)
    #expect(try await storage.sampleState(5).contains("6 -"))
  }

  @Test func `links are not followed`() async throws {
    let outside = SDKSample()
    sample.remove(SDKSample.mapFile)
    try FileManager.default.createSymbolicLink(
      atPath: "\(sample.path)/\(SDKSample.mapFile)",
      withDestinationPath: "\(outside.path)/\(SDKSample.mapFile)")
    let storage = localStorage(directory)
    let report = try await storage.importSDK(sample)
    #expect(
      report.problems == [
        "\(SDKSample.mapFile): it is a symbolic link, and those are not followed"
      ])
    #expect(report.worldMaps == 1)
  }

  @Test func `a date before 1970`() async throws {
    sample.write(SDKSample.anchorFile, SDKSample.anchorJSON(created: "1960-01-02T03:04:05Z"))
    let (storage, report) = try await imported()
    #expect(report.problems == [] && report.anchors == 3)
    let created = try await storage.loadAnchor(id: SDKSample.anchorIDs[0])!.createdAt
    #expect(created == Date(nanoseconds: SDKDate.nanoseconds("1960-01-02T03:04:05Z")!))
  }
}
