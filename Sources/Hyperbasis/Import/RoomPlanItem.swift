import HyperbasisCore

/// One surface or object of a RoomPlan document, and the anchor it becomes.
///
/// | metadata | value |
/// | --- | --- |
/// | `kind` | the array: `wall`, `door`, `window`, `opening`, `floor` or `object` |
/// | `category` | its name |
/// | `isOpen` | of a door, a boolean that its category carries |
/// | `confidence` | `high`, `medium` or `low` |
/// | `dimensions` | width, height and thickness in metres |
/// | `parent` | the identifier as an anchor id; it need not be in the file |
/// | `story` | the integer |
/// | `attributes` | strings to strings |
/// | `polygonCorners` | points of 3 numbers in the surface's own plane, metres |
/// | `completedEdges` | names in ascending order, as the file's order is random |
/// | `curve` | the JSON as it is |
/// | `room` | in a CapturedStructure, the index in `rooms` of the room that has the item |
/// | `extra` | keys that RoomPlan does not have and whose name is taken above; the whole `category` when it carries more than `isOpen` |
///
/// Other keys that RoomPlan does not have keep their name and value. What is null or empty in the
/// file is left out, so files of every system version give the same. Metres are doubles that read
/// as the shortest decimal of the file's float: `0.9870156`, also where the file says
/// `0.987015605`. An enumeration may be a plain string or an object of one key; names that RoomPlan
/// does not have are kept.
struct RoomPlanItem {
  let kind: RoomPlanKind
  let fields: ImportFields

  /// The metadata keys that belong to the importer.
  static let ownedKeys: [Key] = [
    "kind", "category", "isOpen", "confidence", "dimensions", "parent", "story", "attributes",
    "polygonCorners", "completedEdges", "curve", "room", "extra",
  ]

  /// The keys of the file that ``draft(room:)`` reads.
  private static let knownKeys: [Key] = [
    "identifier", "category", "dimensions", "transform", "confidence", "parentIdentifier", "story",
    "attributes", "polygonCorners", "completedEdges", "curve",
  ]

  func identifier() throws(ImportError) -> AnchorID {
    guard let id: AnchorID = try fields.identifier("identifier") else {
      throw .item(fields.place, .notRoomPlan(missing: "identifier"))
    }
    return id
  }

  func draft(room: Int?) throws(ImportError) -> AnchorDraft {
    let id = try identifier()
    guard let category = fields["category"] else { throw missing("category") }
    guard let dimensions = try fields.floats("dimensions", count: 3) else {
      throw missing("dimensions")
    }
    guard let transform = try fields.transform("transform") else { throw missing("transform") }
    try checkBottomRow(of: transform)

    var metadata = Value.Object()
    metadata["kind"] = .string(kind.rawValue)
    metadata["dimensions"] = .array(dimensions.map(metres))
    metadata["room"] = room.map { .int(Int64($0)) }
    metadata["confidence"] = fields["confidence"].map { enumeration($0) }
    metadata["parent"] = try parent()
    metadata["story"] = fields["story"].map(integer)
    metadata["attributes"] = fields["attributes"].flatMap(attributes)
    metadata["polygonCorners"] = try polygonCorners()
    metadata["completedEdges"] = try completedEdges()
    metadata["curve"] = fields["curve"]
    try addCategory(category, to: &metadata)
    let others = fields.object.entries.filter { !Self.knownKeys.contains($0.key) }
    addOthers(others, to: &metadata)
    do throws(ValueError) {
      return try AnchorDraft(
        id: id, transform: transform, metadata: metadata, ownedKeys: Self.ownedKeys)
    } catch {
      throw .item(fields.place, .limit(error))
    }
  }

  private func missing(_ key: String) -> ImportError {
    .item(fields.place, .notRoomPlan(missing: key))
  }

  private func checkBottomRow(of transform: Transform) throws(ImportError) {
    for (index, expected) in [(3, 0), (7, 0), (11, 0), (15, 1)] as [(Int, Float)]
    where transform.elements[index] != expected {
      throw .item(fields.place(of: "transform"), .bottomRow(index: index))
    }
  }

  private func parent() throws(ImportError) -> Value? {
    let parent: AnchorID? = try fields.identifier("parentIdentifier")
    return parent.map { .string($0.description) }
  }

  private func polygonCorners() throws(ImportError) -> Value? {
    let key: Key = "polygonCorners"
    var corners: [Value] = []
    for (index, corner) in (try fields.array(key) ?? []).enumerated() {
      let place = "\(fields.place(of: key))[\(index)]"
      corners.append(.array(try ImportFields.floats(corner, count: 3, at: place).map(metres)))
    }
    return corners.isEmpty ? nil : .array(corners)
  }

  private func completedEdges() throws(ImportError) -> Value? {
    var edges: [Key: Value] = [:]
    for edge in try fields.array("completedEdges") ?? [] {
      let edge = enumeration(edge)
      edges[Key(JSON.write(edge))] = edge
    }
    if edges.isEmpty { return nil }
    return .array(edges.sorted { $0.key < $1.key }.map(\.value))
  }

  /// Sets `category` to the name and adds what it carries.
  private func addCategory(_ category: Value, to metadata: inout Value.Object) throws(ImportError) {
    switch category {
    case .string:
      metadata["category"] = category
    case .object(let object) where object.entries.count == 1:
      metadata["category"] = .string(object.entries[0].key.text)
      guard case .object(let payload) = object.entries[0].value else {
        metadata["category"] = category
        return
      }
      metadata["isOpen"] = payload["isOpen"] == .null ? nil : payload["isOpen"]
      if payload.entries.contains(where: { $0.key != "isOpen" }) {
        addExtra(.init(key: "category", value: category), to: &metadata)
      }
    default:
      throw .item(
        fields.place(of: "category"),
        .wrongKind(expected: "a string or an object of one key", found: category.kindName))
    }
  }

  /// Keeps entries under their own name, those whose name is taken under `extra`.
  private func addOthers(_ entries: [Value.Object.Entry], to metadata: inout Value.Object) {
    for entry in entries {
      if Self.ownedKeys.contains(entry.key) {
        addExtra(entry, to: &metadata)
      } else {
        metadata[entry.key] = entry.value
      }
    }
  }

  private func addExtra(_ entry: Value.Object.Entry, to metadata: inout Value.Object) {
    var extra = Value.Object()
    if case .object(let object) = metadata["extra"] { extra = object }
    extra[entry.key] = entry.value
    metadata["extra"] = .object(extra)
  }
}

/// The name of an enumeration written as a string or as an object of one key with nothing in it;
/// any other value as it is.
private func enumeration(_ value: Value) -> Value {
  guard case .object(let object) = value, object.entries.count == 1,
    object.entries[0].value == .object(Value.Object())
  else { return value }
  return .string(object.entries[0].key.text)
}

/// A number without a fraction as an integer; any other value as it is.
private func integer(_ value: Value) -> Value {
  if case .double(let double) = value, let int = Int64(exactly: double) { return .int(int) }
  return value
}

/// The attributes with enumerations as names; nil when there are none.
private func attributes(_ value: Value) -> Value? {
  guard case .object(let object) = value else { return value }
  if object.entries.isEmpty { return nil }
  var named = object
  for entry in object.entries { named[entry.key] = enumeration(entry.value) }
  return .object(named)
}

/// The double that reads as the float's shortest decimal, so that every way to write one float
/// gives one value.
private func metres(_ float: Float) -> Value {
  guard let double = Double(float.description) else {
    preconditionFailure("a finite float has a decimal")
  }
  return .double(double)
}
