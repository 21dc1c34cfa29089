import Foundation

extension HBStorageConfig {
  /// Where the store is: ``directory``, or else the platform's place; an absolute path.
  package var directoryPath: String {
    guard let path = directory?.path, !path.isEmpty else {
      return Self.defaultDirectory(environment: ProcessInfo.processInfo.environment)
    }
    return path
  }

  /// The platform's place for an application's data.
  package static func defaultDirectory(environment: [String: String]) -> String {
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
}
