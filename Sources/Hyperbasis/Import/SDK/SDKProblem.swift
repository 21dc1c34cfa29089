import HyperbasisCore

/// What of an SDK directory could not be read: one line with the file and the reason.
///
/// ```swift
/// print(problem)  // anchors/6BA7….json: transform has 15 numbers, expected 16
/// ```
package struct SDKProblem: Error, Equatable, Sendable {
  /// The path within the directory.
  package let file: String
  package let reason: String
}

extension SDKProblem: CustomStringConvertible {
  package var description: String { "\(file.printable): \(reason)" }
}

/// Why a path is no SDK directory at all.
package enum SDKDirectoryError: Error, Equatable, Sendable {
  case unreadable(path: String, reason: String)
  /// A directory with none of the SDK's folders.
  case unrecognised(path: String)
}

extension SDKDirectoryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "'\(path.printable)' cannot be read: \(reason)"
    case .unrecognised(let path):
      """
      '\(path.printable)' is no directory of the Hyperbasis SDK: it has none of the folders \
      \(SDKFolder.allCases.map(\.rawValue).joined(separator: ", ")); the SDK keeps them in \
      Documents/Hyperbasis
      """
    }
  }
}

/// The folders of an SDK directory that are read.
enum SDKFolder: String, CaseIterable {
  case spaces, worldmaps, anchors, events

  /// The path of a file as the SDK names it.
  func file<Kind>(_ id: Identifier<Kind>, _ ending: String) -> String {
    "\(self)/\("\(id)".uppercased()).\(ending)"
  }
}
