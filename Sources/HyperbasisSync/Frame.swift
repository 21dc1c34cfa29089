import HyperbasisCore

/// One message on a link. `Docs/PROTOCOL.md` has every byte.
package enum Frame: Equatable, Sendable {
  case hello(Hello)
  /// "This is how far I know the space": sent for each space on connect, and after news. The first
  /// vector, which is the state's, covers the history's.
  case have(SpaceID, VersionVector, Digest, history: VersionVector)
  /// "Send me what lies beyond this vector, and from then on every change", and perhaps "name all anchors by
  /// their ids".
  case want(SpaceID, since: VersionVector, byIDs: Bool = false)
  case batch(Batch)
  case change(SpaceID, Change)
  /// "I am still here": sent when nothing else was for a while; there is no answer.
  case ping
  case bye(Farewell)
  /// "Send me the whole changes that lie beyond this vector."
  case wantHistory(SpaceID, since: VersionVector)
  case history(HistoryPart)
  /// "Send me this manifest or chunk of the space's map."
  case wantBlob(BlobName)
  /// A part of a manifest or chunk; the parts of one follow each other.
  case blob(ContentHash, BlobPart)
  /// "Not here, or not any more."
  case noBlob(ContentHash)
  /// "This is what I have of the space's map."
  case map(SpaceID, MapNews)
  /// "These are the members that I know": sent before a `have`.
  case members(SpaceID, [Cell])
  /// "You are no member here: join, unless I am none where your list is the newer one."
  case join(SpaceID, MemberRank)
  /// "You are a member after all: ask again for what I did not answer."
  case admitted(SpaceID)
  /// "Send me all of the space, for I join."
  case wantSnapshot(SpaceID)
  /// "So far members have confirmed, and so far I gave the history up."
  case confirmed(SpaceID, Confirmations)
  /// "The snapshot follows; this is what I may have given up."
  case snapshot(SpaceID, GivenUp)
  /// "Changes of these replicas come to me from themselves: leave them out." In place of what was told before.
  case direct(SpaceID, [ReplicaID])
}

/// The first frame of each side.
package struct Hello: Equatable, Sendable {
  /// The protocol versions that this build speaks, inclusive.
  package static let versions: ClosedRange<UInt16> = 7...7

  package var versions: ClosedRange<UInt16>
  package var device: DeviceID
  package var replica: ReplicaID
  /// Random for each start of the process: tells a restarted peer from one that dials twice.
  package var incarnation: UInt64
  /// For people; at most `Limits.peerNameBytes`.
  package var name: String

  package init(
    versions: ClosedRange<UInt16> = Hello.versions, device: DeviceID, replica: ReplicaID,
    incarnation: UInt64, name: String
  ) {
    self.versions = versions
    self.device = device
    self.replica = replica
    self.incarnation = incarnation
    self.name = name
  }
}

/// A bounded part of a catch-up: whole changes, from each replica a contiguous prefix.
package struct Batch: Equatable, Sendable {
  package var space: SpaceID
  /// Where the catch-up starts; only in its first batch.
  package var base: VersionVector?
  /// How far base and all batches so far reach together.
  package var covers: VersionVector
  /// The sender's vector when it made this batch. The catch-up is whole when `covers`, which has
  /// what the receiver had before as well, covers it.
  package var horizon: VersionVector
  package var cells: BatchCells

  package init(
    space: SpaceID, base: VersionVector?, covers: VersionVector, horizon: VersionVector,
    cells: CellTable, names: WriteNamer? = nil
  ) {
    self.init(
      space: space, base: base, covers: covers, horizon: horizon,
      cells: BatchCells(cells, names: names))
  }

  init(
    space: SpaceID, base: VersionVector?, covers: VersionVector, horizon: VersionVector,
    cells: BatchCells
  ) {
    self.space = space
    self.base = base
    self.covers = covers
    self.horizon = horizon
    self.cells = cells
  }
}

/// Why a side ends the link.
package struct Farewell: Error, Equatable, CustomStringConvertible {
  package enum Reason: UInt8, Sendable {
    case leaving = 1
    /// Another link to the same peer stays.
    case duplicate
    /// The peer is this very replica.
    case ownself
    case version
    case malformed
    case clock
    case storage
    case silent
    case busy
    /// A store was copied or restored: two would write under one replica id.
    case identity
  }

  package let reason: Reason
  /// One line for people, at most `Limits.farewellBytes`.
  package let text: String

  /// A text beyond its limit, as names within it can make it, is cut at a character's border.
  package init(_ reason: Reason, _ text: String) {
    self.reason = reason
    var bytes = 0
    let kept = text.unicodeScalars.prefix { scalar in
      bytes += UTF8.width(scalar)
      return bytes <= Limits.farewellBytes
    }
    self.text = String(kept)
  }

  package var description: String { text }
}
