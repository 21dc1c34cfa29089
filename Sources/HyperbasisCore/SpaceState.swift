/// The replicated state of one space: the last write of every register, under a version vector.
///
/// ```swift
/// var state = SpaceState(id: space)
/// try state.apply(change)        // .applied(touched)
/// state.delta(since: other.vector)
/// ```
///
/// Invariant: for every dot that `vector` covers, each register that the change wrote holds that
/// write or a greater one. Deltas are correct because of it, so nothing advances the vector without
/// the data.
///
/// Registers sit in one array; per replica a log of (sequence, register) in dot order says what a
/// delta since a vector holds, at a cost of what changed. Entries of the log that were superseded
/// stay until they are half of it and are then dropped together, so memory is at most twice the
/// live registers.
package struct SpaceState: Sendable {
  package let id: SpaceID
  package private(set) var vector = VersionVector()
  /// The greatest timestamp of any write in the state.
  package private(set) var lastTimestamp = Timestamp.zero

  private(set) var registers: [StoredRegister] = []
  private(set) var slots: [AnchorSlot] = []
  private(set) var logs: [ReplicaID: ReplicaLog] = [:]
  private(set) var spaceRegisters = SpaceRegisters()
  private var slotIndices: [AnchorID: Int] = [:]
  private var registersDigest: UInt128 = 0

  struct StoredRegister: Sendable {
    var cell: Cell
    var fingerprint: CellFingerprint
  }

  /// The space's own registers, as indices.
  struct SpaceRegisters: Sendable {
    var name: Int?
    var existence: Int?
    var map: Int?

    var all: [Int] { [name, existence, map].compactMap { $0 } }
  }

  /// One anchor's registers, as indices.
  struct AnchorSlot: Sendable {
    let anchor: AnchorID
    var existence: Int?
    var transform: Int?
    /// Ascending by key; removed keys stay, with a nil value.
    var metadata: [(key: Key, register: Int)] = []
  }

  struct ReplicaLog: Sendable {
    var entries: [(sequence: UInt64, register: Int)] = []
    /// Entries that are still the last write of their register.
    var live = 0
  }

  package init(id: SpaceID) {
    self.id = id
  }

  /// The number of anchors, deleted ones included.
  package var anchorCount: Int { slots.count }

  /// The number of registers ever written.
  package var registerCount: Int { registers.count }

  func slot(of anchor: AnchorID) -> Int? {
    slotIndices[anchor]
  }

  // MARK: Inputs

  /// Applies one change; what was known already is left alone.
  ///
  /// - Throws: `ApplyError.gap` when an earlier change of the same replica is missing.
  package mutating func apply(_ change: Change) throws(ApplyError) -> Touched? {
    let known = vector[change.dot.replica]
    guard change.dot.sequence > known else { return nil }
    guard change.dot.sequence == known + 1 else {
      throw .gap(replica: change.dot.replica, known: known, next: change.dot.sequence)
    }
    var touched = Touched()
    let hidden = Defect.changeInPart.isPlanted ? change.operations.count / 2 : 0
    for operation in change.operations.dropLast(hidden) {
      write(Cell(operation: operation, stamp: change.stamp), touched: &touched)
    }
    vector[change.dot.replica] = change.dot.sequence
    return touched
  }

  /// Applies a whole delta, visible together.
  ///
  /// Precondition: the cells of each replica are in ascending order of sequence, within `covers`.
  /// - Throws: `ApplyError.gap` when this state does not cover the delta's base.
  package mutating func apply(_ delta: Delta) throws(ApplyError) -> Touched {
    for entry in delta.base.entries where vector[entry.replica] < entry.sequence {
      throw .gap(
        replica: entry.replica, known: vector[entry.replica], next: entry.sequence + 1)
    }
    var touched = Touched()
    if Defect.vectorBeforeData.isPlanted { vector.merge(delta.covers) }
    for cell in delta.cells where !vector.covers(cell.stamp.dot) {
      precondition(delta.covers.covers(cell.stamp.dot), "a cell lies within its delta")
      write(cell, touched: &touched)
    }
    vector.merge(delta.covers)
    return touched
  }

  /// Rebuilds a state from what ``records(of:)`` gave; the order of anchors is that of `cells`.
  ///
  /// - Throws: `ApplyError.beyondVector` when a cell is not covered by `vector`.
  package init(id: SpaceID, vector: VersionVector, cells: [Cell]) throws(ApplyError) {
    self.init(id: id)
    var touched = Touched()
    for cell in cells where !(Defect.tombstonesCollected.isPlanted && cell.isDeletion) {
      guard vector.covers(cell.stamp.dot) else { throw .beyondVector(cell.stamp.dot) }
      store(cell, touched: &touched)
    }
    for (index, register) in registers.enumerated() {
      let dot = register.cell.stamp.dot
      logs[dot.replica, default: ReplicaLog()].entries.append((dot.sequence, index))
    }
    for replica in logs.keys {
      if !Defect.loadedLogUnsorted.isPlanted { logs[replica]!.entries.sort { $0 < $1 } }
      logs[replica]!.live = logs[replica]!.entries.count
    }
    self.vector = vector
  }

  // MARK: Questions

  /// A hash of every last write with its stamp, and of the vector. O(replicas).
  package var digest: Digest {
    var writer = ByteWriter()
    writer.identifier(id)
    writer.fixed(registersDigest)
    vector.encode(into: &writer)
    return Digest(of: writer.bytes)
  }

  /// The last write of a register; nil when it was never written.
  package func cell(_ register: Register) -> Cell? {
    registerIndex(register).map { registers[$0].cell }
  }

  // MARK: Private

  private func registerIndex(_ register: Register) -> Int? {
    switch register {
    case .name: return spaceRegisters.name
    case .spaceExistence: return spaceRegisters.existence
    case .worldMap: return spaceRegisters.map
    case .existence(let anchor): return slotIndices[anchor].flatMap { slots[$0].existence }
    case .transform(let anchor): return slotIndices[anchor].flatMap { slots[$0].transform }
    case .metadata(let anchor, let key):
      guard let slot = slotIndices[anchor] else { return nil }
      let (index, found) = slots[slot].position(of: key)
      return found ? slots[slot].metadata[index].register : nil
    }
  }

  /// Stores a write when it is greater than what the register holds, and logs it.
  private mutating func write(_ cell: Cell, touched: inout Touched) {
    guard let register = store(cell, touched: &touched) else { return }
    let dot = cell.stamp.dot
    logs[dot.replica, default: ReplicaLog()].append(sequence: dot.sequence, register: register)
    compactLog(of: dot.replica)
  }

  /// Returns the register's index, or nil when the write lost.
  @discardableResult
  private mutating func store(_ cell: Cell, touched: inout Touched) -> Int? {
    let fingerprint = CellFingerprint(cell)
    let register: Int
    if let existing = registerIndex(cell.operation.register) {
      let old = registers[existing]
      if Defect.equalValueIsDuplicate.isPlanted, old.cell.operation == cell.operation { return nil }
      guard old.cell.stamp < cell.stamp || Defect.deleteBeatsRestore.isPlanted && cell.isDeletion
      else { return nil }
      registersDigest &-= old.fingerprint.hash
      logs[old.cell.stamp.dot.replica]?.live -= 1
      registers[existing] = StoredRegister(cell: cell, fingerprint: fingerprint)
      register = existing
      compactLog(of: old.cell.stamp.dot.replica)
    } else {
      register = registers.count
      registers.append(StoredRegister(cell: cell, fingerprint: fingerprint))
      link(register, to: cell.operation)
    }
    registersDigest &+= fingerprint.hash
    lastTimestamp = max(lastTimestamp, cell.stamp.timestamp)
    touched.note(cell.operation.anchor)
    return register
  }

  private mutating func link(_ register: Int, to operation: Operation) {
    guard let anchor = operation.anchor else {
      link(register, toSpace: operation)
      return
    }
    let slot: Int
    if let known = slotIndices[anchor] {
      slot = known
    } else {
      slot = slots.count
      slots.append(AnchorSlot(anchor: anchor))
      slotIndices[anchor] = slot
    }
    switch operation {
    case .name, .spaceExistence, .worldMap: preconditionFailure("it has no anchor")
    case .existence: slots[slot].existence = register
    case .transform: slots[slot].transform = register
    case .metadata(_, let key, _):
      let (index, _) = slots[slot].position(of: key)
      slots[slot].metadata.insert((key, register), at: index)
    }
  }

  private mutating func link(_ register: Int, toSpace operation: Operation) {
    switch operation {
    case .name: spaceRegisters.name = register
    case .spaceExistence: spaceRegisters.existence = register
    case .worldMap: spaceRegisters.map = register
    default: preconditionFailure("it has an anchor")
    }
  }

  /// Drops superseded entries when they are more than half of the log: O(1) a write in the mean.
  private mutating func compactLog(of replica: ReplicaID) {
    guard let log = logs[replica], log.entries.count > 2 * log.live + 64 else { return }
    logs[replica]!.entries.removeAll { entry in
      registers[entry.register].cell.stamp.dot
        != Dot(replica: replica, sequence: entry.sequence)
        || Defect.logForgetsLiveEntries.isPlanted
    }
  }
}

extension SpaceState.AnchorSlot {
  /// Where `key` is, or where it belongs. O(log n).
  func position(of key: Key) -> (index: Int, found: Bool) {
    let index = metadata.firstIndex(notBelow: { $0.key < key })
    if Defect.keysByLetters.isPlanted, index < metadata.count, metadata[index].key.text == key.text
    {
      return (index, true)
    }
    return (index, index < metadata.count && metadata[index].key == key)
  }
}

extension SpaceState.ReplicaLog {
  mutating func append(sequence: UInt64, register: Int) {
    precondition(entries.last.map { $0.sequence <= sequence } ?? true, "dot order")
    entries.append((sequence, register))
    live += 1
  }

  /// The index of the first entry beyond `sequence`. O(log n).
  func firstEntry(beyond sequence: UInt64) -> Int {
    entries.firstIndex(notBelow: { $0.sequence <= sequence })
  }
}

/// A cell's share of the digest, and its length when encoded alone.
struct CellFingerprint: Sendable {
  let hash: UInt128
  let encodedBytes: Int

  init(_ cell: Cell) {
    var writer = ByteWriter(capacity: 160)
    Cell.encode([Defect.digestWithoutStamp.isPlanted ? cell.withoutTime : cell], into: &writer)
    hash = Digest(of: writer.bytes).bits
    encodedBytes = writer.bytes.count
  }
}

/// What an applied change or delta altered.
package struct Touched: Equatable, Sendable {
  /// Whether the space's own registers changed.
  package private(set) var space = false
  private var seen: Set<AnchorID> = []

  package init() {}

  /// The anchors with a register that took a new value, ascending.
  package var anchors: [AnchorID] { seen.sorted() }

  package var isEmpty: Bool { !space && seen.isEmpty }

  mutating func note(_ anchor: AnchorID?) {
    if let anchor { seen.insert(anchor) } else { space = true }
  }

  package mutating func formUnion(_ other: Touched) {
    space = space || other.space
    seen.formUnion(other.seen)
  }
}

/// Why a change or delta cannot be applied.
package enum ApplyError: Error, Equatable {
  /// Changes between `known` and `next` are missing.
  case gap(replica: ReplicaID, known: UInt64, next: UInt64)
  case beyondVector(Dot)
}
