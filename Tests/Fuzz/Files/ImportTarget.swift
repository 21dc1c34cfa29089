import Hyperbasis
import HyperbasisCore

/// Files of anchors, as lines or as RoomPlan's documents: each anchor that was read makes a line that
/// is read as the same.
enum ImportTarget: FuzzTarget {
  static let name = "import"
  private static let id = "a0000000-0000-4000-8000-000000000001"
  private static let transform = "[1,0,0,0,0,1,0,0,0,0,1,0,0.5,-0.25,3,1]"

  static func seeds() -> [[UInt8]] {
    let item = """
      "identifier":"\(id)","category":{"door":{"isOpen":true}},"dimensions":[1,2.5,0.0],\
      "transform":\(transform),"confidence":{"high":{}},"parentIdentifier":null,"story":0,\
      "attributes":{"a":{"b":{}}},"polygonCorners":[[0,1,2]],"completedEdges":[{"top":{}}],\
      "curve":null,"kind":1
      """
    let line = """
      {"id":"\(id)","space":"\(id)","transform":\(transform),"position":[0.5,-0.25,3],\
      "metadata":{"a":[1,{"b":null}]},"created":1,"updated":-2,"deleted":null}
      """
    let texts = [
      line, line + "\n" + line, #"{"id":"\#(id)","position":[0,1,-2],"deleted":5}"#,
      #"{"walls":[],"doors":[{\#(item)}],"version":2}"#,
      #"{"objects":[{\#(item)}],"rooms":[{"objects":[{\#(item)}]}]}"#,
    ]
    return texts.map { Array($0.utf8) }
  }

  static func run(_ bytes: [UInt8]) throws {
    let drafts: [AnchorDraft]
    do throws(ImportError) {
      drafts = try ImportFile.read(bytes: bytes)
    } catch {
      _ = "\(error)"
      return
    }
    for draft in drafts {
      let line = AnchorLines.line(
        id: draft.id, space: Samples.space, transform: draft.transform, metadata: draft.metadata,
        created: 0, updated: .max, deleted: draft.isDeleted ? .min : nil)
      let again = try AnchorLinesImporter.drafts(of: Array(line.utf8))
      try expect(again.count == 1, "a line is one anchor: \(line)")
      try expect(
        again[0].id == draft.id && again[0].transform == draft.transform
          && again[0].metadata == draft.metadata && again[0].isDeleted == draft.isDeleted,
        "a line is read as it was written: \(line)")
      for entry in draft.metadata.entries { try Value.check(entry.value, for: entry.key) }
    }
  }
}
