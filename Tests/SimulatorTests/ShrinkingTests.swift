import HyperbasisSimulator
import Testing

/// Failing cases are made small, and what is left fails by the same rule.
@Suite struct ShrinkingTests {
  @Test func `a fault of the disks comes down to a few operations`() throws {
    var options = SimulationOptions.drawn(from: 3)
    options.plant = .doubleChange
    let report = Simulation.run(seed: 3, options: options)
    let small = Simulation.shrink(report, runs: 300)
    #expect(small.operationCount <= 10 && small.faults.isEmpty, "\(small.text)")
    let again = Simulation.run(try SimulationCase(text: small.text))
    #expect(again.failure?.checker == report.failure?.checker)
  }

  @Test func `what does not fail stays as it is`() {
    let report = Simulation.run(seed: 4)
    #expect(Simulation.shrink(report, runs: 10) == report.plan)
  }

  @Test func `it ends when there is no more time, with what is smallest then`() {
    var options = SimulationOptions.drawn(from: 3)
    options.plant = .doubleChange
    let report = Simulation.run(seed: 3, options: options)
    #expect(Simulation.shrink(report, while: { false }) == report.plan)
    var asked = 0
    let small = Simulation.shrink(report) {
      asked += 1
      return asked <= 12
    }
    #expect(asked == 13, "it is asked before each run, and no more once it said no")
    let whole = report.plan.operationCount + report.plan.faults.count
    #expect(small.operationCount + small.faults.count < whole)
    #expect(Simulation.run(small).failure?.checker == report.failure?.checker)
  }
}
