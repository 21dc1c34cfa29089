import HyperbasisCore

/// Changes that the driver is asked to read from the store for one link.
package struct HistoryRead: Equatable, Sendable {
  package let space: SpaceID
  package let after: VersionVector
  /// Inclusive; the history that is durable. At least one change lies between.
  package let upTo: VersionVector
  /// Encoded bytes at which to stop; the change that reaches them is the last.
  package let bytes: Int
}

/// What a session asks and tells of histories.
struct HistoryExchange: Sendable {
  var spaces = SortedMap<SpaceID, HistoryLink>()
  /// What the driver reads, or has read and waits to be sent: one at a time.
  var reading: HistoryRead?
  /// What was read.
  var supplied: [Change]?
  /// Which space may be read next, so that they take turns.
  var turn = 0
  /// Whether a space may have a request that is due, or a supply: no need to look through all else.
  var hasRequests = false
  var hasSupplies = false
}

/// What a session knows of one space's history.
struct HistoryLink: Sendable {
  /// How far the peer said that its history reaches.
  var theirs = VersionVector()
  var request = Request.none
  var supply: Supply?

  /// What we asked of the peer.
  enum Request: Equatable, Sendable {
    case none
    case due(since: VersionVector)
    /// How far the request and the answer so far reach together.
    case sent(reached: VersionVector)
  }

  /// What the peer asked of us.
  struct Supply: Sendable {
    /// How far the peer's request and what was sent reach together.
    var sent: VersionVector
    /// Monotonic milliseconds before which nothing is read: the store could not read.
    var pausedUntil: UInt64 = 0
  }
}

/// Why a part of a history does not continue what came before.
enum HistoryError: Error, Equatable {
  case gap(Dot)
  case endsEarly
  case tooManyReplicas
}

extension HistoryError: CustomStringConvertible {
  var description: String {
    switch self {
    case .gap(let dot): "change \(dot.sequence) of \(dot.replica) is not the next one"
    case .endsEarly: "it ends before what the peer said that it has"
    case .tooManyReplicas: "it has more than \(Limits.replicas) replicas"
    }
  }
}
