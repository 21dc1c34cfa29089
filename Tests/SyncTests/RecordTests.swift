import HyperbasisCore
import HyperbasisSync
import Testing

/// Changes under times of the past: the stamps of a replica need not ascend with its sequences.
@Suite struct RecordTests {
  private func set(_ key: Key, _ value: Int, anchor id: Int = 1) -> [Operation] {
    [.metadata(anchor(id), key, .int(Int64(value)))]
  }

  private func value(_ lab: Lab, _ number: Int, _ key: Key, anchor id: Int = 1) -> Value? {
    let cell = lab.state(number).cell(.metadata(anchor(id), key))
    guard case .metadata(_, _, let value)? = cell?.operation else { return nil }
    return value
  }

  @Test func `it loses against what is later and wins over what is earlier`() {
    let lab = Lab(1)
    lab.set(0, "edited", 1)
    lab.record(0, set("imported", 1), ago: 5_000)
    let digest = lab.state(0).digest
    #expect(lab.record(0, set("edited", 2), ago: 5_000)?.dot.sequence == 3)
    #expect(lab.record(0, set("imported", 2), ago: 6_000)?.dot.sequence == 4)
    #expect(value(lab, 0, "edited") == .int(1) && value(lab, 0, "imported") == .int(1))
    #expect(lab.state(0).digest != digest)
    lab.record(0, set("imported", 3), ago: 4_000)
    #expect(value(lab, 0, "imported") == .int(3))
    #expect(lab.record(0, set("imported", 3), ago: 3_000) == nil)
    // All of them are in the history, in the order in which they were made.
    #expect(lab.logs[0].map(\.dot.sequence) == [1, 2, 3, 4, 5])
  }

  @Test func `the next edit is later, and the clock does not go back`() {
    let lab = Lab(1)
    let first = lab.edit(0, set("a", 1))!
    lab.record(0, set("b", 1), ago: 5_000)
    let next = lab.edit(0, set("a", 2))!
    #expect(first.stamp < next.stamp)
    #expect(value(lab, 0, "a") == .int(2))
  }

  @Test func `a time that is now is taken`() {
    let lab = Lab(1)
    lab.record(0, set("a", 1), ago: 0)
    let now = Now(monotonic: 1, wall: 5, fraction: 128)
    #expect(now.timestamp == Timestamp(milliseconds: 5, counter: 32_768))
    #expect(lab.edit(0, set("a", 2)) != nil)
    #expect(value(lab, 0, "a") == .int(2))
  }

  #if os(Linux) || os(macOS)
    @Test func `a time that lies ahead is a mistake of ours`() async {
      await #expect(processExitsWith: .failure) {
        let lab = Lab(1)
        var now = lab.now
        now.wall -= 1
        let later = lab.now.timestamp
        _ = lab.engines[0].record(space, [.name("a")], timestamp: later, at: now)
      }
    }
  #endif

  /// Both recorded and edited, apart and together, in small batches and live.
  @Test(arguments: [1, 200, 65_536])
  func `states and histories come to be equal`(bytes: Int) {
    var tuning = Tuning()
    tuning.batchBytes = bytes
    let lab = Lab(3, tuning: tuning)
    for step in 0..<30 {
      let operations = set(Key("k\(step % 3)"), step, anchor: step % 4)
      // Times go down, up, and repeat.
      lab.record(step % 3, operations, ago: UInt64(step * 7 % 5) * 1_000)
      if step % 5 == 0 { lab.set(step % 3, "k0", 100 + step) }
    }
    for (first, second) in [(0, 1), (1, 2)] { lab.connect(first, second) }
    lab.pump()
    lab.pass(3_000)
    #expect(lab.isConverged && lab.hasWholeHistories)
    for step in 0..<30 {
      lab.record(step % 3, set("k1", 200 + step), ago: UInt64(step * 11 % 7) * 500)
      lab.pump()
      #expect(lab.isConverged && lab.hasWholeHistories)
    }
    #expect(lab.logs[0].count == 66)
    #expect((0..<3).allSatisfy { lab.farewells($0).isEmpty })
  }

  @Test func `a late joiner gets all of it`() {
    let lab = Lab(2)
    for step in 0..<20 {
      lab.record(0, set("k", step), ago: UInt64(1_000 + 1_000 * (step * 7 % 20)))
    }
    let pipe = lab.connect(0, 1)
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories)
    // The write with the latest time of all, which is not that of the last sequence.
    #expect(value(lab, 1, "k") == .int(0))
    lab.cut(pipe)
    lab.record(1, set("k", 77), ago: 10)
    lab.record(0, set("k", 78), ago: 500)
    lab.connect(0, 1)
    lab.pump()
    #expect(lab.isConverged && lab.hasWholeHistories)
    #expect(value(lab, 0, "k") == .int(77))
  }
}
