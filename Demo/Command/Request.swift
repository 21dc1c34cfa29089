import Hyperbasis
import HyperbasisCore

/// One command for a store, whether it is carried out here or by the peer that has the store open.
///
/// Metadata travels as JSON text, so that numbers keep their type, and floats as their bits.
enum Request: Codable, Equatable {
  case createSpace(id: String?, name: String)
  case joinSpace(id: String)
  case listSpaces
  case put(space: String, anchor: String?, Edit)
  case change(anchor: String, space: String?, Edit)
  case delete(anchor: String, space: String?)
  case restore(anchor: String, space: String?)
  case listAnchors(space: String, deleted: Bool)
  case importAnchors(space: String, [Draft])
  /// The path is absolute.
  case importSDK(path: String)
  case setMap(space: String, path: String)
  case getMap(space: String, path: String, last: Bool)
  case mapStatus(space: String)
  case digest(space: String)
  case members(space: String)
  case retire(member: String, space: String)
  /// Nil asks what it is.
  case retention(space: String, becomes: String?)
  case status
  /// The path is absolute.
  case backup(path: String)

  struct Edit: Codable, Equatable {
    var position: [UInt32]?
    var transform: [UInt32]?
    var set: [Entry] = []
    var unset: [String] = []
  }

  struct Entry: Codable, Equatable {
    var key: String
    var json: String
  }

  struct Draft: Codable, Equatable {
    var id: String
    var transform: [UInt32]
    var metadata: String
    var ownedKeys: [String]
    var isDeleted: Bool
  }
}

extension Request {
  /// Whether it changes the store.
  var writes: Bool {
    switch self {
    case .listSpaces, .listAnchors, .getMap, .mapStatus, .digest, .members, .status, .backup: false
    case .retention(_, let word): word != nil
    default: true
    }
  }

  /// Whether it may be the first thing that is done with a store.
  var makesStore: Bool {
    switch self {
    case .createSpace, .joinSpace, .importSDK: true
    default: false
    }
  }

  /// Whether it may take longer than a client waits for a sign of life.
  var isLong: Bool {
    switch self {
    case .importSDK, .backup: true
    default: false
    }
  }
}

extension Request.Draft {
  init(_ draft: AnchorDraft) {
    id = "\(draft.id)"
    transform = (0..<16).map { draft.transform.elements[$0].bitPattern }
    metadata = JSON.write(.object(draft.metadata))
    ownedKeys = draft.ownedKeys.map(\.text)
    isDeleted = draft.isDeleted
  }

  func draft() throws -> AnchorDraft {
    guard let id = AnchorID(text: id),
      case .object(let metadata) = try JSON.parse(Array(metadata.utf8))
    else { throw CommandError("a malformed request") }
    return try AnchorDraft(
      id: id, transform: try Transform(transform.map(Float.init(bitPattern:))), metadata: metadata,
      ownedKeys: ownedKeys.map { Key($0) }, isDeleted: isDeleted)
  }
}
