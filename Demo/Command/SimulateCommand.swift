import Foundation
import HyperbasisSimulator
import Synchronization

/// `hyperbasis simulate`: runs worlds of one or many seeds, or of a file, until one fails.
struct SimulateCommand {
  let options: SimulateOptions
  let isJSON: Bool

  /// - Throws: `CommandError` when a world failed, `UsageError` when a file cannot be read or written.
  func run() throws {
    guard !isJSON || options.traceLines == 0 else {
      throw UsageError("--trace is for people; leave --json out", help: SimulateCommand.help)
    }
    if let path = options.replay { return try replay(path) }
    // Before hours are spent on what could not be kept.
    if let path = options.save {
      do { try CaseFile.check(path) } catch {
        throw UsageError("\(error)", help: SimulateCommand.help)
      }
    }
    let first = options.seed ?? UInt64.random(in: 1..<1 << 32)
    let isOne = options.seconds == nil && (options.seeds ?? 1) == 1
    if isOne {
      return try finish(
        Simulation.run(SimulationCase(seed: first, options: options.options(of: first))))
    }
    let campaign = SimulateCampaign(options: options, first: first, isJSON: isJSON)
    if let failed = campaign.run() {
      try finish(failed)
    } else {
      try print([campaign.summary])
    }
  }

  private static let help = "hyperbasis simulate --help"

  private func print(_ lines: [String]) throws {
    guard Printer.write(lines) else {
      throw CommandError("done, but standard output takes no more")
    }
  }

  private func replay(_ path: String) throws {
    let plan: SimulationCase
    do {
      plan = try SimulationCase(text: String(contentsOfFile: path, encoding: .utf8))
    } catch let error as SimulationCaseError {
      throw UsageError("'\(path)': \(error)", help: SimulateCommand.help)
    } catch {
      throw UsageError(
        "'\(path)' cannot be read: \(CaseFile.whyUnreadable(path))", help: SimulateCommand.help)
    }
    try finish(Simulation.run(plan), replayOf: path)
  }

  /// Prints what a world came to; one that failed is made small and kept.
  private func finish(_ report: SimulationReport, replayOf file: String? = nil) throws {
    let command = file.map(SimulateCommand.replay) ?? report.replayCommand
    try print([
      isJSON
        ? SimulateReport.json(report, replayedBy: command)
        : report.description(replayedBy: command)
    ])
    if options.traceLines > 0 {
      let lines = Simulation.trace(of: report.plan, lines: options.traceLines)
      try print([Simulation.traceColumns] + lines)
    }
    guard let failure = report.failure else { return }
    guard file == nil, options.shrinkRuns > 0 || options.save != nil else {
      throw CommandError("\(failure)")
    }
    let small = options.shrinkRuns > 0 ? shrunk(report) : report.plan
    let path = options.save ?? SimulateCommand.freePath(for: small)
    let size = "\(small.operationCount) operations, \(small.faults.count) faults"
    if !isJSON { Printer.write(["smallest case: \(size)", "", small.text]) }
    do { try CaseFile.write(small.text, to: path) } catch {
      throw CommandError("\(failure); the smallest case was not kept: \(error)")
    }
    throw CommandError(
      "\(failure); \(size) are left: \(SimulateCommand.replay(path))")
  }

  /// The smallest case that is found in time; that the time was over is told.
  private func shrunk(_ report: SimulationReport) -> SimulationCase {
    let end = ContinuousClock.now + .seconds(options.shrinkSeconds)
    var isOver = false
    let small = Simulation.shrink(report, runs: options.shrinkRuns) {
      isOver = ContinuousClock.now >= end
      return !isOver
    }
    if isOver {
      Printer.complain(
        "the case was made smaller for \(options.shrinkSeconds) s only; "
          + "--shrink-seconds gives it longer")
    }
    return small
  }

  /// The command that runs a file, as a shell takes it.
  private static func replay(_ path: String) -> String {
    let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
    let quoted = "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
    return "hyperbasis simulate --replay \(isPlain ? path : quoted)"
  }

  /// Where a case is kept: `seed-3.case`, or `seed-3-2.case` when there is another of that name.
  private static func freePath(for small: SimulationCase) -> String {
    var (path, number) = ("seed-\(small.seed).case", 1)
    while CaseFile.standing(path) != .nothing,
      CaseFile.standing(path) != .plainFile
        || (try? String(contentsOfFile: path, encoding: .utf8)) != small.text
    {
      number += 1
      path = "seed-\(small.seed)-\(number).case"
    }
    return path
  }
}

/// Many seeds, on several threads, with what they came to.
final class SimulateCampaign: Sendable {
  private let options: SimulateOptions
  private let first: UInt64
  private let isJSON: Bool
  private let started = ContinuousClock.now
  private let startedWork = SimulateCampaign.work
  private let state = Mutex(State())

  private struct State {
    var taken = 0
    var finished = 0
    var counts = SimulationReport.Counts()
    var failed: SimulationReport?
    var lastShown = ContinuousClock.now
  }

  init(options: SimulateOptions, first: UInt64, isJSON: Bool) {
    self.options = options
    self.first = first
    self.isJSON = isJSON
  }

  /// The report of a seed that failed; nil when none did.
  func run() -> SimulationReport? {
    DispatchQueue.concurrentPerform(iterations: options.jobs) { _ in
      while let seed = nextSeed() {
        let plan = SimulationCase(seed: seed, options: options.options(of: seed))
        take(Simulation.run(plan))
      }
    }
    return state.withLock { $0.failed }
  }

  private func nextSeed() -> UInt64? {
    let elapsed = ContinuousClock.now - started
    return state.withLock { state in
      let isOver =
        options.seeds.map { state.taken >= $0 } ?? false
        || options.seconds.map { elapsed >= .seconds($0) } ?? false
      guard state.failed == nil, !isOver else { return nil }
      defer { state.taken += 1 }
      return first &+ UInt64(state.taken)
    }
  }

  private func take(_ report: SimulationReport) {
    let isDue = state.withLock { state in
      state.finished += 1
      state.counts.add(report.counts)
      if report.failure != nil && state.failed == nil { state.failed = report }
      let now = ContinuousClock.now
      guard now - state.lastShown >= .seconds(SimulateCampaign.secondsBetweenLines) else {
        return false
      }
      state.lastShown = now
      return true
    }
    if isDue && !isJSON { Printer.complain(summary) }
  }

  private static let secondsBetweenLines = 5

  var summary: String {
    let elapsed = (ContinuousClock.now - started) / .seconds(1)
    let work = SimulateCampaign.work - startedWork
    let (finished, counts) = state.withLock { ($0.finished, $0.counts) }
    return isJSON
      ? SimulateReport.json(seeds: finished, first: first, counts, seconds: elapsed, work: work)
      : SimulateReport.text(seeds: finished, first: first, counts, seconds: elapsed, work: work)
  }

  /// Seconds that cores have worked for this process: of several threads their sum, and less than the
  /// time that passes where other processes take the cores.
  private static var work: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
