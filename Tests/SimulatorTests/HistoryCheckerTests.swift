import HyperbasisSimulator
import Testing

/// A checker that cannot fail proves nothing: faults are planted in the virtual disks.
@Suite struct HistoryCheckerTests {
  @Test(arguments: SimulationOptions.Plant.allCases)
  func `a fault of a history is found`(plant: SimulationOptions.Plant) {
    var options = SimulationOptions()
    options.peers = 3
    options.operations = 60
    options.plant = plant
    let report = Simulation.run(seed: 1, options: options)
    #expect(report.failure?.checker == "history", "\(report)")
    options.plant = nil
    #expect(Simulation.run(seed: 1, options: options).failure == nil)
  }

  /// Parts of one change each, over links that break and disks that fail.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `small parts of histories among failing links and disks`(seed: UInt64) {
    var options = SimulationOptions()
    options.peers = 4
    options.operations = 60
    options.topology = .ring
    options.batchBytes = 1
    options.recentBytes = 400
    options.faults[.cut] = Ratio(1, in: 5)
    options.commitFailure = Ratio(1, in: 20)
    options.operationGap = 0...50
    let report = Simulation.run(seed: seed, options: options)
    #expect(report.failure == nil, "\(report)")
    #expect(report.counts.historyRequests > 0)
  }
}
