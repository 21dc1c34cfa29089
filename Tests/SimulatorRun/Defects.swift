import Foundation
import HyperbasisCore
import HyperbasisSimulator
import Synchronization

/// The rules that a build with `HYPERBASIS_DEFECTS` can break: how many seeds it takes until the lab
/// finds each.
enum Defects {
  private struct Finding: Sendable {
    /// Nil when nothing was found.
    var seed: UInt64?
    var what: String
    var milliseconds: Int
  }

  /// One child at a time gets its pipe: another would inherit it and hold it open until its own end.
  private static let spawning = Mutex(())

  /// In the place of a rule: none is broken.
  private static let nothing = "nothing"

  /// Breaks each rule in a process of its own, since what is broken may end it, and prints a table.
  /// Returns the exit status: 0 when all were found.
  static func findAll(most: UInt64) -> Int32 {
    guard isPossible else {
      print("this build breaks no rule; it takes one with -Xswiftc -DHYPERBASIS_DEFECTS")
      return 2
    }
    let start = ContinuousClock.now
    let defects = Defect.allCases
    let findings = Mutex<[Finding?]>(Array(repeating: nil, count: defects.count))
    DispatchQueue.concurrentPerform(iterations: defects.count) { index in
      let finding = findInChild(defects[index].rawValue, most: most)
      findings.withLock { $0[index] = finding }
    }
    let found = findings.withLock { $0.map { $0! } }
    print(row("broken rule", "seeds", "ms", "what the lab says"))
    for (defect, finding) in zip(defects, found) {
      let seeds = finding.seed.map(String.init) ?? "-"
      print(row(defect.rawValue, seeds, String(finding.milliseconds), finding.what))
    }
    let sound = findInChild(nothing, most: 20)
    if sound.seed != nil { print("with no rule broken: seed \(sound.seed!): \(sound.what)") }
    let missing = found.count { $0.seed == nil }
    let seconds = (ContinuousClock.now - start).components.seconds
    print("\(found.count - missing) of \(found.count) broken rules found in \(seconds) s")
    return missing == 0 && sound.seed == nil ? 0 : 1
  }

  /// Breaks one rule in this process and runs seeds until it is found. Returns the exit status.
  static func find(_ name: String, most: UInt64) -> Int32 {
    guard name == nothing || Defect(rawValue: name).map(plant) == true else { return 2 }
    for seed in 1...most {
      // At once, since a trap would lose what is not written yet.
      FileHandle.standardOutput.write(Data("seed \(seed)\n".utf8))
      guard let failure = Simulation.run(seed: seed, options: options(of: seed)).failure else {
        continue
      }
      print("found: \(failure.split(separator: "\n")[0])")
      return 0
    }
    return 1
  }

  /// Those of a seed, made cheaper.
  private static func options(of seed: UInt64) -> SimulationOptions {
    var options = SimulationOptions.drawn(from: seed)
    options.peers = min(options.peers, 4)
    options.operations = min(options.operations, options.drag == .never ? 120 : 200)
    return options
  }

  private static func findInChild(_ name: String, most: UInt64) -> Finding {
    let start = ContinuousClock.now
    let child = Process()
    child.executableURL = Bundle.main.executableURL
    child.arguments = ["defect", name, String(most)]
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
      return Finding(what: "no process: \(error)", milliseconds: 0)
    }
    child.waitUntilExit()
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    let milliseconds = Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    let seed = lines.last { $0.hasPrefix("seed ") }.flatMap { UInt64($0.dropFirst(5)) }
    if child.terminationReason == .uncaughtSignal {
      return Finding(
        seed: seed, what: "a trap: \(lines.last ?? "")", milliseconds: milliseconds)
    }
    guard child.terminationStatus == 0, let last = lines.last else {
      return Finding(what: "not found in \(most) seeds", milliseconds: milliseconds)
    }
    return Finding(seed: seed, what: String(last.dropFirst(7)), milliseconds: milliseconds)
  }

  private static func row(
    _ name: String, _ seeds: String, _ milliseconds: String, _ what: String
  ) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let filler = String(repeating: " ", count: max(0, 28 - name.count))
    return "\(name)\(filler)\(padded(seeds, 6))\(padded(milliseconds, 8))  \(what.prefix(150))"
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
