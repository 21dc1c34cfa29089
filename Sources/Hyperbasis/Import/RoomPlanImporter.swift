import HyperbasisCore

/// Turns a RoomPlan `CapturedRoom` or `CapturedStructure` document into anchors.
///
/// ```swift
/// let drafts = try RoomPlanImporter.drafts(of: JSON.parse(bytes))
/// ```
///
/// Each wall, door, window, opening, floor and object becomes one anchor with the item's identifier
/// and transform (bit for bit) and the metadata that ``RoomPlanItem`` describes. The order is that of
/// ``RoomPlanKind`` and then of the file. Equal captures give equal drafts, whatever the text form:
/// order of keys, decimals of floats and order of sets do not matter.
///
/// A document with `rooms` is a `CapturedStructure`. Its rooms repeat the items of the top level with
/// values from before the merge, so the top level is what is imported; `rooms` only tells which item
/// was in which room (metadata `room`, the index in `rooms`).
///
/// Lost, since they are not anchors: `coreModel` (opaque, and RoomPlan may need it to read the
/// document again, so keep the file), `sections`, `referenceOriginTransform`, `version` and the
/// document's own `story`.
package enum RoomPlanImporter {
  /// Complexity: O(n log n) in the size of the document.
  ///
  /// - Throws: `ImportError` that names the array, the index and the key.
  package static func drafts(of document: Value) throws(ImportError) -> [AnchorDraft] {
    guard case .object(let object) = document else {
      throw .item("the document", .wrongKind(expected: "an object", found: document.kindName))
    }
    guard recognises(object) else { throw .unrecognised }
    let top = ImportFields(object, at: "the document", prefix: "")
    let items = try items(of: top)
    let rooms = try roomIndices(of: top)
    var drafts: [AnchorDraft] = []
    drafts.reserveCapacity(items.count)
    for item in items {
      let id = try item.identifier()
      drafts.append(try item.draft(room: rooms[id]))
    }
    return drafts
  }

  /// Whether a document has one of RoomPlan's arrays.
  static func recognises(_ document: Value.Object) -> Bool {
    RoomPlanKind.allCases.contains { document[$0.array] != nil }
  }

  /// The items of one level in the fixed order, their identifiers checked to differ.
  private static func items(of level: ImportFields) throws(ImportError) -> [RoomPlanItem] {
    var items: [RoomPlanItem] = []
    var places: [AnchorID: String] = [:]
    for kind in RoomPlanKind.allCases {
      let elements = try level.array(kind.array) ?? []
      guard items.count + elements.count <= InputLimits.items else { throw .tooManyItems }
      for (index, element) in elements.enumerated() {
        let place = "\(level.place(of: kind.array))[\(index)]"
        let item = RoomPlanItem(kind: kind, fields: try ImportFields(element, at: place))
        let id = try item.identifier()
        if let first = places.updateValue(place, forKey: id) {
          throw .item(item.fields.place(of: "identifier"), .repeatedIdentifier(id, first: first))
        }
        items.append(item)
      }
    }
    return items
  }

  /// The index in `rooms` of the first room that holds an item; empty for a CapturedRoom.
  private static func roomIndices(of top: ImportFields) throws(ImportError) -> [AnchorID: Int] {
    var indices: [AnchorID: Int] = [:]
    for (index, room) in (try top.array("rooms") ?? []).enumerated() {
      for item in try items(of: ImportFields(room, at: "rooms[\(index)]")) {
        let id = try item.identifier()
        if indices[id] == nil { indices[id] = index }
      }
    }
    return indices
  }
}

/// The kinds of items, in the order in which they are imported.
enum RoomPlanKind: String, CaseIterable {
  case wall, door, window, opening, floor, object

  /// The key of the array that holds them.
  var array: Key { Key(rawValue + "s") }
}
