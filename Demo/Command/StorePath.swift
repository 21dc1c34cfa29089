import Foundation

/// Where a store is when nobody says: the platform's place for an application's data.
enum StorePath {
  #if canImport(Darwin)
    static let defaultDescription = "~/Library/Application Support/Hyperbasis"
  #else
    static let defaultDescription = "$XDG_DATA_HOME/hyperbasis or ~/.local/share/hyperbasis"
  #endif

  static var standard: String {
    let environment = ProcessInfo.processInfo.environment
    #if canImport(Darwin)
      // Not compiled here.
      return NSHomeDirectory() + "/Library/Application Support/Hyperbasis"
    #else
      if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
        return data + "/hyperbasis"
      }
      return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/hyperbasis"
    #endif
  }

  /// The absolute form of a directory that a user named.
  static func absolute(_ path: String) -> String {
    let full = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return full.count > 1 && full.hasSuffix("/") ? String(full.dropLast()) : full
  }
}
