import HyperbasisSimulator
import Testing

/// The simulator itself: what depends on the seed, and worlds in which faults were found.
@Suite struct SimulationTests {
  @Test func `the same seed takes the same course, another seed another`() {
    let first = Simulation.run(seed: 4)
    #expect(first.traceHash == Simulation.run(seed: 4).traceHash)
    #expect(first.traceHash != Simulation.run(seed: 5).traceHash)
    #expect(first.options == SimulationOptions.drawn(from: 4))
    #expect(first.counts.edits > 0 && first.counts.frames > 0)
  }

  @Test func `a case and its options are read back from their text`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let plan = SimulationCase(seed: seed)
      #expect(try SimulationCase(text: plan.text) == plan)
      #expect(SimulationOptions(plan.options.description) == plan.options)
    }
  }

  @Test(arguments: [
    "", "seed 7", "hyperbasis case 2", "seed 7\noptions peers=1", "seed 7\noptions peers=3 what=1",
    "seed 7\noptions peers=3\noperation 0g", "seed 7\noptions peers=3\nfault 1 cut 5",
  ])
  func `what is no case is refused with its line`(text: String) {
    #expect(throws: SimulationCaseError.self) { try SimulationCase(text: text) }
  }

  @Test func `a word of options that is wrong is named, and whether it is its name or its value`() {
    func error(_ text: String) -> String? {
      #expect(throws: SimulationOptionsError.self) { try SimulationOptions(text: text) }?
        .description
    }
    #expect(error("peers=1") == "\"peers=1\": the value of peers is 2 to 64")
    #expect(error("peers") == "\"peers\": the value of peers is 2 to 64")
    #expect(
      error("peers=3 clocks=slow") == "\"clocks=slow\": the value of clocks is skewed, or frozen")
    let name = error("peers=3 topolgy=ring")
    #expect(
      name?.hasPrefix("\"topolgy=ring\": no knob has the name \"topolgy\"; there are ") == true)
    #expect(name?.contains(" peers, spaces, ") == true && name?.hasSuffix(", plant") == true)
  }

  @Test func `the report of a file names the file and not its seed`() throws {
    var options = SimulationOptions.drawn(from: 3)
    options.plant = .doubleChange
    let found = Simulation.run(seed: 3, options: options)
    #expect(found.description.hasSuffix("\nreplay: \(found.replayCommand)"))
    let again = Simulation.run(try SimulationCase(text: found.plan.text))
    let command = "hyperbasis simulate --replay seed-3.case"
    #expect(again.failure != nil && again.failure == found.failure)
    #expect(again.description(replayedBy: command).hasSuffix("\nreplay: \(command)"))
  }

  @Test func `faults of a case say whom they meet, and old files are read`() throws {
    let head = "seed 7\noptions peers=3\n"
    let pictures = [
      "300 restore 1 0": "restore of peer 1 at 300 ms (an older copy of itself)",
      "300 clone 4 1": "clone of peer 1 at 300 ms (a copy of peer 0)",
      "1200 crash 4 9": "crash of peer 1 at 1200 ms (14 ms long, without the commit under way)",
      "5 partition 2 1": "partition of the network at 5 ms (peer 2 is alone, for 100 ms)",
      "5 cut 9 9": "cut of one of the open links at 5 ms",
    ]
    for (fault, picture) in pictures {
      let plan = try SimulationCase(text: head + "fault \(fault)\n")
      #expect(plan.text.contains("\nfault \(fault)  \(picture)\n"), "\(plan.text)")
      #expect(try SimulationCase(text: plan.text) == plan)
    }
  }

  /// Any bytes are a scenario.
  @Test func `any bytes make a legal list of operations`() {
    var random = RandomSource(seed: 5)
    for count in [0, 1, 12, 13, 100, 2_000] {
      let bytes = (0..<count).map { _ in UInt8(random.below(256)) }
      var options = SimulationOptions()
      options.peers = 3
      let plan = SimulationCase(seed: 1, options: options, operations: bytes)
      let report = Simulation.run(plan)
      #expect(report.failure == nil, "\(report)")
    }
  }

  @Test func `the report names seed, options and what happened`() {
    var options = SimulationOptions()
    options.peers = 2
    options.operations = 10
    let report = Simulation.run(seed: 1, options: options)
    #expect(report.failure == nil)
    #expect(report.description.hasPrefix("seed 1: converged"))
    #expect(report.options.description.contains("peers=2 spaces=1 operations=10"))
  }

  /// Batches of one change over links that break all the time: here the vector ran ahead of the
  /// data, because a receiver took its own vector, told back to it, for the sender's.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `many small batches on links that break`(seed: UInt64) {
    var options = SimulationOptions()
    options.peers = 3
    options.operations = 80
    options.clocks = .frozen
    options.topology = .chain
    options.batchBytes = 1
    options.recentBytes = 400
    options.faults[.cut] = Ratio(1, in: 5)
    options.operationGap = 0...50
    let report = Simulation.run(seed: seed, options: options)
    #expect(report.failure == nil, "\(report)")
  }

  /// Two requests continued one interrupted catch-up, and commits failed in the middle of others:
  /// honest links were ended as malformed.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `interrupted catch-ups among failing disks`(seed: UInt64) {
    var options = SimulationOptions()
    options.peers = 5
    options.operations = 80
    options.batchBytes = 200
    options.recentBytes = 0
    options.commitFailure = Ratio(1, in: 20)
    options.faults[.crash] = Ratio(1, in: 15)
    options.needlessDial = Ratio(1, in: 5)
    options.operationGap = 0...50
    let report = Simulation.run(seed: seed, options: options)
    #expect(report.failure == nil, "\(report)")
  }

  /// A request that continued an interrupted catch-up was never answered: the base of the answer
  /// was another.
  @Test func `large values on slow links, with crashes`() {
    var options = SimulationOptions()
    options.peers = 4
    options.spaces = 3
    options.operations = 141
    options.anchors = 60
    options.topology = .chain
    options.clocks = .frozen
    options.largeValues = Ratio(1, in: 5)
    options.delay = 1...200
    options.commitDelay = 0...1
    options.commitFailure = .never
    options.faults[.cut] = .never
    options.faults[.crash] = Ratio(1, in: 60)
    options.faults[.partition] = .never
    options.faults[.clockStep] = .never
    options.needlessDial = Ratio(1, in: 50)
    options.silentLoss = .never
    options.batchBytes = 2_000
    let report = Simulation.run(seed: 484, options: options)
    #expect(report.failure == nil, "\(report)")
  }

  /// An import: the stamps of a replica do not ascend with its sequences.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `changes recorded under times of the past`(seed: UInt64) {
    var options = SimulationOptions()
    options.peers = 3
    options.operations = 100
    options.clocks = seed % 2 == 0 ? .frozen : .skewed
    options.past = Ratio(1, in: 2)
    options.anchors = 4
    options.batchBytes = 200
    options.recentBytes = 400
    let report = Simulation.run(seed: seed, options: options)
    #expect(report.failure == nil, "\(report)")
  }

  /// What is slow, damaged, late or moved without end.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `slow arrivals, damaged blobs, drags and a latecomer`(seed: UInt64) {
    var options = SimulationOptions()
    options.peers = 3
    options.spaces = 2
    options.anchors = 3
    options.arrival = 300
    options.damage = Ratio(1, in: 10)
    options.drag = Ratio(1, in: 20)
    options.latecomer = true
    options.batchBytes = 200
    let report = Simulation.run(seed: seed, options: options)
    #expect(report.failure == nil, "\(report)")
  }
}
