import Foundation
import HyperbasisCore
import HyperbasisSimulator
import Synchronization

/// The rules that a build with `HYPERBASIS_DEFECTS` can break: how many seeds it takes until the lab
/// finds each, and the small case that is left of what it found.
enum Defects {
  private struct Finding: Sendable {
    /// Nil when nothing was found.
    var seed: UInt64?
    /// The rule of the checker that failed.
    var checker = "-"
    var detail: String
    /// Operations and faults of the small case, where one was made.
    var size = ""
    var milliseconds = 0
  }

  /// One child at a time gets its pipe: another would inherit it and hold it open until its own end.
  private static let spawning = Mutex(())

  /// In the place of a rule: none is broken.
  private static let nothing = "nothing"

  /// In the place of a checker: the process ended.
  private static let trap = "a trap"

  /// Of rules that seldom matter, the worlds in which they do.
  private static let knobs = [
    Defect.writesAnewAsOfNow.rawValue: [
      "retention=1/20", "lostTail=1/20", "partition=1/20", "peers=4", "anchors=2",
    ]
  ]

  /// How many worlds may be run to make one case small.
  private static let shrinkingRuns = 200

  /// Breaks each rule in a process of its own, since what is broken may end it, and prints a table.
  /// Returns the exit status: 0 when all were found, and nothing where nothing was broken.
  static func findAll(most: UInt64, folder: String?) -> Int32 {
    guard isPossible else {
      print("this build breaks no rule; it takes one with -Xswiftc -DHYPERBASIS_DEFECTS")
      return 2
    }
    let start = ContinuousClock.now
    let names = Defect.allCases.map(\.rawValue)
    let findings = Mutex<[Finding?]>(Array(repeating: nil, count: names.count))
    DispatchQueue.concurrentPerform(iterations: names.count) { index in
      let finding = findInChild(names[index], most: most, folder: folder)
      findings.withLock { $0[index] = finding }
    }
    let found = findings.withLock { $0.map { $0! } }
    let size = folder == nil ? "" : "case"
    print(row("broken rule", ["seeds", "ms"], "checker", size, "what it says"))
    for (name, finding) in zip(names, found) {
      let seeds = finding.seed.map(String.init) ?? "-"
      print(
        row(
          name, [seeds, String(finding.milliseconds)], finding.checker, finding.size,
          finding.detail))
    }
    let sound = findInChild(nothing, most: 20, folder: nil)
    if let seed = sound.seed {
      print("with no rule broken: seed \(seed): \(sound.checker): \(sound.detail)")
    }
    let missing = found.count { $0.seed == nil }
    let seconds = (ContinuousClock.now - start).components.seconds
    print("\(found.count - missing) of \(found.count) broken rules found in \(seconds) s")
    return missing == 0 && sound.seed == nil ? 0 : 1
  }

  // MARK: In a process of its own

  /// Breaks one rule in this process and runs seeds until it is found. Returns the exit status.
  static func find(_ name: String, most: UInt64, folder: String?) -> Int32 {
    guard name == nothing || Defect(rawValue: name).map(plant) == true, most > 0 else { return 2 }
    for seed in 1...most {
      tell("seed \(seed)")
      let report = Simulation.run(plan(of: seed, for: name))
      guard let failure = report.failure else { continue }
      tell("found \(failure.checker): \(failure.detail)")
      if let folder { save(report, as: name, folder) }
      return 0
    }
    return 1
  }

  /// At once, since a trap would lose what is not written yet.
  private static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line.split(separator: "\n").first! + "\n").utf8))
  }

  /// The case of a seed, made cheaper.
  private static func plan(of seed: UInt64, for name: String) -> SimulationCase {
    guard var options = try? SimulationOptions.drawn(from: seed, with: knobs[name] ?? []) else {
      preconditionFailure("the knobs of \(name) are none")
    }
    options.peers = min(options.peers, 4)
    options.operations = min(options.operations, options.drag == .never ? 120 : 200)
    return SimulationCase(seed: seed, options: options)
  }

  private static func save(_ report: SimulationReport, as name: String, _ folder: String) {
    // A smaller world may end this process: what there is already is kept first.
    save(report.plan, as: name, report.failure!.checker, folder)
    let small = Simulation.shrink(report, runs: shrinkingRuns)
    save(small, as: name, report.failure!.checker, folder)
    tell("size \(small.operationCount)+\(small.faults.count)")
  }

  private static func save(
    _ plan: SimulationCase, as name: String, _ checker: String, _ folder: String
  ) {
    let path = URL(fileURLWithPath: folder).appendingPathComponent("\(name).case")
    let text = "# defect \(name): \(checker)\n" + plan.text
    do { try text.write(to: path, atomically: true, encoding: .utf8) } catch {
      print("\(path.path) cannot be written: \(error)")
    }
  }

  // MARK: The other processes

  private static func findInChild(_ name: String, most: UInt64, folder: String?) -> Finding {
    let start = ContinuousClock.now
    let child = Process()
    child.executableURL = Bundle.main.executableURL
    child.arguments = ["defect", name, String(most)] + (folder.map { [$0] } ?? [])
    child.environment = ["SWIFT_BACKTRACE": "enable=no"]
    var lines: [Substring] = []
    do {
      let output = try spawning.withLock { _ in
        let output = Pipe()
        child.standardOutput = output
        child.standardError = output
        try child.run()
        return output
      }
      let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
      lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    } catch {
      return Finding(detail: "no process: \(error)")
    }
    child.waitUntilExit()
    var finding = finding(in: lines, isTrap: child.terminationReason == .uncaughtSignal)
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    if let folder, let seed = finding.seed, finding.checker == trap {
      save(plan(of: seed, for: name), as: name, trap, folder)
    }
    finding.milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    return finding
  }

  private static func finding(in lines: [Substring], isTrap: Bool) -> Finding {
    func last(_ word: String) -> String? {
      lines.last { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
    }
    let seed = last("seed").flatMap { UInt64($0) }
    if let found = last("found") {
      let parts = found.split(separator: ": ", maxSplits: 1).map(String.init)
      return Finding(seed: seed, checker: parts[0], detail: parts.last!, size: last("size") ?? "")
    }
    if isTrap { return Finding(seed: seed, checker: trap, detail: String(lines.last ?? "")) }
    return Finding(detail: "not found; the last line is: \(lines.last ?? "")")
  }

  private static func row(
    _ name: String, _ numbers: [String], _ checker: String, _ size: String, _ detail: String
  ) -> String {
    func filler(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count))
    }
    let figures = numbers.map { filler($0, 8) + $0 }.joined()
    let what = "  " + checker + filler(checker, 24) + (size.isEmpty ? "" : size + filler(size, 8))
    return name + filler(name, 28) + figures + what + detail.prefix(110)
  }

  #if HYPERBASIS_DEFECTS
    private static let isPossible = true

    private static func plant(_ defect: Defect) -> Bool {
      Defect.planted = defect
      return true
    }
  #else
    private static let isPossible = false

    private static func plant(_ defect: Defect) -> Bool { false }
  #endif
}
