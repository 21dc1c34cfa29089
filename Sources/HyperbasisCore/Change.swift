/// One write to one register.
///
/// A register is one last-writer-wins cell: the space's name, existence or world map, an anchor's
/// existence, its transform, or one metadata key of it.
///
/// It is made once and then handed from the codec to registers, the history and the disk. So it is one
/// pointer, and not the 128 bytes that its largest case has.
package indirect enum Operation: Equatable, Sendable {
  case name(Key?)
  case spaceExistence(Existence)
  /// Nil is a space without a map.
  case worldMap(MapReference?)
  case existence(AnchorID, Existence)
  case transform(AnchorID, Transform)
  /// Nil removes the key.
  case metadata(AnchorID, Key, Value?)
  case retention(Retention)
  case member(ReplicaID, Membership)
}

/// Whether an anchor or a space lives; times are nanoseconds since 1970, as its writers' clocks told
/// them.
package struct Existence: Hashable, Sendable {
  package let created: Int64
  /// When it got its stage; 0 where it always had it.
  private let date: Int64
  private let stage: Stage

  private enum Stage: UInt8 {
    case alive, deleted, restored
  }

  package init(created: Int64, deleted: Int64? = nil) {
    self.created = created
    date = deleted ?? 0
    stage = deleted == nil ? .alive : .deleted
  }

  package init(created: Int64, restored: Int64) {
    self.created = created
    date = restored
    stage = .restored
  }

  /// Nil while it lives.
  package var deleted: Int64? { stage == .deleted ? date : nil }

  /// When somebody brought it back, or back to an earlier version; nil for one that never was, and
  /// for one that is deleted.
  package var restored: Int64? { stage == .restored ? date : nil }
}

/// The name of a register within its space.
package enum Register: Hashable, Sendable {
  case name
  case spaceExistence
  case worldMap
  case existence(AnchorID)
  case transform(AnchorID)
  case metadata(AnchorID, Key)
  case retention
  case member(ReplicaID)
}

extension Operation {
  package var register: Register {
    switch self {
    case .name: .name
    case .spaceExistence: .spaceExistence
    case .worldMap: .worldMap
    case .existence(let anchor, _): .existence(anchor)
    case .transform(let anchor, _): .transform(anchor)
    case .metadata(let anchor, let key, _): .metadata(anchor, key)
    case .retention: .retention
    case .member(let replica, _): .member(replica)
    }
  }

  /// The same as the equality of ``register``, which is not made for it.
  fileprivate func writesSameRegister(as other: Operation) -> Bool {
    switch (self, other) {
    case (.name, .name), (.spaceExistence, .spaceExistence), (.worldMap, .worldMap),
      (.retention, .retention):
      true
    case (.member(let mine, _), .member(let theirs, _)): mine == theirs
    case (.existence(let mine, _), .existence(let theirs, _)),
      (.transform(let mine, _), .transform(let theirs, _)):
      mine == theirs
    case (.metadata(let mine, let key, _), .metadata(let theirs, let other, _)):
      mine == theirs && key == other
    default: false
    }
  }

  /// Whether it deletes an anchor.
  var isDeletion: Bool {
    if case .existence(_, let existence) = self { existence.deleted != nil } else { false }
  }

  /// Whether it removes a key.
  var isRemovedKey: Bool {
    if case .metadata(_, _, nil) = self { true } else { false }
  }

  /// The anchor written to; nil for the space itself.
  package var anchor: AnchorID? {
    switch self {
    case .name, .spaceExistence, .worldMap, .retention, .member: nil
    case .existence(let anchor, _), .transform(let anchor, _), .metadata(let anchor, _, _): anchor
    }
  }
}

/// The total order of writes: timestamp, then replica, then sequence.
///
/// A causally later edit always has the greater stamp, since a replica's clock has observed all
/// that it has seen. What an import records bears the time at which it happened, so the stamps of a
/// replica need not ascend with its sequences.
package struct Stamp: Hashable, Comparable, Sendable {
  package let timestamp: Timestamp
  package let dot: Dot
  /// When the writer says that it wrote, in nanoseconds since 1970: shown to people, and no part of
  /// the order.
  package let date: Int64

  /// Without a date the timestamp's milliseconds stand for it.
  package init(timestamp: Timestamp, dot: Dot, date: Int64? = nil) {
    self.timestamp = timestamp
    self.dot = dot
    self.date = date ?? timestamp.nanoseconds
  }

  package static func < (left: Self, right: Self) -> Bool {
    if left.timestamp != right.timestamp { return left.timestamp < right.timestamp }
    if Defect.firstComeWins.isPlanted { return false }
    if Defect.lastComeWins.isPlanted { return true }
    if left.dot.replica != right.dot.replica { return left.dot.replica < right.dot.replica }
    return left.dot.sequence < right.dot.sequence
  }
}

/// The operations of one save or transaction: one dot, one timestamp, visible together.
///
/// No register occurs twice.
package struct Change: Equatable, Sendable {
  package let stamp: Stamp
  package let operations: [Operation]

  package var dot: Dot { stamp.dot }

  /// Precondition: there is at least one operation and no register occurs twice.
  package init(stamp: Stamp, operations: [Operation]) {
    precondition(!operations.isEmpty, "a change has operations")
    precondition(Change.registersAreDistinct(operations), "each register at most once")
    self.stamp = stamp
    self.operations = operations
  }

  /// Precondition: there is at least one operation, and ``registersAreDistinct(_:)`` said so of them.
  package init(stamp: Stamp, distinct operations: [Operation]) {
    self.stamp = stamp
    self.operations = operations
  }

  package static func registersAreDistinct(_ operations: [Operation]) -> Bool {
    guard operations.count > few else {
      for later in operations.indices.dropFirst() {
        for earlier in 0..<later
        where operations[earlier].writesSameRegister(as: operations[later]) { return false }
      }
      return true
    }
    var seen = Set<Register>(minimumCapacity: operations.count)
    return operations.allSatisfy { seen.insert($0.register).inserted }
  }

  /// So many are compared with each other: most pairs differ in kind or anchor, which is seen at once,
  /// where a set hashes each key.
  private static let few = 24
}

/// The last write of one register, with its stamp.
package struct Cell: Equatable, Sendable {
  package let operation: Operation
  package let stamp: Stamp

  package init(operation: Operation, stamp: Stamp) {
    self.operation = operation
    self.stamp = stamp
  }
}

/// What a space has beyond a version vector: last writes only, in dot order per replica.
///
/// `cells` holds, for every register whose last write `base` does not cover, that write. It is
/// whole: applying it to any state that covers `base` gives a state that covers `covers`.
package struct Delta: Equatable, Sendable {
  package let base: VersionVector
  package let covers: VersionVector
  /// The cells, in as many tables as batches brought them.
  package let parts: [CellTable]

  package init(base: VersionVector, covers: VersionVector, parts: [CellTable]) {
    self.base = base
    self.covers = covers
    self.parts = parts
  }

  package init(base: VersionVector, covers: VersionVector, cells: some Sequence<Cell>) {
    self.init(base: base, covers: covers, parts: [CellTable(cells)])
  }

  /// All cells, made one by one. O(n).
  package var cells: [Cell] { parts.flatMap { Array($0) } }

  package static func == (left: Self, right: Self) -> Bool {
    left.base == right.base && left.covers == right.covers && left.cells == right.cells
  }
}
