import HyperbasisCore
import HyperbasisSync
import Testing

/// Histories that peers make up, and what is taken of them.
@Suite struct HistoryRefusalTests {
  private func change(
    _ sequence: UInt64, value: Int64? = nil, anchor id: Int = 1, milliseconds: UInt64? = nil
  ) -> Change {
    let timestamp = Timestamp(milliseconds: milliseconds ?? sequence)
    return Change(
      stamp: Stamp(timestamp: timestamp, dot: Dot(replica: replica(8), sequence: sequence)),
      operations: [.metadata(anchor(id), "k", .int(value ?? Int64(sequence)))])
  }

  private func vector(_ sequence: UInt64) -> VersionVector {
    var vector = VersionVector()
    vector[replica(8)] = sequence
    return vector
  }

  private func part(_ changes: [Change], isLast: Bool = true) -> Frame {
    .history(HistoryPart(space: space, changes: changes, isLast: isLast))
  }

  /// Peer 0 in the state of three changes of another, whose history it has just asked of a stranger.
  private func asking(told: UInt64 = 3) -> (lab: Lab, pipe: Int) {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.receive([.hello(hello(1)), have(space, vector(told))], pipe, at: 0)
    lab.move(pipe, from: 0)
    let last = change(3)
    let cell = Cell(operation: last.operations[0], stamp: last.stamp)
    let batch = Batch(
      space: space, base: VersionVector(), covers: vector(3), horizon: vector(3), cells: [cell])
    lab.receive([.batch(batch)], pipe, at: 0)
    lab.move(pipe, from: 0)
    #expect(lab.pipes[pipe].sent[0].last == .wantHistory(space, since: VersionVector()))
    return (lab, pipe)
  }

  @Test func `what fits is taken`() {
    let (lab, pipe) = asking()
    lab.receive([part([change(1)], isLast: false), part([change(2), change(3)])], pipe, at: 0)
    #expect(lab.logs[0] == [change(1), change(2), change(3)] && lab.farewells(0).isEmpty)
    #expect(lab.history(0) == lab.state(0).vector)
  }

  @Test func `what does not fit ends the link, and nothing of it is taken`() {
    let refused: [[Frame]] = [
      // A gap, at the beginning and later; a change twice.
      [part([change(2)])], [part([change(1), change(3)])],
      [part([change(1)], isLast: false), part([change(1), change(2)])],
      // It ends before what was told.
      [part([change(1), change(2)])],
      // Another value than the state has, a register or an anchor that it has not.
      [part([change(1), change(2), change(3, value: 9)])],
      [part([change(1), change(2), change(3, anchor: 2)])],
      // A later stamp than that of the last write.
      [part([change(1, milliseconds: 9), change(2), change(3)])],
    ]
    for frames in refused {
      let (lab, pipe) = asking()
      lab.receive(frames, pipe, at: 0)
      #expect(lab.farewells(0).map(\.reason) == [.malformed], "\(frames)")
      #expect(lab.logs[0].count == frames.count - 1)
      #expect(lab.edit(0, [.name("goes on")]) != nil)
    }
  }

  @Test func `stamps too far ahead are refused`() {
    let (lab, pipe) = asking()
    let ahead = lab.now.wall + Limits.clockAheadMilliseconds + 1
    lab.receive([part([change(1, milliseconds: ahead)])], pipe, at: 0)
    #expect(lab.farewells(0).map(\.reason) == [.clock] && lab.logs[0].isEmpty)
  }

  @Test func `nobody has more of this replica, nor more replicas than there may be`() {
    func first(of number: Int) -> Change {
      let dot = Dot(replica: replica(number), sequence: 1)
      return Change(
        stamp: Stamp(timestamp: Timestamp(bits: 1), dot: dot), operations: [.name("n")])
    }
    let known = (1...3).map { change($0) }
    let crowd = (100...100 + Limits.replicas).map(first)
    for (more, reason) in [([first(of: 0)], Farewell.Reason.identity), (crowd, .malformed)] {
      let (lab, pipe) = asking()
      lab.receive([part(known + more)], pipe, at: 0)
      #expect(lab.farewells(0).map(\.reason) == [reason] && lab.logs[0].isEmpty)
    }
  }

  @Test func `what was not asked for is ignored`() {
    let lab = Lab(2)
    let pipe = lab.connect(0, 1)
    lab.receive([.hello(hello(1)), part([change(1)]), part([change(7)])], pipe, at: 0)
    var elsewhere = HistoryPart(space: SpaceID(99), changes: [change(1)], isLast: true)
    lab.receive([.history(elsewhere), .wantHistory(SpaceID(99), since: vector(1))], pipe, at: 0)
    elsewhere.space = space
    lab.receive([.history(elsewhere)], pipe, at: 0)
    #expect(lab.farewells(0).isEmpty && lab.logs[0].isEmpty)
  }

  /// A change that the state does not cover may be part of what is still under way elsewhere.
  @Test func `what the state does not cover is left, and asked for again`() {
    let (lab, pipe) = asking(told: 5)
    lab.receive([part((1...5).map { change($0) })], pipe, at: 0)
    #expect(lab.logs[0].count == 3 && lab.farewells(0).isEmpty)
    lab.move(pipe, from: 0)
    #expect(lab.count(pipe, from: 0, isHistoryRequest) == 1)
    lab.receive([.change(space, change(4)), .change(space, change(5))], pipe, at: 0)
    #expect(lab.logs[0].count == 5 && lab.history(0) == vector(5))
    lab.move(pipe, from: 0)
    #expect(lab.count(pipe, from: 0, isHistoryRequest) == 1)
  }

  @Test func `changes behind a gap of the history are applied and asked for`() {
    let (lab, pipe) = asking()
    lab.receive([.change(space, change(4))], pipe, at: 0)
    #expect(lab.state(0).vector == vector(4) && lab.logs[0].isEmpty)
    lab.receive([part((1...3).map { change($0) })], pipe, at: 0)
    #expect(lab.logs[0].count == 3)
    lab.move(pipe, from: 0)
    #expect(lab.count(pipe, from: 0, isHistoryRequest) == 1)
    lab.receive([have(space, vector(4))], pipe, at: 0)
    lab.move(pipe, from: 0)
    #expect(lab.pipes[pipe].sent[0].contains(.wantHistory(space, since: vector(3))))
    lab.receive([part([change(4)])], pipe, at: 0)
    #expect(lab.logs[0].count == 4 && lab.farewells(0).isEmpty)
  }

  @Test func `a request for nothing is not answered, one anew starts over`() {
    let lab = Lab(
      2,
      tuning: {
        var tuning = Tuning()
        tuning.batchBytes = 1
        return tuning
      }())
    for value in 1...3 { lab.set(0, "k", value) }
    let pipe = lab.connect(0, 1)
    func ask(_ since: UInt64, take count: Int = .max) -> [UInt64] {
      var vector = VersionVector()
      vector[replica(0)] = since
      let before = lab.pipes[pipe].sent[0].count
      lab.receive([.wantHistory(space, since: vector)], pipe, at: 0)
      lab.move(pipe, from: 0, most: count)
      let changes = lab.pipes[pipe].sent[0].dropFirst(before).flatMap { frame -> [Change] in
        if case .history(let part) = frame { part.changes } else { [] }
      }
      return changes.map(\.dot.sequence)
    }
    lab.receive([.hello(hello(1))], pipe, at: 0)
    lab.move(pipe, from: 0)
    #expect(ask(3) == [])
    #expect(ask(1) == [2, 3])
    #expect(ask(0, take: 1) == [1])
    #expect(ask(0) == [1, 2, 3])
  }

  @Test func `frames that are refused`() {
    func payload(_ frame: Frame) -> [UInt8] { Array(frame.encoded().dropFirst(4)) }
    let told = payload(have(space, vector(3)))
    #expect(told.last == 0)
    let shorter = payload(have(space, vector(3), history: vector(2)))
    #expect(shorter.count == told.count + vector(2).entries.count * 17 + 1)
    let flag = told.count - 1
    var beyond = shorter
    beyond[beyond.count - 1] = 4
    var equal = shorter
    equal[equal.count - 1] = 3
    let part = payload(part([change(1)]))
    let noChange = Array(part.prefix(18)) + [0]
    for bytes in [
      beyond, equal, told.prefix(flag) + [2], part.prefix(17) + [2] + part.dropFirst(18), noChange,
    ] {
      #expect(throws: CodecError.self) { try Frame(payload: Array(bytes)) }
    }
  }
}
