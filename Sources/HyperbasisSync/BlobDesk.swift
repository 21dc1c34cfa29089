import HyperbasisCore

/// What the engine wants of its driver for the sake of world maps.
package enum BlobTask: Equatable, Sendable {
  /// What is here of this map? Answered by `inspected(_:_:manifest:missing:hasRoom:at:)`.
  case inspect(SpaceID, MapReference)
  /// Read this, for a peer that asked. Answered by `supply(_:for:on:)`.
  case load(BlobName, LinkID)
  /// See whether these bytes are what they should be, and store them durably. Answered by
  /// `blobStored(_:at:)`, `blobRefused(_:at:)`, `mapIsBroken(_:at:)` or `blobNotStored(_:at:)`.
  case check(ReceivedBlob)
}

/// A blob as a peer sent it, not verified.
package struct ReceivedBlob: Equatable, Sendable {
  package let name: BlobName
  package let form: BlobForm
  package let body: BlobBody
  package let link: LinkID
}

/// The engine's work with blobs, across all spaces and links.
struct BlobDesk: Sendable {
  /// Spaces of whose maps something is to be looked up or asked for.
  private var unfinished = SortedMap<SpaceID, Bool>()
  /// Who was asked for a blob, or sent it and it is being checked: one link for each.
  var asked = SortedMap<ContentHash, LinkID>()
  /// What came and the driver is to check.
  var received: [ReceivedBlob] = []
  /// Where the search for the next blob to send begins, so that links take turns.
  var turn = 0
  /// Peers that sent something else in place of a blob, the latest last.
  private var refusals: [Refusal] = []

  private struct Refusal {
    let replica: ReplicaID
    let hash: ContentHash
    /// For how many milliseconds the peer is not asked for it.
    let milliseconds: UInt64
    /// The end of that, in monotonic milliseconds; nil once it has come.
    var until: UInt64?
  }

  /// Spaces of whose maps something is to be looked up or asked for, ascending.
  var fetching: [SpaceID] { unfinished.keys }

  mutating func refuse(_ hash: ContentHash, from replica: ReplicaID, at now: Now) {
    var milliseconds = Limits.blobRefusalMilliseconds
    if let last = refusals.firstIndex(where: { $0.hash == hash && $0.replica == replica }) {
      milliseconds = refusals.remove(at: last).milliseconds * 2
    }
    milliseconds = min(milliseconds, Limits.blobRefusalMostMilliseconds)
    refusals.append(
      Refusal(
        replica: replica, hash: hash, milliseconds: milliseconds,
        until: now.monotonic + milliseconds))
    if refusals.count > Limits.blobRefusals { refusals.removeFirst() }
  }

  func isRefused(_ hash: ContentHash, from replica: ReplicaID) -> Bool {
    refusals.contains { $0.until != nil && $0.hash == hash && $0.replica == replica }
  }

  /// When the first refusal ends; nil where there is none.
  var refusalDeadline: UInt64? { refusals.lazy.compactMap(\.until).min() }

  /// Ends the refusals whose time has come; false when there are none.
  mutating func endRefusals(at now: Now) -> Bool {
    guard let deadline = refusalDeadline, now.monotonic >= deadline else { return false }
    for index in refusals.indices where refusals[index].until.map({ $0 <= now.monotonic }) == true {
      refusals[index].until = nil
    }
    return true
  }

  mutating func setFetching(_ space: SpaceID, _ isFetching: Bool) {
    unfinished[space] = isFetching ? true : nil
  }
}
