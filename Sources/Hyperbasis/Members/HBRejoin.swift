import Foundation

/// That this storage was no member of a space any more, as it had been retired or took a new ``HBStorage/actorId``,
/// and joined it anew: what it had was replaced by what the members have, and its unsent edits stayed. A
/// storage that had only what others had becomes a member without a word.
public struct HBRejoin: Sendable {
  /// The space that was joined.
  public let spaceId: UUID
  /// When it was joined, by this device's clock.
  public let date: Date
  /// What the device calls itself that gave the space.
  public let through: String
  /// Anchors that were edited here and are deleted there, as they were here. Their edits are not shown; to keep one,
  /// save it under another id.
  ///
  /// ```swift
  /// for lost in rejoin.offered {
  ///   try await storage.save(
  ///     HBAnchor(spaceId: lost.spaceId, transform: try lost.simdTransform(), metadata: lost.metadata))
  /// }
  /// ```
  public let offered: [HBAnchor]
}
