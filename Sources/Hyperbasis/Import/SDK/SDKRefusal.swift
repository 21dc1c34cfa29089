import HyperbasisCore

/// Why a sound file was not taken.
enum SDKRefusal: Error {
  case badName(String)
  case repeated
  case otherID(String)
  case noSpace(SpaceID)
  case otherSpace(String, SpaceID)
  case noMap
  case notBase64
}

extension SDKRefusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .badName(let form): "its name is not \(form)"
    case .repeated: "another file has the same UUID in its name"
    case .otherID(let id): "its id is \(id), its name says another"
    case .noSpace(let space): "its space \(space) is not there"
    case .otherSpace(let place, let space): "\(place): spaceId is \(space), the folder says another"
    case .noMap: "it is missing; its space comes without a world map"
    case .notBase64: "worldMapData is not base64"
    }
  }
}
