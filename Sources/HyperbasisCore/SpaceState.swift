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
  package internal(set) var vector = VersionVector()
  /// What all members are known to have: of deleted anchors none of these writes is shown again. Empty
  /// where nothing may be given up.
  package internal(set) var floor = VersionVector()
  /// The greatest timestamp of any write in the state.
  package internal(set) var lastTimestamp = Timestamp.zero

  var registers: [StoredRegister] = []
  var slots: [AnchorSlot] = []
  var logs = SortedMap<ReplicaID, ReplicaLog>()
  var spaceRegisters = SpaceRegisters()
  var slotIndices: [AnchorID: Int] = [:]
  var registersDigest: UInt128 = 0
  /// The share of it of the writes that are not shown: all of an anchor that is deleted or was never made, and
  /// removed keys.
  var hiddenDigest: UInt128 = 0
  /// The number of the next slot.
  var nextNumber = 0

  struct StoredRegister: Sendable {
    var cell: Cell
    var fingerprint: CellFingerprint
  }

  /// One anchor's registers, as indices.
  struct AnchorSlot: Sendable {
    let anchor: AnchorID
    /// A small number that stays its own for the life of the store, and is no other's afterwards.
    var number: Int
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
    var buffer = ByteWriter(capacity: SpaceState.cellBytes)
    let hidden = Defect.changeInPart.isPlanted ? change.operations.count / 2 : 0
    for operation in change.operations.dropLast(hidden) {
      write(Cell(operation: operation, stamp: change.stamp), touched: &touched, &buffer)
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
    var buffer = ByteWriter(capacity: SpaceState.cellBytes)
    if Defect.vectorBeforeData.isPlanted { vector.merge(delta.covers) }
    for cell in delta.cells where !vector.covers(cell.stamp.dot) {
      precondition(delta.covers.covers(cell.stamp.dot), "a cell lies within its delta")
      write(cell, touched: &touched, &buffer)
    }
    vector.merge(delta.covers)
    return touched
  }

  /// Rebuilds a state from what ``record(of:)`` gave; the order of anchors is that of `cells`.
  ///
  /// - Parameters:
  ///   - numbers: The anchors' slot numbers, in that order; from 0 on when there are none.
  ///   - nextNumber: A number above all that were ever given, where it is known.
  ///   - floor: What all members were known to have.
  /// - Throws: `ApplyError.beyondVector` when a cell is not covered by `vector`.
  package init(
    id: SpaceID, vector: VersionVector, cells: [Cell], numbers: [Int] = [], nextNumber: Int = 0,
    floor: VersionVector = VersionVector()
  ) throws(ApplyError) {
    self.init(id: id)
    self.floor = floor
    var touched = Touched()
    var buffer = ByteWriter(capacity: SpaceState.cellBytes)
    registers.reserveCapacity(cells.count)
    for cell in cells where !(Defect.tombstonesCollected.isPlanted && cell.isDeletion) {
      guard vector.covers(cell.stamp.dot) else { throw .beyondVector(cell.stamp.dot) }
      store(cell, touched: &touched, &buffer)
    }
    for (slot, number) in zip(slots.indices, numbers) { slots[slot].number = number }
    self.nextNumber = max(nextNumber, (slots.map(\.number).max() ?? -1) + 1)
    makeLogs()
    self.vector = vector
  }

  /// Makes the logs anew, of the registers.
  mutating func makeLogs() {
    logs = SortedMap()
    for index in registers.indices {
      let dot = registers[index].cell.stamp.dot
      logs[dot.replica, default: ReplicaLog()].entries.append((dot.sequence, index))
    }
    for index in logs.indices {
      if !Defect.loadedLogUnsorted.isPlanted { logs[at: index].entries.sort { $0 < $1 } }
      logs[at: index].live = logs[at: index].entries.count
    }
  }

  // MARK: Questions

  /// A hash of every last write with its stamp, and of the vector. O(replicas).
  ///
  /// In a space with members only of the writes that are shown, as equal devices give up the others at
  /// different times.
  package var digest: Digest {
    var writer = ByteWriter()
    writer.identifier(id)
    writer.fixed(hasMembers ? registersDigest &- hiddenDigest : registersDigest)
    vector.encode(into: &writer)
    return Digest(of: writer.bytes)
  }

  /// The last write of a register; nil when it was never written.
  package func cell(_ register: Register) -> Cell? {
    registerIndex(register).map { registers[$0].cell }
  }

  /// The stamp of the last write of a register; nil when it was never written.
  package func stamp(of register: Register) -> Stamp? {
    guard let index = registerIndex(register) else { return nil }
    return registers[index].cell.stamp
  }

  // MARK: Private

  /// Bytes of one cell alone, as most have at most.
  private static let cellBytes = 160

  private func registerIndex(_ register: Register) -> Int? {
    switch register {
    case .name: return spaceRegisters.name
    case .spaceExistence: return spaceRegisters.existence
    case .worldMap: return spaceRegisters.map
    case .retention: return spaceRegisters.retention
    case .member(let replica): return spaceRegisters.member(replica)
    case .existence(let anchor):
      guard let slot = slotIndices[anchor] else { return nil }
      return slots[slot].existence
    case .transform(let anchor):
      guard let slot = slotIndices[anchor] else { return nil }
      return slots[slot].transform
    case .metadata(let anchor, let key):
      guard let slot = slotIndices[anchor] else { return nil }
      return slots[slot].register(of: key)
    }
  }

  /// The index of the register that an operation writes to; `slot` is that of its anchor.
  func registerIndex(of operation: Operation, inSlot slot: Int?) -> Int? {
    switch operation {
    case .name, .spaceExistence, .worldMap, .retention, .member:
      spaceRegisters.index(of: operation)
    case .existence: slot.flatMap { slots[$0].existence }
    case .transform: slot.flatMap { slots[$0].transform }
    case .metadata(_, let key, _): slot.flatMap { slots[$0].register(of: key) }
    }
  }

  /// Stores a write when it is greater than what the register holds, and logs it.
  private mutating func write(_ cell: Cell, touched: inout Touched, _ buffer: inout ByteWriter) {
    guard let register = store(cell, touched: &touched, &buffer) else { return }
    let dot = cell.stamp.dot
    guard let log = logs.index(of: dot.replica) else {
      logs[dot.replica, default: ReplicaLog()].append(sequence: dot.sequence, register: register)
      return
    }
    logs[at: log].append(sequence: dot.sequence, register: register)
    compactLog(at: log)
  }

  /// Returns the register's index, or nil when the write lost. `buffer` is memory to work in.
  @discardableResult
  private mutating func store(
    _ cell: Cell, touched: inout Touched, _ buffer: inout ByteWriter
  ) -> Int? {
    let register: Int
    let fingerprint: CellFingerprint
    var slot = cell.operation.anchor.flatMap { slotIndices[$0] }
    if let existing = registerIndex(of: cell.operation, inSlot: slot) {
      let old = registers[existing].cell.stamp
      if Defect.equalValueIsDuplicate.isPlanted,
        registers[existing].cell.operation == cell.operation
      {
        return nil
      }
      guard old < cell.stamp || Defect.deleteBeatsRestore.isPlanted && cell.isDeletion
      else { return nil }
      hide(slot, before: cell, over: existing)
      if !floor.entries.isEmpty, let slot { forgetDoomed(inSlot: slot, before: cell) }
      fingerprint = CellFingerprint(cell, &buffer)
      registersDigest &-= registers[existing].fingerprint.hash
      let log = logs.index(of: old.dot.replica)
      if let log { logs[at: log].live -= 1 }
      registers[existing] = StoredRegister(cell: cell, fingerprint: fingerprint)
      register = existing
      if let log { compactLog(at: log) }
    } else {
      hide(slot, before: cell, over: nil)
      if !floor.entries.isEmpty, let slot { forgetDoomed(inSlot: slot, before: cell) }
      register = registers.count
      fingerprint = CellFingerprint(cell, &buffer)
      registers.append(StoredRegister(cell: cell, fingerprint: fingerprint))
      slot = link(register, to: cell.operation, inSlot: slot)
    }
    registersDigest &+= fingerprint.hash
    hide(fingerprint.hash, of: cell, inSlot: slot)
    lastTimestamp = max(lastTimestamp, cell.stamp.timestamp)
    touched.note(cell.operation.anchor)
    return register
  }

  /// Returns the slot of the operation's anchor.
  private mutating func link(
    _ register: Int, to operation: Operation, inSlot known: Int?
  ) -> Int? {
    guard let anchor = operation.anchor else {
      spaceRegisters.link(register, to: operation)
      return nil
    }
    let slot: Int
    if let known {
      slot = known
    } else {
      slot = slots.count
      slots.append(AnchorSlot(anchor: anchor, number: nextNumber))
      nextNumber += 1
      slotIndices[anchor] = slot
    }
    switch operation {
    case .name, .spaceExistence, .worldMap, .retention, .member:
      preconditionFailure("it has no anchor")
    case .existence: slots[slot].existence = register
    case .transform: slots[slot].transform = register
    case .metadata(_, let key, _):
      let (index, _) = slots[slot].position(of: key)
      slots[slot].metadata.insert((key, register), at: index)
    }
    return slot
  }

  /// Drops superseded entries when they are more than half of the log: O(1) a write in the mean.
  private mutating func compactLog(at index: Int) {
    guard logs[at: index].entries.count > 2 * logs[at: index].live + 64 else { return }
    let replica = logs.keys[index]
    logs[at: index].entries.removeAll { entry in
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

  /// The register of a key. O(log n).
  func register(of key: Key) -> Int? {
    let (index, found) = position(of: key)
    return found ? metadata[index].register : nil
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

  /// What `buffer` had is replaced by the encoded cell.
  init(_ cell: Cell, _ buffer: inout ByteWriter) {
    buffer.removeAll()
    (Defect.digestWithoutStamp.isPlanted ? cell.withoutTime : cell).encodeAlone(into: &buffer)
    hash = Digest(of: buffer.bytes).bits
    encodedBytes = buffer.bytes.count
  }
}
