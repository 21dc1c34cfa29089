import HyperbasisCore

/// Every limit on the form of world maps, with its unit; how large one may be is `Limits.mapBytes`.
package enum BlobLimits {
  /// Bytes of one chunk of a map; the last chunk of a map may be shorter.
  package static let chunkBytes = Limits.mapChunkBytes

  /// Chunks of one map: those of the largest.
  package static let chunks = Limits.mapChunks
}
