import Foundation
import Hyperbasis

/// What a session knows of a room, in the place of an `ARWorldMap`.
final class RoomMap: NSObject, NSSecureCoding, Sendable {
  static let supportsSecureCoding = true
  let corners: Int

  init(corners: Int) {
    self.corners = corners
  }

  init?(coder: NSCoder) {
    corners = coder.decodeInteger(forKey: "corners")
  }

  func encode(with coder: NSCoder) {
    coder.encode(corners, forKey: "corners")
  }
}

/// A map that cannot be archived: its coding is not secure.
final class BadMap: NSObject, NSSecureCoding {
  static let supportsSecureCoding = false

  override init() {}
  init?(coder: NSCoder) { nil }
  func encode(with coder: NSCoder) {}
}

/// A session that finds its place in a room, in the place of an AR session.
@MainActor
final class RoomSession {
  enum Tracking: Sendable {
    case limited, normal
  }

  struct NothingSeen: Error {}

  let tracking: AsyncStream<Tracking>
  private let tell: AsyncStream<Tracking>.Continuation
  /// The map that the session began with.
  private(set) var initialMap: RoomMap?
  var cornersSeen = 4

  init() {
    (tracking, tell) = AsyncStream.makeStream()
  }

  func begin(with map: RoomMap? = nil) {
    initialMap = map
    tell.yield(.limited)
    tell.yield(.normal)
  }

  func captureMap() async throws -> RoomMap {
    guard cornersSeen > 0 else { throw NothingSeen() }
    return RoomMap(corners: cornersSeen)
  }
}
