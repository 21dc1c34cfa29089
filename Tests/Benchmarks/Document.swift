import HyperbasisCore

/// A replica of one space as an app edits it: each record of a trace is one change, made as the engine makes it, with
/// retention `latest`.
struct Document {
  static let space = SpaceID(1)
  static let replicas = [
    ReplicaID(0x6A09_E667_F3BC_C908_B2FB_1366_EA95_7D3E),
    ReplicaID(0xBB67_AE85_84CA_A73B_3C6E_F372_FE94_F82B),
  ]

  private(set) var state: SpaceState
  let replica: ReplicaID
  private var clock: HybridClock
  private var time: TraceClock

  /// A space that keeps the latest only; both replicas are its members.
  init() throws {
    self.init(state: SpaceState(id: Document.space), replica: Document.replicas[0])
    try write(
      [.retention(.latest)] + Document.replicas.map { .member($0, .founder) })
  }

  /// What a replica has that another one sent all.
  init(snapshot frames: [[UInt8]], replica: ReplicaID = Document.replicas[1]) throws {
    var state = SpaceState(id: Document.space)
    _ = try state.join(try CatchUpFrames.delta(of: frames, over: state))
    self.init(state: state, replica: replica)
  }

  /// One that has a state already.
  init(state: SpaceState, replica: ReplicaID = Document.replicas[0]) {
    self.state = state
    self.replica = replica
    clock = HybridClock(last: state.lastTimestamp)
    time = TraceClock(seed: UInt64(truncatingIfNeeded: replica.bits))
  }

  // MARK: Edits

  /// Returns the change; nil where the record alters nothing.
  @discardableResult
  mutating func apply(_ record: TraceRecord) throws -> Change? {
    time.advance()
    return try write(record.operations(over: state, at: time.nanoseconds))
  }

  /// One change each.
  mutating func apply(_ records: some Sequence<TraceRecord>) throws {
    for record in records { try apply(record) }
  }

  /// As few changes as limits allow: of several writes of one register the last.
  mutating func applyTogether(_ records: [TraceRecord]) throws {
    var places: [Register: Int] = [:]
    var operations: [Operation] = []
    for record in records {
      time.advance()
      for operation in record.operations(over: state, at: time.nanoseconds) {
        if let place = places[operation.register] {
          operations[place] = operation
        } else {
          places[operation.register] = operations.count
          operations.append(operation)
        }
      }
      if operations.count > Limits.changeOperations - 8 {
        try write(operations)
        (places, operations) = ([:], [])
      }
    }
    if !operations.isEmpty { try write(operations) }
  }

  /// What `Engine.edit` does with a state.
  @discardableResult
  private mutating func write(_ operations: [Operation]) throws -> Change? {
    let effective = state.effective(operations)
    guard !effective.isEmpty else { return nil }
    let timestamp = clock.next(now: time.wall, fraction: time.fraction)
    let dot = Dot(replica: replica, sequence: state.vector[replica] + 1)
    let change = Change(stamp: Stamp(timestamp: timestamp, dot: dot), operations: effective)
    _ = try state.apply(change)
    return change
  }

  // MARK: Exchange

  /// What lies beyond a vector, or all, as the frames in which it is sent.
  func frames(since base: VersionVector = VersionVector()) -> [[UInt8]] {
    CatchUpFrames.encode(state, since: base)
  }

  /// Takes what another replica sent.
  mutating func take(_ frames: [[UInt8]]) throws {
    _ = try state.apply(try CatchUpFrames.delta(of: frames, over: state))
    clock.observe(state.lastTimestamp)
  }

  /// Gives up all that was deleted, as where all members have it.
  mutating func collect() {
    _ = state.collect(floor: state.vector, dropped: state.vector)
  }

  /// Of all that lives.
  var hash: String {
    var hash = StateHash()
    for anchor in state.anchors() {
      let fields = anchor.metadata.entries.map { ($0.key, $0.value.traceBytes) }
      hash.add(anchor.id.description, anchor.transform, fields)
    }
    return hash.text
  }
}

extension TraceRecord {
  /// The operations that an app's save comes to, at a date in nanoseconds since 1970.
  func operations(over state: SpaceState, at date: Int64) -> [Operation] {
    switch action {
    case .create(let transform, let fields):
      var operations: [Operation] = [
        .existence(anchor, Existence(created: date)), .transform(anchor, transform),
      ]
      for field in fields { operations.append(.metadata(anchor, field.key, field.value)) }
      return operations
    case .transform(let transform): return [.transform(anchor, transform)]
    case .metadata(let field): return [.metadata(anchor, field.key, field.value)]
    case .delete:
      guard case .existence(_, let known) = state.cell(.existence(anchor))?.operation else {
        return []
      }
      return [.existence(anchor, Existence(created: known.created, deleted: date))]
    }
  }
}

extension Value {
  /// As the state hash has it.
  fileprivate var traceBytes: [UInt8] {
    switch self {
    case .string(let text): Array(text.utf8)
    case .int(let number): Array("\(number)".utf8)
    default: preconditionFailure("a trace has texts and integers alone")
    }
  }
}
