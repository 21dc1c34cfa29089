import HyperbasisCore

/// Every change that any peer ever made durable, kept whole: what the engine is compared with.
///
/// It is as naive as it can be and uses neither the engine's order of stamps, nor its vectors, nor
/// its keys: a register's right value is found by looking at all writes to it.
struct Model {
  struct Write {
    let timestamp: UInt64
    let replica: UInt128
    let sequence: UInt64
    let operation: Operation
    /// Changes that made the anchor anew where it had been given up: who has one of them does not show
    /// this.
    var forgottenBy: [Dot] = []
    /// A peer had given up what it wrote, as all members that it knew had it, and joined others that did not
    /// know of it.
    var isGivenUp = false
    /// Who has it holds it still, or no more: a peer went on as another one and wrote it anew, or its anchor was
    /// given up where a peer came that brings that back.
    var mayBeGone = false

    var dot: Dot { Dot(replica: ReplicaID(replica), sequence: sequence) }

    /// Timestamp, then replica, then sequence.
    func isGreater(than other: Write) -> Bool {
      (timestamp, replica, sequence) > (other.timestamp, other.replica, other.sequence)
    }
  }

  struct RegisterHistory {
    let space: SpaceID
    let register: Register
    var writes: [Write] = []
  }

  struct Entry {
    let space: SpaceID
    let change: Change
    /// By operation: the register's index in `histories`.
    let registers: [Int]
    /// What its author had when it wrote, as far as that is known.
    let known: Coverage
    /// By operation, where the author wrote anew as it joined others: which write that was before.
    let origins: [Dot?]
    /// A disk that had it was replaced by a copy, and no other had it: it may be gone for good.
    var mayBeLost = false
    /// The same of the whole change, where only its last writes were elsewhere.
    var historyMayBeLost = false
  }

  /// A register's name by its bytes.
  private struct Name: Hashable {
    let space: UInt128
    let kind: UInt8
    let anchor: UInt128
    let key: [UInt8]
  }

  private struct Author: Hashable {
    let space: UInt128
    let replica: UInt128
  }

  /// Where an anchor is made that its author has no trace of any more, though it has written to it.
  struct Rebirth {
    let anchor: AnchorID
    let coverage: Coverage
    /// What the author does have of it.
    let held: Set<Register>
  }

  private(set) var entries: [Entry] = []
  /// Whether a disk was ever replaced by a copy.
  private(set) var hasLosses = false
  /// Whether of any write it is open who holds it.
  private(set) var isOpen = false
  private(set) var histories: [RegisterHistory] = []
  private var indices: [Name: Int] = [:]
  private var sequences: [Author: UInt64] = [:]
  /// By author: the indices of its entries, the first sequence first.
  private var numbers: [Author: [Int]] = [:]

  /// Notes a change that became durable at its author; returns what is wrong with its number.
  ///
  /// - Parameters:
  ///   - known: What the author had when it wrote.
  ///   - join: What it had before it joined others, where it wrote this as it did.
  mutating func record(
    _ change: Change, in space: SpaceID, rebirths: [Rebirth] = [],
    known: VersionVector = VersionVector(),
    join: (before: SpaceState, reached: VersionVector)? = nil
  ) -> String? {
    let origins = join.map { join in
      change.operations.map { origin(of: $0, in: join.before, or: Coverage(join.reached)) }
    }
    for rebirth in rebirths { forget(rebirth, in: space) { $0.forgottenBy.append(change.dot) } }
    let dot = change.stamp.dot
    let author = Author(space: space.bits, replica: dot.replica.bits)
    let last = sequences[author] ?? 0
    guard dot.sequence == last + 1 else {
      return "sequences: \(dot.replica) made change \(dot.sequence) after \(last)"
    }
    sequences[author] = dot.sequence
    var registers: [Int] = []
    for operation in change.operations {
      let index = history(of: operation, in: space)
      histories[index].writes.append(
        Write(
          timestamp: change.stamp.timestamp.bits, replica: dot.replica.bits,
          sequence: dot.sequence, operation: operation))
      registers.append(index)
    }
    numbers[author, default: []].append(entries.count)
    entries.append(
      Entry(
        space: space, change: change, registers: registers, known: Coverage(known),
        origins: origins ?? []))
    return nil
  }

  /// Which write is made anew: that of the state, or of what others had where that is greater and says the same.
  private func origin(
    of operation: Operation, in state: SpaceState, or coverage: Coverage
  ) -> Dot? {
    let index = histories.firstIndex(where: {
      $0.space == state.id && $0.register == operation.register
    })
    guard let index else { return nil }
    let theirs = expected(index, coverage)
    let mine = state.stamp(of: operation.register).flatMap { stamp in
      histories[index].writes.first { $0.dot == stamp.dot }
    }
    let known = [theirs, mine].compactMap { $0 }.filter { $0.operation == operation }
    return known.max { $1.isGreater(than: $0) }?.dot
  }

  /// The entry of a change; nil when nobody made it.
  func entry(_ dot: Dot, in space: SpaceID) -> Entry? {
    let own = entries(by: dot.replica, in: space)
    guard dot.sequence > 0, dot.sequence <= own.count else { return nil }
    return entries[own[Int(dot.sequence) - 1]]
  }

  /// A peer joined others and kept what makes an anchor: what they had of it and gave up is no more.
  mutating func revive(_ rebirth: Rebirth, in space: SpaceID) {
    isOpen = true
    forget(rebirth, in: space) { $0.mayBeGone = true }
  }

  /// A peer joined others and left out what it had written to an anchor that these had given up.
  mutating func leaveOut(
    _ registers: [Register], of before: SpaceState, beyond snapshot: VersionVector
  ) {
    isOpen = isOpen || !registers.isEmpty
    let (mine, theirs) = (Coverage(before.vector), Coverage(snapshot))
    for register in registers {
      for index in histories.indices
      where histories[index].space == before.id && histories[index].register == register {
        for write in histories[index].writes.indices {
          let (replica, sequence) =
            (histories[index].writes[write].replica, histories[index].writes[write].sequence)
          if mine.covers(replica, sequence), !theirs.covers(replica, sequence) {
            histories[index].writes[write].mayBeGone = true
          }
        }
      }
    }
  }

  private mutating func forget(
    _ rebirth: Rebirth, in space: SpaceID, _ mark: (inout Write) -> Void
  ) {
    for index in histories.indices where histories[index].space == space {
      switch histories[index].register {
      case .transform(rebirth.anchor), .metadata(rebirth.anchor, _): break
      default: continue
      }
      if rebirth.held.contains(histories[index].register) { continue }
      for write in histories[index].writes.indices
      where rebirth.coverage.covers(
        histories[index].writes[write].replica, histories[index].writes[write].sequence)
      {
        mark(&histories[index].writes[write])
      }
    }
  }

  /// A peer joined others, and what it had given up before cannot be told to those.
  mutating func giveUp(_ before: SpaceState, beyond snapshot: VersionVector) {
    let (mine, theirs) = (Coverage(before.vector), Coverage(snapshot))
    for index in histories.indices where histories[index].space == before.id {
      guard before.stamp(of: histories[index].register) == nil else { continue }
      for write in histories[index].writes.indices {
        let (replica, sequence) =
          (histories[index].writes[write].replica, histories[index].writes[write].sequence)
        if mine.covers(replica, sequence), !theirs.covers(replica, sequence) {
          histories[index].writes[write].isGivenUp = true
        }
      }
    }
  }

  /// A peer goes on as another replica, which has written anew what was beyond a timestamp.
  mutating func renew(_ space: SpaceID, beyond bound: Timestamp, of vector: VersionVector) {
    isOpen = true
    let coverage = Coverage(vector)
    for index in histories.indices where histories[index].space == space {
      for write in histories[index].writes.indices
      where histories[index].writes[write].timestamp > bound.bits
        && coverage.covers(
          histories[index].writes[write].replica, histories[index].writes[write].sequence)
      {
        histories[index].writes[write].mayBeGone = true
      }
    }
  }

  /// A change was written anew: what the former one made anew, the new one does.
  mutating func note(_ new: Dot, for former: Dot, in space: SpaceID) {
    for index in histories.indices where histories[index].space == space {
      for write in histories[index].writes.indices
      where histories[index].writes[write].forgottenBy.contains(former) {
        histories[index].writes[write].forgottenBy.append(new)
      }
    }
  }

  /// Whether a register holds a write that another peer had given up.
  func isGivenUp(_ stamp: Stamp, _ history: Int) -> Bool {
    histories[history].writes.contains {
      $0.isGivenUp && $0.replica == stamp.dot.replica.bits && $0.sequence == stamp.dot.sequence
    }
  }

  /// A disk was replaced by a copy: what it held and no disk holds now may be lost.
  mutating func forget(_ before: [KeptSpace], but kept: [[KeptSpace]]) {
    hasLosses = true
    for old in before {
      let rest = kept.flatMap { $0 }.filter { $0.space == old.space }
      let states = rest.map { Coverage($0.state) }
      let histories = rest.map { Coverage($0.history) }
      let (state, history) = (Coverage(old.state), Coverage(old.history))
      for index in entries.indices where entries[index].space == old.space {
        let dot = entries[index].change.dot
        func had(_ coverage: Coverage) -> Bool { coverage.covers(dot.replica.bits, dot.sequence) }
        if had(state), !states.contains(where: had) { entries[index].mayBeLost = true }
        if had(history), !histories.contains(where: had) {
          entries[index].historyMayBeLost = true
        }
      }
    }
  }

  /// A change as its author made it; nil when nobody did.
  func change(_ dot: Dot, in space: SpaceID) -> Change? {
    entry(dot, in: space)?.change
  }

  /// The indices of an author's entries, the first sequence first.
  func entries(by replica: ReplicaID, in space: SpaceID) -> [Int] {
    numbers[Author(space: space.bits, replica: replica.bits)] ?? []
  }

  /// The index of the history of an anchor's existence.
  func existenceHistory(of anchor: AnchorID, in space: SpaceID) -> Int? {
    indices[Name(space: space.bits, kind: 1, anchor: anchor.bits, key: [])]
  }

  /// The greatest of the writes to a register that `coverage` covers.
  func expected(_ history: Int, _ coverage: Coverage, withOpen: Bool = true) -> Write? {
    expectedIndex(history, coverage, withOpen: withOpen).map { histories[history].writes[$0] }
  }

  /// The index of the greatest of the writes to a register that `coverage` covers. What a peer has written
  /// anew under another name counts where a peer still has it under the old one.
  func expectedIndex(
    _ history: Int, _ coverage: Coverage, withOpen: Bool = true
  ) -> Int? {
    // By index: a write is not copied to be compared.
    let writes = histories[history].writes
    var best: Int?
    for index in writes.indices
    where coverage.covers(writes[index].replica, writes[index].sequence)
      && (coverage.hasGivenUp || !writes[index].isGivenUp) && !coverage.forgets(writes[index])
      && (withOpen || !writes[index].mayBeGone)
    {
      if best.map({ writes[index].isGreater(than: writes[$0]) }) ?? true { best = index }
    }
    return best
  }

  private mutating func history(of operation: Operation, in space: SpaceID) -> Int {
    let name =
      switch operation {
      case .name: Name(space: space.bits, kind: 0, anchor: 0, key: [])
      case .spaceExistence: Name(space: space.bits, kind: 4, anchor: 0, key: [])
      case .worldMap: Name(space: space.bits, kind: 5, anchor: 0, key: [])
      case .existence(let anchor, _):
        Name(space: space.bits, kind: 1, anchor: anchor.bits, key: [])
      case .transform(let anchor, _):
        Name(space: space.bits, kind: 2, anchor: anchor.bits, key: [])
      case .metadata(let anchor, let key, _):
        Name(space: space.bits, kind: 3, anchor: anchor.bits, key: Array(key.text.utf8))
      case .retention: Name(space: space.bits, kind: 6, anchor: 0, key: [])
      case .member(let replica, _):
        Name(space: space.bits, kind: 7, anchor: replica.bits, key: [])
      }
    if let index = indices[name] { return index }
    indices[name] = histories.count
    histories.append(RegisterHistory(space: space, register: operation.register))
    return histories.count - 1
  }
}

/// How far a peer says that it knows a space, read out of its vector once.
struct Coverage {
  /// Looked through one by one: for so few that is faster than a dictionary.
  private var sequences: [(replica: UInt128, sequence: UInt64)] = []
  /// Whether what members gave up is there still.
  private(set) var hasGivenUp = false

  init(_ vector: VersionVector) {
    for entry in vector.entries { sequences.append((entry.replica.bits, entry.sequence)) }
  }

  /// Who has not heard of members holds what those gave up.
  init(_ state: SpaceState) {
    self.init(state.vector)
    hasGivenUp = !state.hasMembers
  }

  /// As it is for one of the members that gave up what they did.
  var ofMembers: Coverage {
    var coverage = self
    coverage.hasGivenUp = true
    return coverage
  }

  func covers(_ replica: UInt128, _ sequence: UInt64) -> Bool {
    for known in sequences where known.replica == replica { return sequence <= known.sequence }
    return sequence == 0
  }

  func forgets(_ write: Model.Write) -> Bool {
    if write.forgottenBy.isEmpty { return false }
    return write.forgottenBy.contains { covers($0.replica.bits, $0.sequence) }
  }
}

/// How far a disk keeps one space, and whole changes of it.
struct KeptSpace {
  let space: SpaceID
  let state: VersionVector
  let history: VersionVector
}
