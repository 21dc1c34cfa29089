import HyperbasisSimulator

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Runs seeds without the test library, for the CI gates and for long runs in release mode.
//
//     SimulatorRun trace SEED         prints `trace <hash>`
//     SimulatorRun run FIRST LAST [KNOB=VALUE ...]
//                                     prints each failure, then how many seeds ran; knobs replace
//                                     what a seed draws
//     SimulatorRun fresh SECONDS [FIRST]
//                                     runs seeds from FIRST on, or such as nobody ran before, for so
//                                     long or until one fails
//     SimulatorRun exhaustive [N]     explores all small worlds of up to N changes (6), and prints
//                                     how many there are of each kind
//     SimulatorRun defects [MOST] [--save DIR]
//                                     prints for each rule that a build with HYPERBASIS_DEFECTS can
//                                     break how many seeds (300 at most) it took until that was
//                                     found; writes a small case of each to DIR/DEFECT.case

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.dropFirst().compactMap { UInt64($0) }

switch (arguments.first, numbers.count) {
case ("trace", 1):
  print("trace \(Simulation.run(seed: numbers[0]).traceHash)")
case ("run", 2) where numbers[0] <= numbers[1]:
  var failures = 0
  var edits = 0
  for seed in numbers[0]...numbers[1] {
    let options: SimulationOptions
    do {
      options = try SimulationOptions.drawn(from: seed, with: Array(arguments.dropFirst(3)))
    } catch {
      print(error)
      exit(2)
    }
    let report = Simulation.run(seed: seed, options: options)
    edits += report.counts.edits
    guard report.failure != nil else { continue }
    failures += 1
    print(report)
  }
  print("\(numbers[1] - numbers[0] + 1) seeds, \(edits) edits, \(failures) failures")
  exit(failures == 0 ? 0 : 1)
case ("fresh", 1...2):
  let first = numbers.dropFirst().first ?? .random(in: 1 << 32..<1 << 62)
  let end = ContinuousClock.now + .seconds(Int(numbers[0]))
  var seed = first
  var counts = SimulationReport.Counts()
  while ContinuousClock.now < end {
    let report = Simulation.run(seed: seed)
    counts.add(report.counts)
    if report.failure != nil {
      let end = ContinuousClock.now + .seconds(60)
      let small = Simulation.shrink(report) { ContinuousClock.now < end }
      print(report, "smallest case in a minute, to be kept:", small.text, separator: "\n")
      exit(1)
    }
    seed += 1
  }
  print(
    "\(seed - first) fresh seeds from \(first): \(counts.operations) operations, "
      + "\(counts.applications) applied by other peers, 0 failures")
case ("exhaustive", 0...1):
  var hasFailed = false
  Exhaustive.explore(operations: Int(numbers.first ?? 6)) { line in
    print(line)
    fflush(nil)
    hasFailed = hasFailed || line.hasPrefix("failure")
  }
  exit(hasFailed ? 1 : 0)
case ("defects", _):
  let words = Array(arguments.dropFirst())
  let folder = words.firstIndex(of: "--save").flatMap { words.dropFirst($0 + 1).first }
  exit(Defects.findAll(most: words.first.flatMap { UInt64($0) } ?? 300, folder: folder))
case ("defect", _) where arguments.count >= 3 && !numbers.isEmpty:
  let words = Array(arguments.dropFirst())
  exit(Defects.find(words[0], most: numbers[0], folder: words.dropFirst(2).first))
default:
  print(
    """
    usage: SimulatorRun trace SEED | run FIRST LAST | fresh SECONDS [FIRST] | exhaustive [OPERATIONS] \
    | defects [MOST] [--save DIR]
    """)
  exit(2)
}
