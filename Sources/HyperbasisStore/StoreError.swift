import HyperbasisCore

/// Why a store cannot be opened, read or written: what, where, and what to do.
package enum StoreError: Error, Equatable {
  case notADirectory(path: String)
  case cannotCreate(path: String, reason: String)
  /// Another process, or another object in this one, has the store open.
  case inUse(path: String)
  case notWritable(path: String, reason: String)
  case full(path: String)
  /// Written by a later version of this library; it was not touched.
  case newer(path: String, version: Int)
  /// Written by a preview of this library; it was not touched.
  case older(path: String, version: Int)
  /// A database of another program; it was not touched.
  case foreign(path: String)
  case damaged(path: String, what: String)
  /// One space is damaged and set aside; the others are not.
  case damagedSpace(path: String, space: SpaceID, what: String)
  /// A file is there already that is not to be replaced.
  case exists(path: String)
  case failed(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notADirectory(let path):
      "the store '\(path)' is not a directory; name a directory with --store"
    case .cannotCreate(let path, let reason): "cannot create the store '\(path)': \(reason)"
    case .inUse(let path):
      "the store '\(path)' is in use by another process; end that first"
    case .notWritable(let path, let reason): "the store '\(path)' cannot be written: \(reason)"
    case .full(let path): "no space is left for the store '\(path)'; free some and try again"
    case .newer(let path, let version):
      "the store '\(path)' has format \(version), of a newer Hyperbasis; update this one"
    case .older(let path, let version):
      "the store '\(path)' has format \(version), written by a preview of Hyperbasis; "
        + "move it away and begin a new one"
    case .foreign(let path): "'\(path)' is a database of another program"
    case .damaged(let path, let what):
      "the store '\(path)' is damaged: \(what); repair it with 'hyperbasis repair'"
    case .damagedSpace(let path, let space, let what):
      "space \(space) of the store '\(path)' is damaged and set aside: \(what); "
        + "repair it with 'hyperbasis repair'"
    case .exists(let path): "'\(path)' is there already; name another file"
    case .failed(let path, let reason): "the store '\(path)' failed: \(reason)"
    }
  }
}
