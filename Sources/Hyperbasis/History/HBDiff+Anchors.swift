import Foundation

extension HBDiff {
  /// An anchor whose transform changed.
  public struct MovedAnchor: Hashable, Sendable {
    /// The anchor as it is after the move.
    public let anchor: HBAnchor
    /// 16 numbers, column by column.
    public let previousTransform: [Float]

    /// A move of given parts; they are not checked.
    public init(anchor: HBAnchor, previousTransform: [Float]) {
      self.anchor = anchor
      self.previousTransform = previousTransform
    }

    /// Metres; zero where the transform has too few numbers.
    public var previousPosition: SIMD3<Float> { previousTransform.position }

    /// Metres; zero where the transform has too few numbers.
    public var currentPosition: SIMD3<Float> { anchor.position }

    /// Metres between the positions; a rotation alone moves by 0.
    public var distanceMoved: Float { simd_distance(previousPosition, currentPosition) }
  }

  /// An anchor whose metadata changed.
  public struct UpdatedAnchor: Hashable, Sendable {
    /// The anchor as it is after the change.
    public let anchor: HBAnchor
    /// All metadata as it was before.
    public let previousMetadata: [String: AnyCodableValue]

    /// A change of given parts; they are not checked.
    public init(anchor: HBAnchor, previousMetadata: [String: AnyCodableValue]) {
      self.anchor = anchor
      self.previousMetadata = previousMetadata
    }

    /// Keys that are there and were not.
    public var addedKeys: Set<String> {
      Set(anchor.metadata.keys).subtracting(previousMetadata.keys)
    }

    /// Keys that were there and are not.
    public var removedKeys: Set<String> {
      Set(previousMetadata.keys).subtracting(anchor.metadata.keys)
    }

    /// Keys that were and are there, with another value.
    public var changedKeys: Set<String> {
      Set(
        anchor.metadata.keys.filter { key in
          previousMetadata[key].map { $0 != anchor.metadata[key] } ?? false
        })
    }
  }
}
