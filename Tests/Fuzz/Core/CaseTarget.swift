import HyperbasisSimulator

/// Cases of the simulator: one that was read has a text that is read as the same.
enum CaseTarget: FuzzTarget {
  static let name = "case"

  static func seeds() -> [[UInt8]] {
    (1...4 as ClosedRange<UInt64>).map { seed in
      let lines = SimulationCase(seed: seed).text.split(separator: "\n")
      return Array(lines.prefix(6).joined(separator: "\n").utf8)
    }
  }

  static func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let found: SimulationCase
    do throws(SimulationCaseError) {
      found = try SimulationCase(text: text)
    } catch {
      _ = "\(error)"
      return
    }
    try expect(try SimulationCase(text: found.text) == found, "a case is read as it was written")
  }
}
