import Foundation

extension HBStorageConfig {
  /// Where the store is: ``directory``, or else the platform's place; an absolute path.
  package var directoryPath: String {
    guard let path = directory?.path, !path.isEmpty else {
      let process = ProcessInfo.processInfo
      return Self.defaultDirectory(
        environment: process.environment, program: process.processName)
    }
    return path
  }

  /// The platform's place for a program's data: programs of one user do not share it.
  package static func defaultDirectory(
    environment: [String: String], program: String
  ) -> String {
    #if canImport(Darwin)
      // Not compiled here.
      return NSHomeDirectory() + "/Library/Application Support/\(program)/Hyperbasis"
    #else
      if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
        return data + "/\(program)/hyperbasis"
      }
      return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/\(program)/hyperbasis"
    #endif
  }
}
