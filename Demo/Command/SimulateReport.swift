import Hyperbasis
import HyperbasisCore
import HyperbasisSimulator

/// What `hyperbasis simulate` prints.
enum SimulateReport {
  /// As `120 seeds from 7: 12000 operations, ...`.
  static func text(
    seeds: Int, first: UInt64, _ counts: SimulationReport.Counts, seconds: Double, work: Double
  ) -> String {
    let faults = Fault.Kind.allCases.compactMap { kind in
      counts.faults[kind].flatMap { $0 > 0 ? "\($0) \(kind)" : nil }
    }
    let (rate, rateOfCore) = rates(counts, seconds, work)
    return "\(seeds) seeds from \(first): \(counts.operations) operations, "
      + "\(counts.applications) applied by other peers (\(Int(rate)) a second, "
      + "\(Int(rateOfCore)) a second of a core), "
      + "\(counts.milliseconds / 3_600_000) h of virtual time in \(Int(seconds)) s; faults: "
      + (faults.isEmpty ? "none" : faults.joined(separator: ", "))
  }

  static func json(
    seeds: Int, first: UInt64, _ counts: SimulationReport.Counts, seconds: Double, work: Double
  ) -> String {
    let (rate, rateOfCore) = rates(counts, seconds, work)
    return JSON.write(
      Report.object(
        [
          ("seeds", .int(Int64(seeds))), ("first", .string(String(first))),
          ("failure", .null), ("seconds", .double(seconds)),
          ("applicationsPerSecond", .double(rate)),
          ("applicationsPerCoreSecond", .double(rateOfCore)),
        ] + fields(counts)))
  }

  /// Applications in each second that passed, and in each that a core worked.
  private static func rates(
    _ counts: SimulationReport.Counts, _ seconds: Double, _ work: Double
  ) -> (rate: Double, ofCore: Double) {
    let applications = Double(counts.applications)
    return (applications / max(seconds, 0.001), applications / max(work, 0.001))
  }

  static func json(_ report: SimulationReport, replayedBy command: String) -> String {
    let failure = report.failure.map { failure in
      Report.object([
        ("checker", .string(failure.checker)), ("ms", .int(Int64(failure.milliseconds))),
        ("peer", failure.peer.map { .int(Int64($0)) } ?? .null),
        ("detail", .string(failure.detail)),
      ])
    }
    return JSON.write(
      Report.object(
        [
          ("seed", .string(String(report.seed))), ("options", .string("\(report.options)")),
          ("trace", .string(report.traceHash)), ("failure", failure ?? .null),
          ("replay", .string(command)),
        ] + fields(report.counts)))
  }

  private static func fields(_ counts: SimulationReport.Counts) -> [(String, Value)] {
    let faults = Fault.Kind.allCases.map { ($0.rawValue, Value.int(Int64(counts.faults[$0] ?? 0))) }
    return [
      ("events", .int(Int64(counts.events))), ("edits", .int(Int64(counts.edits))),
      ("operations", .int(Int64(counts.operations))),
      ("applications", .int(Int64(counts.applications))), ("frames", .int(Int64(counts.frames))),
      ("bytes", .int(Int64(counts.bytes))), ("links", .int(Int64(counts.links))),
      ("virtualMilliseconds", .int(Int64(counts.milliseconds))), ("faults", Report.object(faults)),
    ]
  }
}
