/// Every limit of the engine, with its unit.
///
/// A hostile peer or a mistaken caller meets one of these by name. The relations between them are
/// asserted by `LimitsTests`.
package enum Limits {
  /// Bytes of UTF-8 in a metadata key. An empty key is allowed.
  package static let keyBytes = 1_024

  /// Bytes of one encoded metadata value, nested values included.
  package static let valueBytes = 1_048_576

  /// Levels of arrays and objects in one value; a scalar has depth 0.
  package static let valueDepth = 32

  /// Bytes of UTF-8 in a space name.
  package static let nameBytes = 1_024

  /// Bytes of one world map.
  package static let mapBytes = 1 << 30

  /// Bytes of each chunk of a world map, the last one left out; no blob on a link has more.
  package static let mapChunkBytes = 262_144

  /// Chunks of one world map: those of the largest.
  package static let mapChunks = 4_096

  /// Bytes of a blob that are sent in one frame: edits wait for no more.
  package static let blobPartBytes = 32_768

  /// Blobs asked of one link that have not come yet.
  package static let blobRequests = 8

  /// The same on a link whose answers queue.
  package static let blobRequestsLeast = 2

  /// Milliseconds from a request to its answer up to which more is asked of a link at once; beyond
  /// twice that, less.
  package static let blobSoonMilliseconds: UInt64 = 25

  /// Blobs that a peer may have asked for on one link without having them yet; one that asks for
  /// more breaks the protocol.
  package static let blobQueue = 64

  /// Blobs of which it is remembered that a peer sent something else in their place.
  package static let blobRefusals = 256

  /// Milliseconds for which such a peer is not asked for the blob again: it may have been damaged on
  /// its way, or on a disk that is mended. Doubled each time that it happens again, up to
  /// ``blobRefusalMostMilliseconds``.
  package static let blobRefusalMilliseconds: UInt64 = 15_000

  /// The most of these milliseconds.
  package static let blobRefusalMostMilliseconds: UInt64 = 60_000

  /// Milliseconds without a blob after which a link's requests are made at other links.
  package static let blobStallMilliseconds: UInt64 = 10_000

  /// Milliseconds for which chunks that came are gathered before peers are told that they are here.
  package static let mapNewsMilliseconds: UInt64 = 100

  /// Milliseconds until a map that could not be stored is tried again.
  package static let mapRetryMilliseconds: UInt64 = 30_000

  /// Bytes of one encoded change.
  package static let changeBytes = 4_194_304

  /// Operations in one change.
  package static let changeOperations = 65_536

  /// Bytes of the writes of one change within a batch, where each has its own stamp.
  package static let changeCellBytes = 5_373_952

  /// The highest sequence number of a replica, inclusive.
  package static let sequence = 1 << 48

  /// Replicas in one version vector.
  package static let replicas = 4_096

  /// Replicas whose writes one state can hold, as a damaged store may have them. Peers take ``replicas``.
  package static let authors = 65_534

  /// Bytes at which a batch of a delta is closed. One register may exceed it.
  package static let batchBytes = 65_536

  /// Cells of a batch: those of the largest change, behind others.
  package static let batchCells = 131_072

  /// Bytes of names that a sender remembers of its catch-ups on one link; with more it forgets all.
  package static let catchUpNameBytes = 8_388_608

  /// Bytes of one frame's payload on the wire.
  package static let frameBytes = 8_388_608

  /// Milliseconds that a received timestamp may be ahead of the local clock.
  package static let clockAheadMilliseconds: UInt64 = 300_000

  /// Milliseconds that stamps are ahead beyond which it is not waited for clocks to come so far: they are
  /// written anew.
  package static let renewalMilliseconds: UInt64 = 3_600_000

  /// Milliseconds that nothing is given to peers before what they refused is written anew: by then their
  /// histories are here.
  package static let holdMilliseconds: UInt64 = 10_000

  /// Milliseconds that a stamp may be ahead to stay as it is where others are written anew: three times
  /// ``clockAheadMilliseconds``, since clocks that are right differ, too.
  package static let renewalKeptMilliseconds: UInt64 = 900_000

  /// Bytes of the first frame of a link, before its sender is known.
  package static let helloBytes = 1_024

  /// Bytes of UTF-8 in a peer's name.
  package static let peerNameBytes = 255

  /// Bytes of UTF-8 in the text of a farewell.
  package static let farewellBytes = 255

  /// Spaces in one store, and so the spaces that one link may announce.
  package static let spaces = 4_096

  /// Links held at once.
  package static let links = 256

  /// Milliseconds for which what a peer knows is awaited from its authors, before the peer is asked for it.
  package static let directMilliseconds: UInt64 = 1_000

  /// Links up to which each peer is told after `haveDelayMilliseconds` how far we are; with twice as many
  /// after twice that.
  package static let promptLinks = 8

  /// Links held at once to one and the same replica, while duplicates are being resolved.
  package static let linksPerReplica = 3

  /// Writes gathered of one catch-up before it is whole.
  package static let catchUpCells = 16_777_216

  /// Authors of spaces that a link knows by number in each direction; with one more the oldest is forgotten.
  package static let liveSources = 1_024

  /// Anchors that a link knows by number in each direction, with the last transform of each.
  package static let liveAnchors = 1_024

  /// Keys that a link knows by number in each direction.
  package static let liveKeys = 128

  /// Bytes of recent whole changes kept in memory per space for live peers.
  package static let recentBytes = 1_048_576

  /// Milliseconds without a sent frame after which a ping is sent.
  package static let pingAfterMilliseconds: UInt64 = 2_000

  /// Milliseconds without a received byte after which a link counts as dead.
  package static let silenceMilliseconds: UInt64 = 8_000

  /// Milliseconds in which a peer must introduce itself.
  package static let helloMilliseconds: UInt64 = 5_000

  /// Milliseconds for which news of the own vector is gathered before it is told to a peer.
  package static let haveDelayMilliseconds: UInt64 = 250

  /// Milliseconds without progress after which a catch-up is asked of another peer.
  package static let catchUpStallMilliseconds: UInt64 = 5_000

  /// Milliseconds for which what members confirmed is gathered before it is told on.
  package static let membersDelayMilliseconds: UInt64 = 1_000

  /// Milliseconds after news until it is looked at what can be given up.
  package static let collectDelayMilliseconds: UInt64 = 3_000

  /// Milliseconds without progress after which a link is ended that was asked for a snapshot.
  package static let joinStallMilliseconds: UInt64 = 20_000

  /// Bytes at which a change of edits that a joining replica writes anew is closed.
  package static let unsentBytes = 1_048_576

  /// Milliseconds until history that the store could not read is read again for a peer.
  package static let historyRetryMilliseconds: UInt64 = 5_000
}
