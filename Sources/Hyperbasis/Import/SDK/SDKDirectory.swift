import Foundation
import HyperbasisBlob
import HyperbasisCore

/// What the Hyperbasis SDK kept in its directory (`Documents/Hyperbasis`), as values.
///
/// ```swift
/// let directory = try SDKDirectory(path: path)
/// for space in directory.spaces { try importSpace(space, directory.worldMap(of: space.id)) }
/// for problem in directory.problems { print(problem) }
/// ```
///
/// | file | what |
/// | --- | --- |
/// | `spaces/UUID.json` | a space; its world map as base64 in older directories |
/// | `worldmaps/UUID.bin` | the world map of the space, mostly raw deflate |
/// | `anchors/UUID.json` | an anchor |
/// | `events/UUID/events.jsonl` | the events of the anchors of a space, one a line |
///
/// The SDK wrote none of them atomically, so any can be cut short. What cannot be read is left out and
/// named in ``problems``; the rest is there. Nothing is written. Other files are not looked at.
package struct SDKDirectory: Sendable {
  /// By date of creation, then id.
  package internal(set) var spaces: [SDKSpace] = []
  /// By date of creation, then id; the space of each is in ``spaces``.
  package internal(set) var anchors: [SDKAnchor] = []
  /// In the order of the files; those of one space are together, and it is in ``spaces``.
  package internal(set) var events: [SDKEvent] = []
  package internal(set) var problems: [SDKProblem] = []

  /// Whether the names of the anchors' files are known: only then one without was purged.
  var listsAnchors = false
  /// Anchors of which there is a file that cannot be read.
  var unreadableAnchors: Set<AnchorID> = []

  let files: SDKFiles
  var maps: [SpaceID: MapSource] = [:]

  /// Where the world map of a space is.
  struct MapSource {
    let file: String
    /// In the JSON of the space, as base64.
    let isEmbedded: Bool
    let isCompressed: Bool?
  }

  /// Reads everything but the world maps.
  ///
  /// - Throws: `SDKDirectoryError` when the path is no directory, or has none of the SDK's folders.
  package init(path: String) throws(SDKDirectoryError) {
    files = try SDKFiles(path: path)
    readSpaces()
    findMaps()
    readAnchors()
    readEvents()
  }

  /// Whether there is such a directory; nothing of it is read.
  ///
  /// - Throws: `SDKDirectoryError` as ``init(path:)``.
  package static func check(path: String) throws(SDKDirectoryError) {
    _ = try SDKFiles(path: path)
  }

  /// The world map of a space, uncompressed; nil when it has none. Read anew at each call.
  ///
  /// - Throws: `SDKProblem` when there is one that cannot be read.
  package func worldMap(of space: SpaceID) throws(SDKProblem) -> [UInt8]? {
    guard let source = maps[space] else { return nil }
    do {
      let stored =
        source.isEmbedded
        ? try embeddedMap(in: source.file)
        : try files.bytes(of: source.file, most: Limits.mapBytes)
      let map = try SDKDirectory.map(stored, isCompressed: source.isCompressed)
      guard !map.isEmpty else { throw BlobError.empty }
      return map
    } catch {
      throw SDKProblem(file: source.file, reason: "\(error)")
    }
  }

  // MARK: Private

  private func embeddedMap(in file: String) throws -> [UInt8] {
    let fields = ImportFields(try files.object(of: file), at: "it", prefix: "")
    guard let text = try fields.text("worldMapData"), let data = Data(base64Encoded: text) else {
      throw SDKRefusal.notBase64
    }
    return Array(data)
  }

  /// A file that does not say whether it is compressed is, if that can be.
  private static func map(
    _ stored: [UInt8], isCompressed: Bool?
  ) throws(BlobError) -> [UInt8] {
    switch isCompressed {
    case true?: return try RawDeflate.inflate(stored)
    case false?: return stored
    case nil:
      guard let map = try? RawDeflate.inflate(stored) else { return stored }
      return map
    }
  }
}
