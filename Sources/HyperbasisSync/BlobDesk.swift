import HyperbasisCore

/// What the engine wants of its driver for the sake of world maps.
package enum BlobTask: Equatable, Sendable {
  /// What is here of this map? Answered by `inspected(_:_:manifest:missing:hasRoom:at:)`.
  case inspect(SpaceID, MapReference)
  /// Read this, for a peer that asked. Answered by `supply(_:for:on:)`.
  case load(BlobName, LinkID)
  /// See whether these bytes are what they should be, and store them durably. Answered by
  /// `blobStored(_:at:)`, `blobRefused(_:at:)`, `mapIsBroken(_:)` or `blobNotStored(_:at:)`.
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
  private(set) var refusals: [(replica: ReplicaID, hash: ContentHash)] = []

  /// Spaces of whose maps something is to be looked up or asked for, ascending.
  var fetching: [SpaceID] { unfinished.keys }

  mutating func refuse(_ hash: ContentHash, from replica: ReplicaID) {
    refusals.append((replica, hash))
    if refusals.count > Limits.blobRefusals { refusals.removeFirst() }
  }

  func isRefused(_ hash: ContentHash, from replica: ReplicaID) -> Bool {
    refusals.contains { $0.hash == hash && $0.replica == replica }
  }

  mutating func setFetching(_ space: SpaceID, _ isFetching: Bool) {
    unfinished[space] = isFetching ? true : nil
  }
}
