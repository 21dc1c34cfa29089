/// The name of one change: the replica that made it and its sequence number there, from 1.
package struct Dot: Hashable, Sendable {
  package let replica: ReplicaID
  package let sequence: UInt64

  package init(replica: ReplicaID, sequence: UInt64) {
    self.replica = replica
    self.sequence = sequence
  }
}

/// How far each replica's changes are known: the last sequence, inclusive.
///
/// ```swift
/// vector[a] = 3        // changes 1, 2 and 3 of replica a
/// vector[b]            // 0: nothing of b
/// ```
///
/// Entries are in ascending order of replica; a sequence of 0 is never stored. Look-up is
/// O(log n), comparison and merge O(n) in the number of replicas.
package struct VersionVector: Hashable, Sendable {
  package private(set) var entries: [Entry] = []

  package struct Entry: Hashable, Sendable {
    package let replica: ReplicaID
    package fileprivate(set) var sequence: UInt64
  }

  package init() {}

  package subscript(replica: ReplicaID) -> UInt64 {
    get {
      let index = lowerBound(replica)
      return index < entries.count && entries[index].replica == replica
        ? entries[index].sequence : 0
    }
    set {
      let index = lowerBound(replica)
      let found = index < entries.count && entries[index].replica == replica
      switch (newValue, found) {
      case (0, true): entries.remove(at: index)
      case (0, false): break
      case (_, true): entries[index].sequence = newValue
      case (_, false): entries.insert(Entry(replica: replica, sequence: newValue), at: index)
      }
    }
  }

  /// Raises each entry to the other's.
  package mutating func merge(_ other: VersionVector) {
    for entry in other.entries where entry.sequence > self[entry.replica] {
      self[entry.replica] = entry.sequence
    }
  }

  /// What both cover.
  package func least(_ other: VersionVector) -> VersionVector {
    var least = VersionVector()
    for entry in entries { least[entry.replica] = min(entry.sequence, other[entry.replica]) }
    return least
  }

  /// Takes in the next change of a replica; false when it is known or one before it is missing.
  package mutating func extend(by dot: Dot) -> Bool {
    if Defect.historyOverGap.isPlanted, dot.sequence > self[dot.replica] {
      self[dot.replica] = dot.sequence
      return true
    }
    guard dot.sequence == self[dot.replica] + 1 else { return false }
    self[dot.replica] = dot.sequence
    return true
  }

  package func covers(_ dot: Dot) -> Bool {
    dot.sequence <= self[dot.replica]
  }

  /// Whether every change that `other` covers is covered here.
  package func covers(_ other: VersionVector) -> Bool {
    other.entries.allSatisfy { $0.sequence <= self[$0.replica] }
  }

  /// Whether `first` and `second` both cover a change that this vector does not.
  package func lacksAny(of first: VersionVector, and second: VersionVector) -> Bool {
    first.entries.contains { min($0.sequence, second[$0.replica]) > self[$0.replica] }
  }

  /// The number of changes that this vector covers and `other` does not.
  package func count(beyond other: VersionVector) -> UInt64 {
    var count: UInt64 = 0
    for entry in entries {
      let known = other[entry.replica]
      if entry.sequence > known { count &+= entry.sequence - known }
    }
    return count
  }

  private func lowerBound(_ replica: ReplicaID) -> Int {
    entries.firstIndex(notBelow: { $0.replica < replica })
  }
}
