extension Change {
  /// Bytes of a change of these operations, at most.
  ///
  /// Complexity: O(n) in their encoded size.
  ///
  /// - Throws: `ChangeSizeError` when it exceeds a limit.
  package static func checkedLength(
    of operations: [Operation]
  ) throws(ChangeSizeError) -> Int {
    guard operations.count <= Limits.changeOperations else {
      throw .tooManyWrites(operations.count)
    }
    let bytes = encodedLength(of: operations) + 64
    guard bytes <= Limits.changeBytes else { throw .tooLarge(bytes: bytes) }
    return bytes
  }
}

/// Why operations cannot be one change.
package enum ChangeSizeError: Error, Equatable, Sendable {
  /// There are more than `Limits.changeOperations`.
  case tooManyWrites(Int)
  /// They have more than `Limits.changeBytes` bytes.
  case tooLarge(bytes: Int)
}

extension ChangeSizeError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooManyWrites(let count):
      "\(count) writes in one change; at most \(Limits.changeOperations) are allowed"
    case .tooLarge(let bytes):
      "a change of \(bytes) bytes; at most \(Limits.changeBytes) are allowed"
    }
  }
}
