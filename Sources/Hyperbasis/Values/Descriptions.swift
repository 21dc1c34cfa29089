import Foundation

extension HBAnchor: CustomStringConvertible {
  /// One line for people: id, position and metadata.
  public var description: String {
    let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let place = "(\(position.x), \(position.y), \(position.z))"
    return
      "HBAnchor(\(id), \(place), [\(pairs.joined(separator: ", "))]\(isDeleted ? ", deleted" : ""))"
  }
}

extension HBSpace: CustomStringConvertible {
  /// One line for people: id, name and the size of the world map.
  public var description: String {
    "HBSpace(\(id), \(name ?? "without a name"), world map of \(worldMapSize) bytes)"
  }
}

extension AnyCodableValue: CustomStringConvertible {
  /// The value as it is written in Swift: strings in quotes, whole doubles with a point.
  public var description: String {
    switch self {
    case .string(let value): value.debugDescription
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .bool(let value): "\(value)"
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    case .dictionary(let entries):
      "[\(entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))]"
    case .null: "null"
    }
  }
}
