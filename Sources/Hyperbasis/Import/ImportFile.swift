import HyperbasisCore

/// A file of anchors in any form that can be imported.
///
/// ```swift
/// for draft in try ImportFile.read(bytes: bytes) { print(draft.id) }
/// ```
///
/// Either one JSON document with RoomPlan's arrays, on any number of lines, or JSON lines with one
/// anchor each.
package enum ImportFile {
  /// All anchors of the file, or an error and none.
  ///
  /// Complexity: O(n log n) in the bytes.
  ///
  /// - Throws: `ImportError`.
  package static func read(bytes: [UInt8]) throws(ImportError) -> [AnchorDraft] {
    guard bytes.count <= InputLimits.fileBytes else { throw .fileTooLarge(bytes: bytes.count) }
    var lines = JSONLines(bytes)
    guard let first = lines.nextRange() else { throw .empty }
    guard case .object(let object)? = try? JSON.parse(bytes, in: first) else {
      return try RoomPlanImporter.drafts(of: document(bytes))
    }
    if RoomPlanImporter.recognises(object) {
      let isWhole = lines.nextRange() == nil
      return try RoomPlanImporter.drafts(of: isWhole ? .object(object) : document(bytes))
    }
    guard AnchorLinesImporter.recognises(object) else { throw .unrecognised }
    return try AnchorLinesImporter.drafts(of: bytes)
  }

  private static func document(_ bytes: [UInt8]) throws(ImportError) -> Value {
    do throws(JSONError) {
      return try JSON.parse(bytes)
    } catch {
      throw .json(error)
    }
  }
}
