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
    // Linux's Foundation traps where Apple's throws.
    guard type(of: worldMap).supportsSecureCoding else {
      throw HBSpaceError.serializationFailed(underlying: nil)
    }
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
    guard let archive = KeyedArchive(data) else { throw HBSpaceError.invalidWorldMapData }
    guard archive.canHold(type) else { throw HBSpaceError.deserializationFailed(underlying: nil) }
    do {
      let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
      defer { unarchiver.finishDecoding() }
      unarchiver.decodingFailurePolicy = .setErrorAndReturn
      unarchiver.requiresSecureCoding = true
      let map = unarchiver.decodeObject(of: type, forKey: NSKeyedArchiveRootObjectKey)
      if let error = unarchiver.error { throw error }
      if let map { return map }
    } catch {
      throw HBSpaceError.deserializationFailed(underlying: error)
    }
    throw HBSpaceError.deserializationFailed(underlying: nil)
  }

  /// Whether there is a world map, and it is an archive; the objects in it are not decoded.
  ///
  /// False for a space without a map, which is none the less fit to be saved.
  public func validate() -> Bool {
    guard let data = try? loadWorldMapData() else { return false }
    return KeyedArchive(data) != nil
  }
}

extension KeyedArchive {
  /// False where Foundation on Linux would end the process instead of throwing: for a root object
  /// of another class, and for damaged references to classes.
  ///
  /// It still does so when an object within the map is of a class that the map does not expect.
  fileprivate func canHold(_ type: AnyClass) -> Bool {
    if rootClass == .none { return true }
    guard case .named(let name) = rootClass, !hasDamagedClasses else { return false }
    let named: AnyClass? = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
    // Foundation throws for a class that it does not know.
    guard let named = named as? NSObject.Type else { return named == nil }
    return named.isSubclass(of: type)
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
  /// An object refused to be archived; nil where its class does not support secure coding.
  case serializationFailed(underlying: Error?)
  /// The archive is damaged, or holds something else.
  case deserializationFailed(underlying: Error?)
  /// The data are empty or no archive.
  case invalidWorldMapData

  /// What is wrong and what to do, in one line for people.
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
