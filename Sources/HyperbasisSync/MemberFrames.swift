import HyperbasisCore

/// Which of two peers joins that are members of different lists: the one of the lower rank.
package struct MemberRank: Hashable, Comparable, Sendable {
  /// Whether the holder may have given up what the other has never heard of. The other joins then, as it would
  /// bring that back.
  package let isAhead: Bool
  /// The greatest timestamp of the list.
  package let timestamp: Timestamp
  /// Who wrote that.
  package let author: ReplicaID
  /// Whose list it is.
  package let holder: ReplicaID

  /// The rank of a state's list over a peer with a vector; nil where the space has no members.
  init?(_ state: SpaceState, of holder: ReplicaID, over peer: VersionVector) {
    guard let last = state.members.map(\.stamp).max() else { return nil }
    self.init(
      isAhead: !peer.covers(state.floor), timestamp: last.timestamp, author: last.dot.replica,
      holder: holder)
  }

  package init(isAhead: Bool, timestamp: Timestamp, author: ReplicaID, holder: ReplicaID) {
    self.isAhead = isAhead
    self.timestamp = timestamp
    self.author = author
    self.holder = holder
  }

  package static func < (left: Self, right: Self) -> Bool {
    if left.isAhead != right.isAhead { return right.isAhead }
    return (left.timestamp, left.author, left.holder)
      < (right.timestamp, right.author, right.holder)
  }

  func encode(into writer: inout ByteWriter) {
    writer.byte(isAhead ? 1 : 0)
    writer.fixed(timestamp.bits)
    writer.identifier(author)
    writer.identifier(holder)
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    switch try reader.byte() {
    case 0: isAhead = false
    case 1: isAhead = true
    default: throw .invalid("rank of a list of members", offset: start)
    }
    timestamp = Timestamp(bits: try reader.fixed(UInt64.self))
    author = try reader.identifier()
    holder = try reader.identifier()
  }
}

/// How far one member is.
package struct MemberProgress: Equatable, Sendable {
  /// The timestamp of the entry in the list of members since which this holds: who joins begins anew.
  package var since: Timestamp
  package var vector: VersionVector
  /// What it knows all members to have.
  package var floor: VersionVector

  package init(since: Timestamp, vector: VersionVector, floor: VersionVector) {
    self.since = since
    self.vector = vector
    self.floor = floor
  }

  /// Whether this says nothing that `other` does not.
  func isCovered(by other: MemberProgress) -> Bool {
    if since != other.since { return since < other.since }
    return other.vector.covers(vector) && other.floor.covers(floor)
  }

  mutating func merge(_ other: MemberProgress) {
    if since < other.since {
      self = other
    } else if since == other.since {
      vector.merge(other.vector)
      floor.merge(other.floor)
    }
  }
}

/// How far members are known to be, and how far the sender gave its history up.
package struct Confirmations: Equatable, Sendable {
  package var cut = VersionVector()
  package var members = SortedMap<ReplicaID, MemberProgress>()

  package init() {}

  package var isEmpty: Bool { cut.entries.isEmpty && members.isEmpty }

  /// Returns whether that was news.
  @discardableResult
  mutating func merge(_ progress: MemberProgress, of replica: ReplicaID) -> Bool {
    guard let index = members.index(of: replica) else {
      members[replica] = progress
      return true
    }
    if progress.isCovered(by: members[at: index]) { return false }
    members[at: index].merge(progress)
    return true
  }

  /// Raises all to the other's.
  mutating func merge(_ other: Confirmations) {
    cut.merge(other.cut)
    for index in other.members.indices {
      merge(other.members[at: index], of: other.members.keys[index])
    }
  }

  /// What of this says more than `told` does.
  func news(beyond told: Confirmations) -> Confirmations {
    var news = Confirmations()
    if !told.cut.covers(cut) { news.cut = cut }
    for index in members.indices {
      let replica = members.keys[index]
      if let known = told.members[replica], members[at: index].isCovered(by: known) { continue }
      news.members[replica] = members[at: index]
    }
    return news
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.cut == right.cut && left.members.keys == right.members.keys
      && left.members.values == right.members.values
  }

  func encode(into writer: inout ByteWriter) {
    cut.encode(into: &writer)
    writer.varint(members.count)
    for index in members.indices {
      writer.identifier(members.keys[index])
      writer.fixed(members[at: index].since.bits)
      members[at: index].vector.encode(into: &writer)
      members[at: index].floor.encode(into: &writer)
    }
  }

  /// - Throws: `CodecError` when replicas do not ascend or are too many, or a floor is beyond a vector.
  init(from reader: inout ByteReader) throws(CodecError) {
    cut = try VersionVector(from: &reader)
    let start = reader.offset
    let count = try reader.count(of: "confirmations", most: Limits.replicas, itemBytes: 26)
    for _ in 0..<count {
      let replica: ReplicaID = try reader.identifier()
      if let last = members.keys.last, last >= replica {
        throw .invalid("order of confirmations", offset: start)
      }
      let since = Timestamp(bits: try reader.fixed(UInt64.self))
      let vector = try VersionVector(from: &reader)
      let floor = try VersionVector(from: &reader)
      guard vector.covers(floor) else { throw .invalid("floor of a member", offset: start) }
      members[replica] = MemberProgress(since: since, vector: vector, floor: floor)
    }
  }
}

extension Cell {
  /// A list of members, each once.
  static func decodeMembers(from reader: inout ByteReader) throws(CodecError) -> [Cell] {
    let start = reader.offset
    let cells = try Cell.decode(from: &reader)
    guard cells.count <= Limits.replicas else {
      throw .limit(
        "members", value: UInt64(cells.count), most: Limits.replicas, offset: start)
    }
    var last: ReplicaID?
    for cell in cells {
      guard let member = Member(cell), last.map({ $0 < member.replica }) ?? true else {
        throw .invalid("list of members", offset: start)
      }
      last = member.replica
    }
    return cells
  }
}
