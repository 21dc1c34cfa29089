import HyperbasisSimulator

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Runs seeds without the test library, for the CI gates and for long runs in release mode.
//
//     SimulatorRun trace SEED         prints `trace <hash>`
//     SimulatorRun run FIRST LAST     prints each failure, then how many seeds ran
//     SimulatorRun defects [MOST]     prints for each rule that a build with HYPERBASIS_DEFECTS can
//                                     break how many seeds it took until that was found

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.dropFirst().compactMap { UInt64($0) }

switch (arguments.first, numbers.count) {
case ("trace", 1):
  print("trace \(Simulation.run(seed: numbers[0]).traceHash)")
case ("run", 2) where numbers[0] <= numbers[1]:
  var failures = 0
  var edits = 0
  for seed in numbers[0]...numbers[1] {
    let report = Simulation.run(seed: seed)
    edits += report.counts.edits
    guard report.failure != nil else { continue }
    failures += 1
    print(report)
  }
  print("\(numbers[1] - numbers[0] + 1) seeds, \(edits) edits, \(failures) failures")
  exit(failures == 0 ? 0 : 1)
case ("defects", 0), ("defects", 1):
  exit(Defects.findAll(most: numbers.first ?? 300))
case ("defect", 1) where arguments.count == 3:
  exit(Defects.find(arguments.dropFirst().first!, most: numbers[0]))
default:
  print("usage: SimulatorRun trace SEED | run FIRST LAST | defects [MOST]")
  exit(2)
}
