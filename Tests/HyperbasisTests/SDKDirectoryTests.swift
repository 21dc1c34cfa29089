import Foundation
import HyperbasisBlob
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// A sound directory of the SDK, in all its forms.
struct SDKDirectoryTests {
  let sample = SDKSample()
  let space = SpaceID(text: SDKSample.space)!
  let bareSpace = SpaceID(text: SDKSample.bareSpace)!

  /// 2025-01-02T03:04:05Z
  private let second: Int64 = 1_735_787_045_000_000_000

  @Test func everythingIsRead() throws {
    let directory = try sample.read()
    #expect(directory.problems == [])
    // By date of creation: the bare one is the older.
    #expect(directory.spaces.map(\.id) == [bareSpace, space])
    #expect(directory.spaces.map(\.name) == [nil, "Kitchen"])
    #expect(directory.spaces[1].createdAt == second)
    #expect(directory.spaces[1].updatedAt == second + 1_000_000_000)
    #expect(directory.spaces.map(\.hasWorldMap) == [true, true])

    #expect(directory.anchors.map(\.id) == SDKSample.anchors.map { AnchorID(text: $0)! })
    #expect(directory.anchors.map(\.spaceId) == [space, space, bareSpace])
    let anchor = directory.anchors[0]
    #expect(anchor.transform.elements[13] == -0.25)
    // The SDK wrote 20.0 as 20; what it wrote is kept.
    #expect(
      anchor.metadata
        == object(["text": .string("Buy milk"), "size": .int(20), "ratio": .double(0.5)]))
    #expect(anchor.createdAt == second)
    #expect(anchor.deletedAt == nil)

    #expect(directory.events.map(\.version) == [1, 2, 3])
    #expect(directory.events.map(\.timestamp) == [-4, -3, -2].map { second + $0 * 1_000_000_000 })
    #expect(directory.events[0].anchorId == anchor.id)
    #expect(directory.events[0].type == .moved)
    #expect(directory.events[0].transform == anchor.transform)
    #expect(directory.events[0].metadata == nil)
    #expect(directory.events[0].actorId == nil)
  }

  @Test func worldMapsAreInflatedOneAtATime() throws {
    let directory = try sample.read()
    #expect(try directory.worldMap(of: space) == sample.map)
    #expect(try directory.worldMap(of: bareSpace) == [1, 2, 3])
    #expect(try directory.worldMap(of: SpaceID(1)) == nil)
  }

  /// The SDK's own reader cut such a map off and did not say so.
  @Test func aMapOfAnyRatioIsWhole() throws {
    let zeros = [UInt8](repeating: 0, count: 8_000_000)
    sample.write(SDKSample.mapFile, RawDeflate.deflate(zeros))
    #expect(try sample.read().worldMap(of: space) == zeros)
  }

  @Test(arguments: [true, false])
  func withoutAWordOnCompressionBothAreTried(isCompressed: Bool) throws {
    sample.write(SDKSample.spaceFile, SDKSample.spaceJSON(compressed: nil))
    sample.write(SDKSample.mapFile, isCompressed ? RawDeflate.deflate(sample.map) : sample.map)
    #expect(try sample.read().worldMap(of: space) == sample.map)
  }

  @Test func theOtherSpellingOfCompression() throws {
    sample.write(
      SDKSample.spaceFile,
      SDKSample.spaceJSON(compressed: nil, more: #","is_compressed":false"#))
    // Sound deflate, but the space says that it is the map itself.
    let map = RawDeflate.deflate([1, 2, 3])
    sample.write(SDKSample.mapFile, map)
    #expect(try sample.read().worldMap(of: space) == map)
  }

  /// The older documents' form: the map is in the JSON. Foundation writes "/" as "\/".
  @Test(arguments: [nil, "true", "false"])
  func aMapWithinTheSpace(compressed: String?) throws {
    sample.remove(SDKSample.mapFile)
    let stored = compressed == "false" ? sample.map : RawDeflate.deflate(sample.map)
    let text = Data(stored).base64EncodedString().replacingOccurrences(of: "/", with: "\\/")
    sample.write(
      SDKSample.spaceFile,
      SDKSample.spaceJSON(compressed: compressed, more: #","worldMapData":"\#(text)""#))
    let directory = try sample.read()
    #expect(directory.problems == [])
    #expect(try directory.worldMap(of: space) == sample.map)
  }

  @Test func aLargeMapWithinTheSpace() throws {
    sample.remove(SDKSample.mapFile)
    let map = [UInt8](repeating: 9, count: 20_000_000)
    let text = Data(map).base64EncodedString()
    sample.write(
      SDKSample.spaceFile,
      SDKSample.spaceJSON(compressed: "false", more: #","worldMapData":"\#(text)""#))
    #expect(try sample.read().worldMap(of: space) == map)
  }

  @Test func aDeletedAnchorAndItsEvents() throws {
    sample.write(
      SDKSample.anchorFile, SDKSample.anchorJSON(more: #","deletedAt":"2025-01-02T03:04:07.25Z""#))
    sample.write(
      SDKSample.events, SDKSample.eventJSON(version: 4, type: "deleted", transform: nil) + "\n")
    let directory = try sample.read()
    #expect(directory.problems == [])
    #expect(directory.anchors[0].deletedAt == second + 2_250_000_000)
    #expect(directory.events.map(\.type) == [.deleted])
    #expect(directory.events[0].transform == nil)
  }

  @Test func floatsKeepTheirBits() throws {
    var random = SplitMix(seed: 1)
    var floats: [Float] = []
    while floats.count < 16 {
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      if float.isFinite { floats.append(float) }
    }
    let text = "[" + floats.map(\.description).joined(separator: ",") + "]"
    sample.write(SDKSample.anchorFile, SDKSample.anchorJSON(transform: text))
    #expect(try sample.read().anchors[0].transform == Transform(floats))
  }

  @Test func oneFolderIsEnough() throws {
    for file in ["worldmaps", "anchors", "events"] { sample.remove(file) }
    let directory = try sample.read()
    #expect(directory.spaces.count == 2)
    #expect(directory.problems.count == 2)
    #expect(directory.spaces.map(\.hasWorldMap) == [false, false])
  }

  @Test func nothingIsWritten() throws {
    sample.write(SDKSample.anchorFile, "{")
    let before = try sample.everything()
    let directory = try sample.read()
    _ = try directory.worldMap(of: space)
    #expect(try sample.everything() == before)
  }
}
