import Foundation

#if canImport(ARKit)
  import ARKit  // Not compiled here.
#endif

extension HBSpace {
  /// A new space with a world map, made now; `updatedAt` equals `createdAt`.
  ///
  /// The map is an `ARWorldMap`, or any object with secure coding.
  ///
  /// - Throws: `HBSpaceError.serializationFailed`.
  public init<Map: NSObject & NSSecureCoding>(
    id: UUID = UUID(), name: String? = nil, worldMap: Map
  ) throws {
    self.init(id: id, name: name, worldMapData: try Self.serialize(worldMap: worldMap))
  }

  /// Replaces the world map, and sets `updatedAt`.
  ///
  /// - Throws: `HBSpaceError.serializationFailed`; the space is then as it was.
  public mutating func update<Map: NSObject & NSSecureCoding>(worldMap: Map) throws {
    worldMapData = try Self.serialize(worldMap: worldMap)
    updatedAt = Date()
  }

  /// The world map as an object, decoded anew at each call.
  ///
  /// ```swift
  /// let map = try space.worldMap(as: ARWorldMap.self)
  /// ```
  ///
  /// - Throws: `HBSpaceError`, or `HBStorageError` when a stored map cannot be read.
  public func worldMap<Map: NSObject & NSSecureCoding>(as type: Map.Type) throws -> Map {
    try Self.deserialize(worldMapData: try loadWorldMapData(), as: type)
  }

  /// The archive of a world map.
  ///
  /// - Throws: `HBSpaceError.serializationFailed`.
  public static func serialize<Map: NSObject & NSSecureCoding>(worldMap: Map) throws -> Data {
    do {
      return try NSKeyedArchiver.archivedData(
        withRootObject: worldMap, requiringSecureCoding: true)
    } catch {
      throw HBSpaceError.serializationFailed(underlying: error)
    }
  }

  /// The world map in an archive.
  ///
  /// - Throws: `HBSpaceError.invalidWorldMapData` for data that are empty or no archive,
  ///   `deserializationFailed` for an archive of something else, or a damaged one.
  public static func deserialize<Map: NSObject & NSSecureCoding>(
    worldMapData data: Data, as type: Map.Type = Map.self
  ) throws -> Map {
    guard let unarchiver = unarchiver(of: data) else { throw HBSpaceError.invalidWorldMapData }
    defer { unarchiver.finishDecoding() }
    let map = unarchiver.decodeObject(of: type, forKey: NSKeyedArchiveRootObjectKey)
    guard let map else {
      throw HBSpaceError.deserializationFailed(underlying: unarchiver.error)
    }
    return map
  }

  /// Whether there is a world map, and it is an archive; the objects in it are not decoded.
  ///
  /// False for a space without a map, which is none the less fit to be saved.
  public func validate() -> Bool {
    guard let data = try? loadWorldMapData() else { return false }
    return Self.unarchiver(of: data) != nil
  }

  /// Opens an archive with a root object; nil for other data.
  private static func unarchiver(of data: Data) -> NSKeyedUnarchiver? {
    guard !data.isEmpty, let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else {
      return nil
    }
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = true
    return unarchiver.containsValue(forKey: NSKeyedArchiveRootObjectKey) ? unarchiver : nil
  }
}

#if canImport(ARKit)
  // Not compiled here. The spellings of apps that name no type.
  extension HBSpace {
    /// The world map to begin a session with.
    ///
    /// - Throws: as ``worldMap(as:)``.
    public func arWorldMap() throws -> ARWorldMap {
      try worldMap(as: ARWorldMap.self)
    }

    /// The world map in an archive.
    ///
    /// - Throws: as ``deserialize(worldMapData:as:)``.
    public static func deserialize(worldMapData data: Data) throws -> ARWorldMap {
      try deserialize(worldMapData: data, as: ARWorldMap.self)
    }
  }
#endif

/// Why a world map could not be read or written.
public enum HBSpaceError: LocalizedError, Sendable {
  case serializationFailed(underlying: Error?)
  /// The archive is damaged, or holds something else.
  case deserializationFailed(underlying: Error?)
  /// The data are empty or no archive.
  case invalidWorldMapData

  public var errorDescription: String? {
    switch self {
    case .serializationFailed(let error):
      "the world map cannot be archived" + reason(error)
    case .deserializationFailed(let error):
      "the world map's archive is damaged or holds something else; capture the map again"
        + reason(error)
    case .invalidWorldMapData:
      "the space has no world map, or data that are none; capture the map and save it"
    }
  }

  private func reason(_ error: (any Error)?) -> String {
    error.map { ": \(text(of: $0))" } ?? ""
  }
}
