import Foundation

/// One space: a room or place whose anchors devices share, with its world map where it has one.
///
/// ```swift
/// var space = HBSpace(name: "Kitchen")  // without a world map, as on a wall display
/// space.update(name: "Kitchen, ground floor")
/// print(space.name!, space.worldMapSize)  // Kitchen, ground floor 0
/// ```
///
/// A value remembers what was edited in it since it was loaded or saved, and saving writes only
/// that.
public struct HBSpace: Identifiable, Sendable {
  /// The space's id, the same on every device.
  public let id: UUID
  /// What people call the space, at most 1,024 bytes; nil where nobody named it.
  public var name: String? {
    didSet {
      let isSame =
        switch (name, oldValue) {
        case (let name?, let old?): name.isIdentical(to: old)
        case (nil, nil): true
        default: false
        }
      if !isSame { edits.name = EditToken() }
    }
  }
  /// The bytes of the world map, or where they are.
  package private(set) var worldMap: WorldMap
  /// When the space was made.
  public let createdAt: Date
  /// Set by the methods that edit, and not by assigning to a property.
  public var updatedAt: Date
  /// What no storage has written yet.
  package internal(set) var edits = SpaceEdits()

  /// A space of given parts; all have defaults, and without dates it is made now.
  ///
  /// A date that is not given is the other one.
  public init(
    id: UUID = UUID(), name: String? = nil, worldMapData: Data = Data(), createdAt: Date? = nil,
    updatedAt: Date? = nil
  ) {
    let date = createdAt ?? updatedAt ?? Date()
    self.id = id
    self.name = name
    worldMap = .bytes(worldMapData)
    self.createdAt = date
    self.updatedAt = updatedAt ?? date
  }

  /// A space as a storage hands it out: nothing in it is to be written there.
  package init(
    stored id: UUID, name: String?, worldMap: WorldMap, createdAt: Date, updatedAt: Date,
    from scope: EditScope
  ) {
    self.id = id
    self.name = name
    self.worldMap = worldMap
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    edits = SpaceEdits(initial: EditToken(writtenIn: scope))
  }
}

// MARK: The world map's bytes

extension HBSpace {
  /// The archived world map; empty where there is none, and where a stored one cannot be read.
  ///
  /// The map of a space that was loaded is read from the store at each use; use
  /// ``loadWorldMapData()`` to hear of a failure. Setting it replaces the map.
  public var worldMapData: Data {
    get { (try? worldMap.load()) ?? Data() }
    set {
      let new = WorldMap.bytes(newValue)
      if new != worldMap { edits.worldMap = EditToken() }
      worldMap = new
    }
  }

  /// The archived world map, read from the store where it lies there; empty where there is none.
  ///
  /// - Throws: `HBStorageError` when the stored map cannot be read, as when another replaced it since
  ///   the space was loaded.
  public func loadWorldMapData() throws -> Data {
    try worldMap.load()
  }

  /// Bytes of the archived world map; nothing is read.
  public var worldMapSize: Int { worldMap.byteCount }

  /// The size in words, such as "12.3 MB", in the way of the user's region.
  public var worldMapSizeFormatted: String {
    ByteCountFormatter.string(fromByteCount: Int64(worldMapSize), countStyle: .file)
  }

  /// Sets the name, and `updatedAt`.
  public mutating func update(name new: String?) {
    name = new
    updatedAt = Date()
  }
}

extension HBSpace: Hashable {
  /// Stored maps are compared by their hashes, others byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    left.id == right.id && left.name == right.name && left.createdAt == right.createdAt
      && left.updatedAt == right.updatedAt && left.worldMap == right.worldMap
  }

  /// Hashes all but the bytes of the world map, so that no map is read; O(1) in the map.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(name)
    hasher.combine(createdAt)
    hasher.combine(updatedAt)
    hasher.combine(worldMapSize)
  }
}

extension HBSpace: Codable {
  private enum CodingKeys: CodingKey {
    case id, name, worldMapData, createdAt, updatedAt
  }

  /// Reads a space; without `worldMapData` it has no map.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try values.decode(UUID.self, forKey: .id),
      name: try values.decodeIfPresent(String.self, forKey: .name),
      worldMapData: try values.decodeIfPresent(Data.self, forKey: .worldMapData) ?? Data(),
      createdAt: try values.decode(Date.self, forKey: .createdAt),
      updatedAt: try values.decode(Date.self, forKey: .updatedAt))
  }

  /// Writes the space with its whole world map, in JSON as base64.
  ///
  /// - Throws: `HBStorageError` when a stored map cannot be read, and what the coder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encodeIfPresent(name, forKey: .name)
    try values.encode(try loadWorldMapData(), forKey: .worldMapData)
    try values.encode(createdAt, forKey: .createdAt)
    try values.encode(updatedAt, forKey: .updatedAt)
  }
}
