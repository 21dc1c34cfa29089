/// A name of an anchor for who has it: a write to it that the receiver had.
///
/// Of a write that is part of a change to several anchors a tag says which it is.
struct WriteName: Equatable, Sendable {
  let dot: Dot
  /// The tag of the id; nil where no other anchor is known to have a write with this dot.
  let tag: UInt32?
}

extension Identifier {
  /// Four bytes of a fixed hash: which anchor of a change is meant.
  var tag: UInt32 {
    var hash = WordHash(seed: 0)
    hash.combine(bits)
    return UInt32(truncatingIfNeeded: hash.value)
  }
}

/// Names the anchors of a part of a delta to who has what `base` covers: by writes, where there are such.
///
/// ```swift
/// let part = state.part(after: sent, budget: budget)
/// BatchCells(part.cells, names: WriteNamer(of: part, of: state, within: base))
/// ```
package struct WriteNamer: Sendable {
  private let state: SpaceState
  /// By the place of an anchor in the part.
  private let slots: [Int]
  /// The sequences that are covered, by the place of the author.
  private let known: [UInt64]

  /// Nil where `base` covers nothing.
  ///
  /// Precondition: the state gave the part, and was not changed since.
  package init?(of part: DeltaPart, of state: SpaceState, within base: VersionVector) {
    guard !base.entries.isEmpty else { return nil }
    self.state = state
    slots = part.slots
    known = state.cells.authors.elements.map { base[$0] }
  }

  /// The name of an anchor, by its place; nil where `base` covers no write to it that is still in force.
  ///
  /// Of the writes of an anchor the first that `base` covers is taken, its existence before all: that is seldom
  /// overwritten, and mostly part of a change that wrote more of the anchor. O(log n).
  func name(at place: Int) -> WriteName? {
    let slot = slots[place]
    guard let dot = firstDot(ofSlot: slot) else { return nil }
    let author = state.cells.authors.elements[dot.author]
    return WriteName(
      dot: Dot(replica: author, sequence: dot.sequence),
      tag: state.isAlone(slot, in: dot) ? nil : state.anchorID(slot).tag)
  }

  private func firstDot(ofSlot number: Int) -> PackedDot? {
    if let row = state.slots[number].existence, let dot = covered(row) { return dot }
    if let row = state.slots[number].transform, let dot = covered(row) { return dot }
    return state.slots[number].fields.lazy.compactMap { covered($0.row) }.first
  }

  private func covered(_ row: Int) -> PackedDot? {
    let dot = state.cells.rows[row].dot
    return dot.sequence <= known[dot.author] ? dot : nil
  }
}

extension SpaceState {
  /// Whether no other anchor is known to have a write with this dot. Who is not alone is found out soon: O(log n),
  /// and the writes of the first anchor of a change.
  fileprivate func isAlone(_ slot: Int, in dot: PackedDot) -> Bool {
    let entries = logs[dot.author].entries
    var index = logs[dot.author].firstEntry(beyond: dot.sequence - 1)
    while index < entries.count, entries[index].sequence == dot.sequence {
      if let other = cells.rows[entries[index].row].anchor, other != slot { return false }
      index += 1
    }
    return true
  }
}

/// Finds the anchors that writes name.
struct WriteNameReader {
  private let state: SpaceState
  /// The replica that was asked for last, and its place.
  private var author: (ReplicaID, place: Int)?
  /// Of the changes whose tags were asked for: their anchors; nil where two have one tag.
  private var tagged: [Dot: [UInt32: Int?]] = [:]
  /// Entries of logs that may still be looked at for names without tags: a sender names no write twice, and a peer
  /// that does is not to have one of many entries looked through again and again.
  private var entriesLeft: Int

  init(_ state: SpaceState) {
    self.state = state
    entriesLeft = state.logs.reduce(0) { $0 + $1.entries.count }
  }

  /// The only anchor that is known to have a write of this name, superseded or not; nil where there is none, or
  /// several.
  ///
  /// O(log n), and the writes of the change; of names with tags once for all of a change.
  mutating func anchor(_ name: WriteName) -> AnchorID? {
    guard let author = place(of: name.dot.replica) else { return nil }
    let slot: Int?
    if let tag = name.tag {
      slot = taggedSlot(tag, name.dot, author)
    } else {
      slot = onlySlot(name.dot, author)
    }
    return slot.map { state.anchorID($0) }
  }

  private mutating func place(of replica: ReplicaID) -> Int? {
    if let author, author.0 == replica { return author.place }
    let place = state.cells.authors.place(of: replica)
    author = place.map { (replica, $0) }
    return place
  }

  private mutating func onlySlot(_ dot: Dot, _ author: Int) -> Int? {
    var found: Int?
    let entries = state.logs[author].entries
    var index = state.logs[author].firstEntry(beyond: dot.sequence - 1)
    while index < entries.count, entries[index].sequence == dot.sequence {
      entriesLeft -= 1
      guard entriesLeft >= 0 else { return nil }
      if let slot = state.cells.rows[entries[index].row].anchor {
        guard slot == found ?? slot else { return nil }
        found = slot
      }
      index += 1
    }
    return found
  }

  private mutating func taggedSlot(_ tag: UInt32, _ dot: Dot, _ author: Int) -> Int? {
    if tagged[dot] == nil { tagged[dot] = anchors(of: dot, author) }
    return tagged[dot]![tag] ?? nil
  }

  private func anchors(of dot: Dot, _ author: Int) -> [UInt32: Int?] {
    var anchors: [UInt32: Int?] = [:]
    var last: Int?
    let entries = state.logs[author].entries
    var index = state.logs[author].firstEntry(beyond: dot.sequence - 1)
    while index < entries.count, entries[index].sequence == dot.sequence {
      if let slot = state.cells.rows[entries[index].row].anchor, slot != last {
        last = slot
        let tag = state.anchorID(slot).tag
        // Updated, since nil takes an entry of a dictionary away.
        let isFree = anchors[tag].map { $0 == slot } ?? true
        anchors.updateValue(isFree ? slot : nil, forKey: tag)
      }
      index += 1
    }
    return anchors
  }
}
