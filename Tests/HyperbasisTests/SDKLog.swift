import Foundation
import HyperbasisCore

@testable import Hyperbasis

/// Anchors and their events as the SDK writes them, at seconds of one minute.
extension SDKSample {
  /// The date at a second of the sample's minute.
  static func date(_ second: Double) -> Date {
    Date(timeIntervalSince1970: 1_735_787_040 + second)
  }

  /// 2025-01-02T03:04:00Z and so many seconds.
  static func text(_ second: Int) -> String {
    let minutes = String(format: "%02d", 4 + second / 60)
    return "2025-01-02T03:\(minutes):\(String(format: "%02d", second % 60))Z"
  }

  static func place(_ x: Int) -> String { "[1,0,0,0,0,1,0,0,0,0,1,0,\(x),0,0,1]" }

  /// A sample with one space and nothing in it.
  static func empty() -> SDKSample {
    let sample = SDKSample()
    for id in anchors { sample.remove("anchors/\(id).json") }
    sample.remove("spaces/\(bareSpace).json")
    sample.remove("worldmaps/\(bareSpace).bin")
    sample.write(events, "")
    return sample
  }

  /// Writes an anchor's file; the numbers are seconds.
  func anchor(
    _ id: String = anchors[0], x: Int, metadata: String = "{}", created: Int, updated: Int,
    deleted: Int? = nil
  ) {
    let deletion = deleted.map { #","deletedAt":"\#(Self.text($0))""# } ?? ""
    write(
      "anchors/\(id).json",
      """
      {"id":"\(id)","spaceId":"\(Self.space)","transform":\(Self.place(x)),"metadata":\(metadata),\
      "createdAt":"\(Self.text(created))","updatedAt":"\(Self.text(updated))"\(deletion)}
      """)
  }

  /// A line of the log.
  static func line(
    _ type: String, _ second: Int, version: Int, anchor: String = anchors[0], x: Int? = nil,
    metadata: String? = nil
  ) -> String {
    let number = String(format: "%04d", second * 100 + version)
    let transform = x.map { #","transform":\#(place($0))"# } ?? ""
    return """
      {"id":"E0000000-\(number)-4000-8000-\(anchor.suffix(12))","anchorId":"\(anchor)",\
      "spaceId":"\(space)","type":"\(type)","timestamp":"\(text(second))","version":\(version)\
      \(transform)\(metadata.map { #","metadata":\#($0)"# } ?? "")}
      """
  }

  func log(_ lines: [String]) {
    write(Self.events, lines.map { $0 + "\n" }.joined())
  }
}

extension HBStorage {
  func importSDK(_ sample: SDKSample) async throws -> HBImportReport {
    try await importSDK(directory: URL(fileURLWithPath: sample.path))
  }

  /// The digest of the sample's space.
  func sampleDigest() async throws -> String {
    try await turn { loop throws(HBStorageError) in
      loop.engine.rooms[SpaceID(text: SDKSample.space)!]!.state.digest.description
    }
  }

  /// The sample's space at a second, as `x text`.
  func sampleState(_ second: Double) async throws -> [String] {
    try await anchorsAt(spaceId: SDKSample.spaceID, date: SDKSample.date(second)).map {
      "\(Int($0.position.x)) \($0.stringMetadata(forKey: "text") ?? "-")"
    }
  }

  /// The history of the sample's first anchor, as words.
  func sampleHistory(_ anchor: String = SDKSample.anchors[0]) async throws -> [String] {
    try await history(anchorId: UUID(uuidString: anchor)!).map(\.type.rawValue)
  }
}

extension SDKSample {
  static let spaceID = UUID(uuidString: space)!
  static let anchorIDs = anchors.map { UUID(uuidString: $0)! }
}
