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
    options.cut = Ratio(1, in: 5)
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
    options.crash = Ratio(1, in: 15)
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
    options.cut = .never
    options.crash = Ratio(1, in: 60)
    options.partition = .never
    options.clockStep = .never
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
