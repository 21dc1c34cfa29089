import Foundation
import HyperbasisSimulator
import Testing

/// Cases in which something was wrong once: each is kept in `Fixtures` with what it was.
@Suite struct FixtureTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  static let names: [String] = {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return all.filter { $0.hasSuffix(".case") }.sorted()
  }()

  @Test func `there are kept cases`() {
    #expect(!Self.names.isEmpty)
  }

  /// What does not hold yet, as `Docs/GUARANTEES.md` says.
  @Test(arguments: ["historyOfAChain", "shownAfterRestore", "mapOfOneTick"])
  func `a case that is known is not well yet`(name: String) throws {
    let url = Self.folder.appendingPathComponent("\(name).broken")
    let plan = try SimulationCase(text: String(contentsOf: url, encoding: .utf8))
    withKnownIssue { #expect(Simulation.run(plan).failure == nil) }
  }

  @Test(arguments: names)
  func `a kept case is well`(name: String) throws {
    let url = Self.folder.appendingPathComponent(name)
    let plan = try SimulationCase(text: String(contentsOf: url, encoding: .utf8))
    let report = Simulation.run(plan)
    #expect(report.failure == nil, "\(name): \(report)")
  }
}
