import Foundation

@testable import Hyperbasis

extension HBStorage {
  /// What another device does to this storage's anchors: they change, and nothing is handed out.
  var elsewhere: LocalPeer {
    get throws { try peer() }
  }

  /// What is there; it is not handed out by this.
  func unseen(_ anchor: HBAnchor) async throws -> HBAnchor {
    try await elsewhere.anchor(anchor.id, in: anchor.spaceId)!
  }
}
