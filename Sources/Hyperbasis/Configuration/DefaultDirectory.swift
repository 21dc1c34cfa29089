import Foundation

/// The platform's place for the data of a user's programs.
package enum DataDirectory {
  #if canImport(Darwin)
    /// What a store is called there.
    package static let storeName = "Hyperbasis"
    package static let description = "~/Library/Application Support"
  #else
    /// What a store is called there.
    package static let storeName = "hyperbasis"
    package static let description = "$XDG_DATA_HOME or ~/.local/share"
  #endif

  /// An absolute path.
  package static func path(environment: [String: String]) -> String {
    #if canImport(Darwin)
      // Not compiled here.
      return NSHomeDirectory() + "/Library/Application Support"
    #else
      if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data }
      return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
    #endif
  }
}

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

  /// - Throws: `HBStorageError.fileOperationFailed` for a ``directory`` that is no `file` URL.
  func checkDirectory() throws(HBStorageError) {
    guard let directory, !directory.isFileURL else { return }
    let failure = HBStoreFailure.cannotCreate(
      path: directory.absoluteString, reason: "it is no file URL; make one of a path")
    throw .fileOperationFailed(underlying: failure)
  }

  /// The platform's place for a program's data: programs of one user do not share it.
  package static func defaultDirectory(
    environment: [String: String], program: String
  ) -> String {
    DataDirectory.path(environment: environment) + "/\(program)/\(DataDirectory.storeName)"
  }
}
