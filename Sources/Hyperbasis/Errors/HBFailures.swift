import Foundation
import HyperbasisCore
import HyperbasisNet
import HyperbasisStore

/// What is the matter with the files of a storage. More cases may come.
public enum HBStoreFailure: LocalizedError, Equatable, Sendable {
  /// Another process, or another storage in this one, has the directory open.
  case inUse(path: String)
  /// The disk has no room left.
  case full(path: String)
  /// This user may not write to the directory, or it lies on a read-only disk.
  case notWritable(path: String, reason: String)
  /// There is a file where the directory should be, or on the way to it.
  case notADirectory(path: String)
  /// The directory is not there and could not be made.
  case cannotCreate(path: String, reason: String)
  /// The database, or a piece of a world map in it, does not hold what was written.
  case damaged(path: String, what: String)
  /// One space is damaged and set aside; the others are not. ``HBStorage/repair()`` rebuilds it.
  case damagedSpace(id: UUID, path: String, what: String)
  /// A file is there already that is not to be replaced.
  case fileExists(path: String)
  /// Written by a later version of this library; it was not touched.
  case newer(path: String, version: Int)
  /// Written by a preview of this library; it was not touched.
  case older(path: String, version: Int)
  /// A database of another program; it was not touched.
  case foreign(path: String)
  /// A closure of `update` or `transaction` made a call that waits for the same storage.
  case insideClosure(path: String)
  /// The storage was closed before the call.
  case closed
  /// Anything else that the system or the database reported, in its words.
  case failed(path: String, reason: String)

  /// The same as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension HBStoreFailure: CustomStringConvertible {
  /// What is the matter and what to do, in one line for people.
  public var description: String {
    switch self {
    case .inUse(let path):
      "the store '\(path)' is in use by another process; end that first, or name another directory"
    case .full(let path): "no space is left for the store '\(path)'; free some and try again"
    case .notWritable(let path, let reason):
      "the store '\(path)' cannot be written: \(reason); check who owns it"
    case .notADirectory(let path): "'\(path)' is a file; name a directory for the store"
    case .cannotCreate(let path, let reason):
      "the store '\(path)' cannot be made: \(reason); name a directory that you may write"
    case .damaged(let path, let what):
      "the store '\(path)' is damaged: \(what); repair it"
    case .damagedSpace(let id, let path, let what):
      "space \(id) of the store '\(path)' is damaged and set aside: \(what); repair the store"
    case .fileExists(let path): "'\(path)' is there already; name another file"
    case .newer(let path, let version):
      "the store '\(path)' has format \(version), of a newer Hyperbasis; update this one"
    case .older(let path, let version):
      "the store '\(path)' has format \(version), of a preview of Hyperbasis; begin a new one"
    case .foreign(let path):
      "'\(path)' is a database of another program; name another directory"
    case .insideClosure(let path):
      "a closure of update or transaction called the store '\(path)', which waits for that closure; "
        + "make the call before or after"
    case .closed: "the storage was closed; make a new one"
    case .failed(let path, let reason): "the store '\(path)' failed: \(reason)"
    }
  }
}

extension HBStoreFailure {
  package init(_ error: StoreError) {
    self =
      switch error {
      case .notADirectory(let path): .notADirectory(path: path)
      case .cannotCreate(let path, let reason): .cannotCreate(path: path, reason: reason)
      case .inUse(let path): .inUse(path: path)
      case .notWritable(let path, let reason): .notWritable(path: path, reason: reason)
      case .full(let path): .full(path: path)
      case .newer(let path, let version): .newer(path: path, version: version)
      case .older(let path, let version): .older(path: path, version: version)
      case .foreign(let path): .foreign(path: path)
      case .damaged(let path, let what): .damaged(path: path, what: what)
      case .damagedSpace(let path, let space, let what):
        .damagedSpace(id: UUID(space), path: path, what: what)
      case .exists(let path): .fileExists(path: path)
      case .failed(let path, let reason): .failed(path: path, reason: reason)
      }
  }
}

/// Which part of a value cannot be stored, and why. More cases may come.
public enum HBValueFailure: LocalizedError, Equatable, Sendable {
  /// An anchor's transform is not 16 finite numbers.
  case transform(reason: String)
  /// The metadata of `key` is or holds NaN or an infinity.
  case notFinite(key: String, reason: String)
  /// The metadata key or its value is too long, too large or nested too deep.
  case limit(key: String, reason: String)
  /// A space's name is too long.
  case name(reason: String)
  /// A space's world map is too large, or none.
  case worldMap(reason: String)
  /// An anchor with this id lives in another space of this storage, `spaceId`.
  case anchorInAnotherSpace(anchorId: UUID, spaceId: UUID)
  /// A save as a whole is more than can be kept, or is of another space.
  case invalid(reason: String)

  /// The same as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension HBValueFailure: CustomStringConvertible {
  /// Which part it is and why, in one line for people.
  public var description: String {
    switch self {
    case .transform(let reason), .notFinite(_, let reason), .limit(_, let reason),
      .name(let reason), .worldMap(let reason), .invalid(let reason):
      reason
    case .anchorInAnotherSpace(let anchor, let space):
      "anchor \(anchor) lives in space \(space); delete it there first, or give this one an id of its own"
    }
  }
}

extension HBValueFailure {
  package init(_ error: ValueError) {
    self =
      switch error {
      case .notFinite(let key): .notFinite(key: key.text, reason: error.description)
      case .keyTooLong(let key, _), .tooLarge(let key, _), .tooDeep(let key):
        .limit(key: key.text, reason: error.description)
      }
  }

  package init(_ error: TransformError) {
    self = .transform(reason: error.description)
  }
}

/// What is the matter with the network. More cases may come.
public enum HBNetworkFailure: LocalizedError, Equatable, Sendable {
  /// Another program on this machine listens on the port.
  case portInUse(UInt16)
  /// This user may not listen on the port.
  case portNotPermitted(UInt16)
  /// An address in `knownPeers` is malformed.
  case badAddress(String, reason: String)
  /// There is no network, or no way to use it.
  case noNetwork(reason: String)
  /// Nobody on the network answered.
  case noPeers
  /// Nobody did, and no address of `knownPeers` leads to anybody: why, for each.
  case notReached(reason: String)
  /// Anything else that the system reported, in its words, or a peer that did not go on.
  case failed(reason: String)

  /// The same as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension HBNetworkFailure: CustomStringConvertible {
  /// What is the matter and what to do, in one line for people.
  public var description: String {
    switch self {
    case .portInUse(let port):
      "port \(port) is in use on this machine; choose another, or 0 for any free one"
    case .portNotPermitted(let port):
      "this user may not listen on port \(port); choose one from 1024 up, or 0 for any free one"
    case .badAddress(_, let reason): reason
    case .noNetwork(let reason): "no network can be used: \(reason); connect to one"
    case .noPeers: "no peer answered; check that one runs on this network, or name its address"
    case .notReached(let reason): "no peer answered: \(reason)"
    case .failed(let reason): "the network failed: \(reason)"
    }
  }
}

extension HBNetworkFailure {
  package init(_ error: ListenError) {
    self =
      switch error {
      case .portInUse(let port): .portInUse(port)
      case .portNotPermitted(let port): .portNotPermitted(port)
      case .failed(let port, let error): .failed(reason: "listening on port \(port): \(error)")
      }
  }

  /// Why `text` is no address to dial.
  package init(_ error: AddressError, of text: String) {
    self = .badAddress(text, reason: error.description)
  }

  package init(_ error: SystemError) {
    self = .failed(reason: error.description)
  }
}
