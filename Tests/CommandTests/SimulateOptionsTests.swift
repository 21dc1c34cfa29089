import HyperbasisSimulator
import Testing

@testable import HyperbasisCommand

/// What `hyperbasis simulate` is told, and what it refuses by name.
@Suite struct SimulateOptionsTests {
  private func options(_ words: String...) throws -> SimulateOptions {
    let task = try Invocation(["simulate"] + words).task
    guard case .simulate(let options) = task else { throw UsageError("another command") }
    return options
  }

  private func refusal(_ words: String...) -> String? {
    #expect(throws: UsageError.self) { try Invocation(["simulate"] + words) }?.description
  }

  @Test(arguments: ["", ",", "cut,", "cut,,crash", " "])
  func `an empty word in a list of faults is refused, with the words there are`(list: String) {
    let text = refusal("--faults", list)
    #expect(text?.contains("is no fault; there are none, swarm, cut, crash, ") == true)
  }

  @Test func `lists of faults`() throws {
    #expect(try options("--faults", "swarm").knobs.isEmpty)
    #expect(try options("--faults", "none").knobs.count == Fault.Kind.allCases.count)
    let knobs = try options("--faults", "cut,crash=1/7").knobs
    #expect(knobs.suffix(2) == ["cut=1/30", "crash=1/7"])
  }

  @Test func `numbers that are too large are refused by name`() {
    #expect(refusal("--trace", "1000001") == "--trace is at most 1000000")
    #expect(
      refusal("--trace", "99999999999999999999")
        == "--trace \"99999999999999999999\" is no whole number")
    #expect(refusal("--trace", "-1") == "--trace \"-1\" is no whole number")
    #expect(refusal("--seconds", "99999999999") == "--seconds is at most 31536000")
    #expect(refusal("--shrink-seconds", "99999999999") == "--shrink-seconds is at most 31536000")
    #expect(refusal("--jobs", "257") == "--jobs is not from 1 to 256")
    #expect(
      refusal("--options", "delay=1...9223372036854775807")
        == "\"delay=1...9223372036854775807\": the value of delay is a range such as 1...30, "
        + "of numbers from 1 to 1000")
  }

  @Test func `worlds in which no engine could keep its promises are refused`() {
    #expect(
      refusal("--options", "batchBytes=0")?.hasSuffix("a number of bytes, at least 1") == true)
    #expect(
      refusal("--peers", "16", "--options", "delay=1...600")
        == "\"delay=1...600\": with 16 peers delay and commitDelay together are at most 500 ms: an edit "
        + "has to pass all of them in 8000 ms")
    #expect(
      refusal("--peers", "16", "--options", "delay=1...100 commitDelay=0...600")?
        .hasPrefix("\"commitDelay=0...600\": with 16 peers") == true)
  }

  @Test func `what a file says is not said again`() {
    #expect(refusal("--replay", "a.case", "--save", "b.case")?.hasSuffix("without --save") == true)
    #expect(refusal("--replay", "a.case", "--jobs", "2")?.hasSuffix("without --jobs") == true)
    #expect(refusal("--replay", "a.case", "--seed", "2") == "--replay has its own seed and options")
  }

  @Test func `a knob is given once`() throws {
    #expect(refusal("--options", "peers=3 peers=4") == "peers is given twice")
    #expect(refusal("--peers", "3", "--options", "peers=4") == "peers is given twice")
    #expect(refusal("--faults", "cut=1/20,cut=1/30") == "cut is given twice")
    #expect(
      try options("--faults", "none", "--options", "cut=1/2").options(of: 1).faults[.cut].part == 1)
  }

  @Test func `a call that is wrong is told apart from a rule that is broken`() throws {
    let missing = try options("--replay", "/nonexistent/a.case")
    #expect(throws: UsageError.self) { try SimulateCommand(options: missing, isJSON: false).run() }
    let folder = try options("--seed", "1", "--save", "/")
    #expect(throws: UsageError.self) { try SimulateCommand(options: folder, isJSON: false).run() }
    let trace = try options("--seed", "1", "--trace", "2")
    #expect(throws: UsageError.self) { try SimulateCommand(options: trace, isJSON: true).run() }
  }

  @Test func `a world that is too large is refused with the knob that is best lowered`() {
    #expect(
      refusal("--peers", "64", "--options", "spaces=16 topology=full")
        == "\"spaces=16\": 64 peers with the topology full share at most 1")
    #expect(
      refusal("--peers", "64", "--operations", "100000")
        == "\"operations=100000\": 64 peers are asked for at most 3125")
    #expect(
      refusal("--operations", "10000", "--options", "peers=2 operationGap=0...3600000")?.contains(
        "with 10000 operations a gap is at most 1677 ms") == true)
  }

  /// What is not named gives way, so that every seed has a world.
  @Test(arguments: [
    ["--peers", "64"], ["--operations", "100000"], ["--options", "spaces=16"],
    ["--options", "spaces=16 peers=64"], ["--options", "largeValues=1/1"],
    ["--options", "operationGap=0...3600000"],
  ])
  func `large knobs are kept, and others are lowered, with any seed`(words: [String]) throws {
    let options = try Invocation(["simulate"] + words).task
    guard case .simulate(let options) = options else { return }
    for seed in 1...40 as ClosedRange<UInt64> {
      let drawn = options.options(of: seed)
      for knob in options.knobs { #expect(drawn.description.contains(knob)) }
      #expect(SimulationOptions(drawn.description) == drawn)
    }
  }
}
