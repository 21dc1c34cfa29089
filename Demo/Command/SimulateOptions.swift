import HyperbasisSimulator

/// What `hyperbasis simulate` was told.
struct SimulateOptions {
  /// Run this one file.
  var replay: String?
  /// The first seed; nil for a fresh one.
  var seed: UInt64?
  /// How many seeds; nil for one, or for as many as fit into `seconds`.
  var seeds: Int?
  var seconds: Int?
  var jobs = 1
  /// Words that replace knobs of the options that each seed draws.
  var knobs: [String] = []
  /// Worlds that shrinking may run.
  var shrinkRuns = 500
  /// Seconds after which no more of them are begun.
  var shrinkSeconds = 60
  /// Where the smallest failing case is written.
  var save: String?
  /// Print the last lines of the trace.
  var traceLines = 0

  /// - Throws: `UsageError`.
  init(_ words: Words) throws(UsageError) {
    replay = try words.value("--replay")
    seed = try SimulateOptions.number(words, "--seed")
    seeds = try SimulateOptions.number(words, "--seeds")
    seconds = try SimulateOptions.number(words, "--seconds")
    jobs = try SimulateOptions.number(words, "--jobs") ?? jobs
    shrinkRuns = try SimulateOptions.number(words, "--shrink") ?? shrinkRuns
    shrinkSeconds = try SimulateOptions.number(words, "--shrink-seconds") ?? shrinkSeconds
    traceLines = try SimulateOptions.number(words, "--trace") ?? traceLines
    save = try words.value("--save")
    for (option, knob) in [("--peers", "peers"), ("--operations", "operations")] {
      if let value = try words.value(option) { knobs.append("\(knob)=\(value)") }
    }
    if let text = try words.value("--faults") { knobs += try SimulateOptions.faults(text) }
    var named = knobs.filter { !$0.hasSuffix("=0/1") }
    for text in words.values("--options") {
      knobs += text.split(separator: " ").map(String.init)
      named += text.split(separator: " ").map(String.init)
    }
    try SimulateOptions.checkOnce(named)
    do { _ = try SimulationOptions.drawn(from: seed ?? 0, with: knobs) } catch {
      throw UsageError("\(error)", help: "hyperbasis simulate --help")
    }
    for (name, number) in [("--seeds", seeds), ("--seconds", seconds)] where number == 0 {
      throw UsageError("\(name) is at least 1")
    }
    for (name, number) in [("--seconds", seconds ?? 1), ("--shrink-seconds", shrinkSeconds)]
    where number > SimulateOptions.mostSeconds {
      throw UsageError("\(name) is at most \(SimulateOptions.mostSeconds)")
    }
    guard traceLines <= 1_000_000 else { throw UsageError("--trace is at most 1000000") }
    guard (1...256).contains(jobs) else { throw UsageError("--jobs is not from 1 to 256") }
    guard replay == nil || seed == nil && knobs.isEmpty else {
      throw UsageError("--replay has its own seed and options")
    }
    let ofSeeds = ["--seeds", "--seconds", "--jobs", "--save", "--shrink", "--shrink-seconds"]
    for name in ofSeeds where replay != nil {
      guard try words.value(name) == nil else {
        throw UsageError("--replay runs one case as it is, without \(name)")
      }
    }
  }

  /// A year.
  private static let mostSeconds = 31_536_000

  /// The options of one seed: drawn from it, with the knobs that were named in place.
  func options(of seed: UInt64) -> SimulationOptions {
    do { return try SimulationOptions.drawn(from: seed, with: knobs) } catch {
      preconditionFailure("what is wrong is so with every seed: \(error)")
    }
  }

  /// `none`, `swarm`, or kinds with or without a ratio: `cut,crash=1/20`.
  private static func faults(_ text: String) throws(UsageError) -> [String] {
    if text == "swarm" { return [] }
    var knobs = Fault.Kind.allCases.map { "\($0.rawValue)=0/1" }
    if text == "none" { return knobs }
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = String(word.prefix { $0 != "=" })
      guard Fault.Kind(rawValue: name) != nil else {
        let kinds = Fault.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError(
          "'\(name.printable)' is no fault; there are none, swarm, \(kinds)",
          help: "hyperbasis simulate --help")
      }
      knobs.append(word.contains("=") ? String(word) : "\(name)=1/30")
    }
    return knobs
  }

  /// Each knob is named once; `--faults none` with one fault in `--options` is no contradiction.
  private static func checkOnce(_ words: [String]) throws(UsageError) {
    var seen: Set<Substring> = []
    for word in words where !seen.insert(word.prefix { $0 != "=" }).inserted {
      throw UsageError(
        "\(word.prefix { $0 != "=" }) is given twice", help: "hyperbasis simulate --help")
    }
  }

  private static func number<Number: FixedWidthInteger>(
    _ words: Words, _ name: String
  ) throws(UsageError) -> Number? {
    guard let text = try words.value(name) else { return nil }
    guard let number = Number(text), number >= 0 else {
      throw UsageError("\(name) \(text.shown) is no whole number")
    }
    return number
  }
}
