/// Every limit on the form of world maps, with its unit; how large one may be is `Limits.mapBytes`.
package enum BlobLimits {
  /// Bytes of one chunk of a map; the last chunk of a map may be shorter.
  package static let chunkBytes = 262_144

  /// Chunks of one map: those of the largest.
  package static let chunks = 4_096
}
