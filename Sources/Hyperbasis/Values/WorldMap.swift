import Foundation

/// A world map that lies in a store and is read when it is needed.
package protocol StoredWorldMap: Sendable {
  /// A hash of the bytes; equal hashes mean equal maps.
  var hash: [UInt8] { get }
  var byteCount: Int { get }
  /// The bytes, read and unpacked anew at each call.
  func load() throws -> Data
}

/// The bytes of a world map, or where they are.
package enum WorldMap: Sendable {
  case bytes(Data)
  case stored(any StoredWorldMap)

  package var byteCount: Int {
    switch self {
    case .bytes(let data): data.count
    case .stored(let map): map.byteCount
    }
  }

  package func load() throws -> Data {
    switch self {
    case .bytes(let data): data
    case .stored(let map): try map.load()
    }
  }
}

extension WorldMap: Equatable {
  /// Compares hashes where both maps are stored, else bytes; a map that cannot be read equals none.
  package static func == (left: Self, right: Self) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    if case .stored(let left) = left, case .stored(let right) = right {
      return left.hash == right.hash
    }
    guard let left = try? left.load(), let right = try? right.load() else { return false }
    return left == right
  }
}
