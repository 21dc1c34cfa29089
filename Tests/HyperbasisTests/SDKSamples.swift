import Foundation
import HyperbasisBlob

@testable import Hyperbasis

/// A directory as the SDK leaves it, for one test: two spaces, three anchors, events of the first space.
final class SDKSample {
  let path: String
  /// As the app had it.
  let map = [UInt8]("bplist00 a world map ".utf8) + [UInt8](repeating: 7, count: 100_000)

  static let space = "6A1F0C5E-0000-4000-8000-000000000001"
  static let bareSpace = "6A1F0C5E-0000-4000-8000-000000000002"
  static let anchors = (1...3).map { "A0000000-0000-4000-8000-00000000000\($0)" }
  static let transform = "[1,0,0,0,0,1,0,0,0,0,1,0,0.5,-0.25,3,1]"

  init() {
    path = FileManager.default.temporaryDirectory.path + "/hyperbasis-sdk-" + UUID().uuidString
    for folder in ["spaces", "worldmaps", "anchors", "events/\(Self.space)"] {
      try! FileManager.default.createDirectory(
        atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
    }
    write("spaces/\(Self.space).json", Self.spaceJSON())
    write("worldmaps/\(Self.space).bin", RawDeflate.deflate(map))
    write(
      "spaces/\(Self.bareSpace).json",
      Self.spaceJSON(
        id: Self.bareSpace, name: "null", created: "2024-12-31T23:59:59Z", compressed: "false"))
    write("worldmaps/\(Self.bareSpace).bin", [1, 2, 3])
    for (index, id) in Self.anchors.enumerated() {
      write(
        "anchors/\(id).json",
        Self.anchorJSON(id: id, space: index < 2 ? Self.space : Self.bareSpace))
    }
    write(
      Self.events,
      (1...3).map { Self.eventJSON(version: $0) + "\n" }.joined())
    write("pending_operations.json", "[]")
    write("anchors/.DS_Store", [0, 1])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  static var events: String { "events/\(space)/events.jsonl" }
  static var spaceFile: String { "spaces/\(space).json" }
  static var mapFile: String { "worldmaps/\(space).bin" }
  static var anchorFile: String { "anchors/\(anchors[0]).json" }

  func write(_ file: String, _ text: String) {
    write(file, Array(text.utf8))
  }

  func write(_ file: String, _ bytes: [UInt8]) {
    try! Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
  }

  func remove(_ file: String) {
    try! FileManager.default.removeItem(atPath: "\(path)/\(file)")
  }

  func read() throws -> SDKDirectory {
    try SDKDirectory(path: path)
  }

  /// The lines of the problems.
  func problems() throws -> [String] {
    try read().problems.map(\.description)
  }

  /// Every file with its bytes and its date.
  func everything() throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let file = "\(path)/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      let bytes = FileManager.default.contents(atPath: file) ?? Data()
      files[name] = "\(attributes[.modificationDate]!) \(SHA256.hash(Array(bytes)))"
    }
    return files
  }

  // MARK: The SDK's JSON

  static func spaceJSON(
    id: String = space, name: String = #""Kitchen""#, created: String = "2025-01-02T03:04:05Z",
    compressed: String? = "true", more: String = ""
  ) -> String {
    """
    {"id":"\(id)","name":\(name),"createdAt":"\(created)","updatedAt":"2025-01-02T03:04:06Z"\
    \(compressed.map { #","isCompressed":\#($0)"# } ?? "")\(more)}
    """
  }

  static func anchorJSON(
    id: String = anchors[0], space: String = space, transform: String = transform,
    metadata: String = #"{"text":"Buy milk","size":20,"ratio":0.5}"#,
    created: String = "2025-01-02T03:04:05Z", more: String = ""
  ) -> String {
    """
    {"id":"\(id)","spaceId":"\(space)","transform":\(transform),"metadata":\(metadata),\
    "createdAt":"\(created)","updatedAt":"2025-01-02T03:04:06Z"\(more)}
    """
  }

  static func eventJSON(
    version: Int, type: String = "moved", space: String = space, transform: String? = transform
  ) -> String {
    """
    {"id":"E0000000-0000-4000-8000-00000000000\(version)","anchorId":"\(anchors[0])",\
    "spaceId":"\(space)","type":"\(type)","timestamp":"2025-01-02T03:04:0\(version)Z",\
    "version":\(version)\(transform.map { #","transform":\#($0)"# } ?? "")}
    """
  }
}
