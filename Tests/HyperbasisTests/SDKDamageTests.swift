import Foundation
import HyperbasisBlob
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// Damage to the folders, spaces and maps of an SDK directory: it is named, and the rest is read.
struct SDKDamageTests {
  let sample = SDKSample()
  let space = SpaceID(text: SDKSample.space)!

  // MARK: The directory

  @Test func noDirectory() {
    #expect(throws: SDKDirectoryError.self) { try SDKDirectory(path: sample.path + "/absent") }
    #expect(throws: SDKDirectoryError.self) {
      try SDKDirectory(path: sample.path + "/pending_operations.json")
    }
  }

  @Test func anotherDirectory() throws {
    let path = sample.path + "/spaces"
    #expect(throws: SDKDirectoryError.unrecognised(path: path)) { try SDKDirectory(path: path) }
  }

  @Test func aFolderThatIsALink() throws {
    let outside = SDKSample()
    sample.remove("anchors")
    try FileManager.default.createSymbolicLink(
      atPath: sample.path + "/anchors", withDestinationPath: outside.path + "/anchors")
    #expect(
      try sample.problems() == ["anchors: it is a symbolic link, and those are not followed"])
  }

  @Test func aFileInPlaceOfAFolder() throws {
    sample.remove("anchors")
    sample.write("anchors", "text")
    #expect(try sample.problems() == ["anchors: Not a directory"])
  }

  @Test func aFileThatIsALink() throws {
    sample.remove(SDKSample.anchorFile)
    try FileManager.default.createSymbolicLink(
      atPath: "\(sample.path)/\(SDKSample.anchorFile)",
      withDestinationPath: "\(sample.path)/anchors/\(SDKSample.anchors[1]).json")
    #expect(
      try sample.problems() == [
        "\(SDKSample.anchorFile): it is a symbolic link, and those are not followed"
      ])
  }

  @Test func aMapThatIsALink() throws {
    sample.remove(SDKSample.mapFile)
    try FileManager.default.createSymbolicLink(
      atPath: "\(sample.path)/\(SDKSample.mapFile)", withDestinationPath: "/dev/zero")
    let directory = try sample.read()
    #expect(
      throws: SDKProblem(
        file: SDKSample.mapFile, reason: "it is a symbolic link, and those are not followed")
    ) { try directory.worldMap(of: space) }
  }

  @Test(arguments: [true, false])
  func aFileThatIsNone(isPipe: Bool) throws {
    sample.remove(SDKSample.anchorFile)
    let path = "\(sample.path)/\(SDKSample.anchorFile)"
    if isPipe {
      #expect(mkfifo(path, 0o600) == 0)
    } else {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    #expect(try sample.problems() == ["\(SDKSample.anchorFile): it is not a file"])
  }

  @Test(.disabled(if: geteuid() == 0, "root may read everything"))
  func aFileThatMayNotBeRead() throws {
    #expect(chmod("\(sample.path)/\(SDKSample.anchorFile)", 0) == 0)
    #expect(try sample.problems() == ["\(SDKSample.anchorFile): Permission denied"])
  }

  @Test func namesThatAreNoUUIDs() throws {
    sample.write("anchors/copy.json", SDKSample.anchorJSON())
    sample.write("anchors/\(SDKSample.anchors[1]).json.tmp", "")
    sample.write("anchors/\u{1B}[2J.json", "")
    try FileManager.default.createDirectory(
      atPath: sample.path + "/events/old", withIntermediateDirectories: false)
    #expect(
      try sample.problems() == [
        "anchors/\\u{1B}[2J.json: its name is not UUID.json",
        "anchors/\(SDKSample.anchors[1]).json.tmp: its name is not UUID.json",
        "anchors/copy.json: its name is not UUID.json",
        "events/old/events.jsonl: its name is not UUID",
      ])
  }

  @Test func oneUUIDInTwoNames() throws {
    let second = "anchors/\(SDKSample.anchors[0].lowercased()).json"
    sample.write(second, SDKSample.anchorJSON())
    #expect(try sample.problems() == ["\(second): another file has the same UUID in its name"])
  }

  // MARK: Spaces and maps

  @Test func aSpaceThatIsCutShort() throws {
    sample.write(SDKSample.spaceFile, String(SDKSample.spaceJSON().prefix(60)))
    let directory = try sample.read()
    #expect(directory.spaces.count == 1)
    #expect(directory.anchors.count == 1)
    // The space, its map, its two anchors and its events.
    #expect(directory.problems.count == 5)
    #expect(directory.problems[0].file == SDKSample.spaceFile)
    #expect(directory.problems[0].reason.hasPrefix("line 1, column 61: the text ends"))
    #expect(
      directory.problems.dropFirst().map(\.reason)
        == [String](repeating: "its space \(space) is not there", count: 4))
  }

  @Test func aNameThatIsTooLong() throws {
    let name = String(repeating: "x", count: Limits.nameBytes + 1)
    sample.write(SDKSample.spaceFile, SDKSample.spaceJSON(name: "\"\(name)\""))
    let directory = try sample.read()
    #expect(directory.spaces.map(\.name) == [nil, nil])
    #expect(
      directory.problems.map(\.reason) == [
        "name has 1025 bytes, at most 1024 are allowed; it is left out"
      ])
    #expect(directory.anchors.count == 3)
  }

  @Test(arguments: [
    (SDKSample.spaceJSON(id: SDKSample.anchors[0]), "its id is"),
    (SDKSample.spaceJSON(id: "7"), "id is \"7\", which is not a UUID"),
    (SDKSample.spaceJSON(name: "7"), "name is a number, expected a string"),
    (SDKSample.spaceJSON(created: "yesterday"), "createdAt is \"yesterday\", expected a date"),
    (SDKSample.spaceJSON(compressed: "1"), "isCompressed is a number, expected a boolean"),
    (#"{"name":"Kitchen"}"#, "id is missing"),
    ("[]", "it is an array, expected an object"),
    ("", "line 1, column 1: the text ends"),
  ])
  func aSpaceThatIsNone(json: String, expected: String) throws {
    sample.write(SDKSample.spaceFile, json)
    let directory = try sample.read()
    #expect(directory.spaces.count == 1)
    #expect(directory.problems[0].file == SDKSample.spaceFile)
    #expect(directory.problems[0].reason.hasPrefix(expected), "\(directory.problems[0])")
  }

  @Test func aMapThatIsMissing() throws {
    sample.remove(SDKSample.mapFile)
    let directory = try sample.read()
    #expect(
      directory.problems.map(\.description) == [
        "\(SDKSample.mapFile): it is missing; its space comes without a world map"
      ])
    #expect(directory.spaces.map(\.hasWorldMap) == [true, false])
    #expect(try directory.worldMap(of: space) == nil)
  }

  @Test(arguments: [
    (0, "the compressed bytes end early"), (1, "the compressed bytes end early"),
    (50, "the compressed bytes end early"), (-1, "the compressed bytes are damaged"),
  ])
  func aMapThatDoesNotInflate(length: Int, expected: String) throws {
    let sound = RawDeflate.deflate(sample.map)
    sample.write(
      SDKSample.mapFile,
      length < 0 ? [0xFF] + sound.dropFirst() : Array(sound.prefix(length)))
    let directory = try sample.read()
    #expect(directory.problems == [])
    #expect(throws: SDKProblem(file: SDKSample.mapFile, reason: expected)) {
      try directory.worldMap(of: space)
    }
  }

  @Test func aMapWithoutBytes() throws {
    sample.write(SDKSample.spaceFile, SDKSample.spaceJSON(compressed: "false"))
    sample.write(SDKSample.mapFile, "")
    #expect(throws: SDKProblem(file: SDKSample.mapFile, reason: "a map without bytes")) {
      try sample.read().worldMap(of: space)
    }
  }

  @Test func aMapThatIsNotBase64() throws {
    sample.remove(SDKSample.mapFile)
    sample.write(SDKSample.spaceFile, SDKSample.spaceJSON(more: #","worldMapData":"%%%""#))
    let directory = try sample.read()
    #expect(
      throws: SDKProblem(file: SDKSample.spaceFile, reason: "worldMapData is not base64")
    ) { try directory.worldMap(of: space) }
  }

  @Test func aMapWithoutASpace() throws {
    sample.write("worldmaps/\(SDKSample.anchors[0]).bin", [1])
    #expect(
      try sample.problems() == [
        "worldmaps/\(SDKSample.anchors[0]).bin: its space \(SDKSample.anchors[0].lowercased())"
          + " is not there"
      ])
  }
}
