import HyperbasisCore
import HyperbasisSync

/// What is known of the peers met since the start: when, and how far they said they know spaces.
struct PeerBook {
  struct Entry {
    var peer: Peer
    /// Nanoseconds since 1970 of the last word from it.
    var lastContact: Int64
    var vectors: [SpaceID: VersionVector] = [:]
  }

  private(set) var entries = SortedMap<ReplicaID, Entry>()

  mutating func met(_ peer: Peer, at date: Int64) {
    if entries[peer.replica] == nil {
      entries[peer.replica] = Entry(peer: peer, lastContact: date)
    } else {
      entries[peer.replica]!.peer = peer
      entries[peer.replica]!.lastContact = date
    }
  }

  mutating func told(_ peer: Peer, _ space: SpaceID, _ vector: VersionVector, at date: Int64) {
    met(peer, at: date)
    entries[peer.replica]!.vectors[space] = vector
  }

  /// The entries of those that are connected, and of each other device the last one. O(n).
  func latest(isConnected: (ReplicaID) -> Bool) -> [Entry] {
    var last: [DeviceID: Entry] = [:]
    for entry in entries.values {
      func rank(_ entry: Entry) -> (Int, Int64) {
        (isConnected(entry.peer.replica) ? 1 : 0, entry.lastContact)
      }
      if let other = last[entry.peer.device], rank(other) >= rank(entry) { continue }
      last[entry.peer.device] = entry
    }
    return entries.values.filter {
      isConnected($0.peer.replica) || last[$0.peer.device]?.peer.replica == $0.peer.replica
    }
  }

  /// The last of this replica's changes of a space that some peer is known to have.
  func confirmed(_ replica: ReplicaID, in space: SpaceID) -> UInt64 {
    entries.values.compactMap { $0.vectors[space]?[replica] }.max() ?? 0
  }
}
