import HyperbasisCore
import HyperbasisSync

/// What is missing is asked of the right peer at once, though a peer that fails to answer would be
/// given up later in any case, and what a peer has told would bring the rest.
///
/// Such delays are short beside those of the network, so no end state shows them. Strangers speak
/// with copies of the engine that is at rest, and the run takes no notice.
enum AskingChecker {
  static func fault(of engine: Engine, at now: Now) -> String? {
    for space in engine.rooms.keys where !engine.rooms[present: space].state.hasMembers {
      let vector = engine.rooms[present: space].state.vector
      let rules: [(String, (Table) -> Bool)] = [
        ("what an ended link was asked for is not asked of another", asksAfterAnEnd),
        ("what is not answered is not asked of another", asksAfterAStall),
        ("what was missed on a live link is not asked for", asksAfterAGap),
        ("what a catch-up brought is not passed on to live peers", passesOnACatchUp),
        ("it is continued at a peer that knows less", asksWhoKnowsLess),
        ("a link to an earlier start of a peer is kept", endsTheEarlierLink),
        ("a space that is joined is not told", tellsOfAJoin),
      ]
      for (name, isKept) in rules
      where !isKept(Table(engine: engine, space: space, known: vector, now: now)) {
        return "\(name)"
      }
    }
    return nil
  }

  // MARK: Rules

  private static func asksAfterAnEnd(_ table: Table) -> Bool {
    asksTheSecond(table) { $0.close(1) }
  }

  private static func asksAfterAStall(_ table: Table) -> Bool {
    asksTheSecond(table) { $0.wait(Limits.catchUpStallMilliseconds) }
  }

  /// Of two strangers that are ahead the first alone is asked, and the second after what happens then.
  private static func asksTheSecond(
    _ table: Table, after happening: (inout Table) -> Void
  ) -> Bool {
    var table = table
    let ahead = table.known(1)
    for stranger in 1...2 { table.greet(stranger) }
    for stranger in 1...2 {
      table.hear(
        .have(table.space, ahead, Digest(bits: 0), history: VersionVector()), from: stranger)
    }
    guard table.want(from: 1) != nil, table.want(from: 2) == nil else { return false }
    happening(&table)
    return table.want(from: 2) != nil
  }

  private static func asksAfterAGap(_ table: Table) -> Bool {
    var table = table
    table.greet(1)
    table.goLive(1)
    table.hear(.change(table.space, table.change(sequence: 2)), from: 1)
    return table.want(from: 1) != nil
  }

  private static func passesOnACatchUp(_ table: Table) -> Bool {
    var table = table
    table.greet(1)
    table.hear(.want(table.space, since: table.known), from: 1)
    table.settle(1)
    table.greet(2)
    table.hear(
      .have(table.space, table.known(1), Digest(bits: 0), history: VersionVector()), from: 2)
    guard let since = table.want(from: 2) else { return false }
    let change = table.change(sequence: 1)
    table.hear(
      .batch(
        Batch(
          space: table.space, base: since, covers: table.known(1), horizon: table.known(1),
          cells: [Cell(operation: change.operations[0], stamp: change.stamp)])),
      from: 2)
    return table.frames(for: 1).contains { frame in
      switch frame {
      case .batch, .change: true
      default: false
      }
    }
  }

  /// The first peer leaves out a write, since it knows of a greater one that the second lacks.
  private static func asksWhoKnowsLess(_ table: Table) -> Bool {
    var table = table
    let horizon = table.known(2)
    table.greet(1)
    table.hear(.have(table.space, horizon, Digest(bits: 0), history: VersionVector()), from: 1)
    guard let since = table.want(from: 1) else { return false }
    let change = table.change(sequence: 1)
    table.hear(
      .batch(
        Batch(
          space: table.space, base: since, covers: table.known(1), horizon: horizon,
          cells: [Cell(operation: change.operations[0], stamp: change.stamp)])),
      from: 1)
    table.close(1)
    table.greet(2)
    table.hear(
      .have(table.space, table.known(1), Digest(bits: 0), history: VersionVector()), from: 2)
    return table.want(from: 2) == table.known
  }

  private static func endsTheEarlierLink(_ table: Table) -> Bool {
    var table = table
    table.greet(1)
    table.greet(2, as: 1, incarnation: 2)
    return table.hasEnded(1) && !table.hasEnded(2)
  }

  private static func tellsOfAJoin(_ table: Table) -> Bool {
    var table = table
    table.greet(1)
    table.settle(1)
    let another = SpaceID(1)
    table.join(another)
    return table.frames(for: 1).contains { frame in
      if case .have(another, _, _, _) = frame { true } else { false }
    }
  }
}

/// An engine at a table with strangers; all that it writes is durable at once.
private struct Table {
  var engine: Engine
  let space: SpaceID
  let known: VersionVector
  var now: Now

  /// The author of what is made up; below every replica of a run, so that the engine never chooses
  /// which link stays.
  private static let author = ReplicaID(1)

  /// What the engine knows and the first changes of the author.
  func known(_ sequence: UInt64) -> VersionVector {
    var vector = known
    vector[Table.author] = sequence
    return vector
  }

  func change(sequence: UInt64) -> Change {
    Change(
      stamp: Stamp(
        timestamp: Timestamp(milliseconds: now.wall),
        dot: Dot(replica: Table.author, sequence: sequence)),
      operations: [.name("stranger")])
  }

  private func link(_ stranger: Int) -> LinkID { LinkID(.max - 8 + UInt64(stranger)) }

  mutating func greet(_ stranger: Int, as number: Int? = nil, incarnation: UInt64 = 1) {
    engine.open(link(stranger), at: now)
    let hello = Hello(
      device: DeviceID(1), replica: ReplicaID(UInt128(1 + (number ?? stranger))),
      incarnation: incarnation, name: "stranger")
    hear(.hello(hello), from: stranger)
  }

  mutating func hear(_ frame: Frame, from stranger: Int) {
    engine.receive(frame.encoded(), on: link(stranger), at: now)
    commit()
  }

  mutating func join(_ space: SpaceID) {
    engine.join(space, at: now)
    commit()
  }

  mutating func close(_ stranger: Int) {
    engine.close(link(stranger), reason: "closed", at: now)
    commit()
  }

  mutating func wait(_ milliseconds: UInt64) {
    now.monotonic += milliseconds
    now.wall += milliseconds
    for stranger in 1...2 { hear(.ping, from: stranger) }
    engine.tick(at: now)
    commit()
  }

  /// The stranger knows what the engine knows, and has answered its request.
  mutating func goLive(_ stranger: Int) {
    hear(.have(space, known, Digest(bits: 0), history: VersionVector()), from: stranger)
    guard let since = want(from: stranger) else { return }
    hear(
      .batch(Batch(space: space, base: since, covers: known, horizon: known, cells: [])),
      from: stranger)
    settle(stranger)
  }

  /// Takes all that waits to be sent.
  mutating func settle(_ stranger: Int) {
    _ = frames(for: stranger)
  }

  mutating func frames(for stranger: Int) -> [Frame] {
    var decoder = FrameDecoder(limit: Limits.frameBytes)
    var frames: [Frame] = []
    while let bytes = engine.nextFrame(for: link(stranger), at: now) { decoder.append(bytes) }
    while let frame = try? decoder.next() { frames.append(frame) }
    return frames
  }

  /// Since when the stranger is asked for the space; nil when it is not.
  mutating func want(from stranger: Int) -> VersionVector? {
    for case .want(space, let since, _) in frames(for: stranger) { return since }
    return nil
  }

  func hasEnded(_ stranger: Int) -> Bool { engine.hasEnded(link(stranger)) }

  private mutating func commit() {
    if engine.takeWrites() != nil { engine.committed() }
  }
}
