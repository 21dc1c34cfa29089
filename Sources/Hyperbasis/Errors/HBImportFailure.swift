import Foundation

/// Why a directory was not imported at all. More cases may come.
public enum HBImportFailure: LocalizedError, Equatable, Sendable {
  /// It is not there, is a file, or may not be read.
  case unreadable(path: String, reason: String)
  /// A directory with none of the folders that the SDK makes.
  case notAnSDKDirectory(path: String)

  /// The same as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension HBImportFailure: CustomStringConvertible {
  /// What is the matter and what to do, in one line for people.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason):
      SDKDirectoryError.unreadable(path: path, reason: reason).description
    case .notAnSDKDirectory(let path): SDKDirectoryError.unrecognised(path: path).description
    }
  }
}

extension HBImportFailure {
  init(_ error: SDKDirectoryError) {
    self =
      switch error {
      case .unreadable(let path, let reason): .unreadable(path: path, reason: reason)
      case .unrecognised(let path): .notAnSDKDirectory(path: path)
      }
  }
}
