import HyperbasisCore

/// Why bytes are not the map, or the part of one, that they should be.
package enum BlobError: Error, Equatable {
  case empty
  /// More than a map, or than what the caller allows, may have.
  case tooLarge(most: Int)
  /// A codec that this version does not know, perhaps written by a newer one.
  case unknownCodec(UInt8)
  case truncated
  /// The bytes are not compressed data, or were changed.
  case damaged
  /// The bytes are sound but not as many as was said; nil when they are more and were not counted.
  case wrongSize(Int?, expected: Int)
  case wrongHash(expected: ContentHash)
}

extension BlobError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "a map without bytes"
    case .tooLarge(let most): "more than \(most) bytes"
    case .unknownCodec(let codec): "unknown codec \(codec); the writer may be newer"
    case .truncated: "the compressed bytes end early"
    case .damaged: "the compressed bytes are damaged"
    case .wrongSize(let found?, let expected): "\(found) bytes in place of \(expected)"
    case .wrongSize(nil, let expected): "more than \(expected) bytes"
    case .wrongHash(let expected): "other bytes than those of hash \(expected)"
    }
  }
}
