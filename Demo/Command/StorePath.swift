import Foundation
import Hyperbasis

/// Where a store is when nobody says: in the platform's place for data, without a directory of the
/// program, since the command's store is the user's.
enum StorePath {
  static let defaultDescription =
    "\(DataDirectory.storeName) in \(DataDirectory.description)"

  static var standard: String {
    DataDirectory.path(environment: ProcessInfo.processInfo.environment)
      + "/\(DataDirectory.storeName)"
  }

  /// The absolute form of a directory that a user named.
  static func absolute(_ path: String) -> String {
    let full = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return full.count > 1 && full.hasSuffix("/") ? String(full.dropLast()) : full
  }
}
