import HyperbasisCore
import HyperbasisNet
import HyperbasisStore

/// Why a call of ``LocalPeer`` failed: what, where, and what to do. More cases may come.
package enum PeerError: Error, Equatable, Sendable {
  /// The store directory cannot be opened or used.
  case store(StoreError)
  /// The port cannot be listened on.
  case listen(ListenError)
  case network(String)
  /// A known peer's address is malformed.
  case address(String, reason: String)
  case unknownSpace(String)
  /// No space held here has an anchor with this id.
  case unknownAnchor(String)
  /// Several spaces have an anchor with this id; name one.
  case ambiguousAnchor(String)
  case anchorIsDeleted(String)
  /// What is asked of the members of a space cannot be.
  case member(HBMemberFailure)
  /// A value that cannot be saved: a transform without 16 finite numbers, metadata beyond a limit.
  case invalid(String)
  /// A call on the peer's own thread would wait for itself.
  case insideClosure(String)
  /// The peer was stopped.
  case stopped
}

extension PeerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .store(let error): error.description
    case .listen(let error): error.description
    case .network(let text), .address(_, let text), .invalid(let text): text
    case .unknownSpace(let space):
      "no space \(space) is held in this store; create or join it first"
    case .unknownAnchor(let anchor): "no space in this store has an anchor \(anchor)"
    case .ambiguousAnchor(let anchor):
      "several spaces have an anchor \(anchor); say which space"
    case .anchorIsDeleted(let anchor): "anchor \(anchor) is deleted; restore it first"
    case .member(let failure): failure.description
    case .insideClosure(let path): "\(HBStoreFailure.insideClosure(path: path))"
    case .stopped: "the peer was stopped"
    }
  }
}

extension PeerError {
  init(_ error: StoreError) {
    self = .store(error)
  }

  init(_ error: ListenError) {
    self = .listen(error)
  }

  init(_ error: SystemError) {
    self = .network(error.description)
  }

  init(_ error: ValueError) {
    self = .invalid(error.description)
  }

  init(_ error: TransformError) {
    self = .invalid(error.description)
  }
}
