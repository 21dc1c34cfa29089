import HyperbasisSimulator
import Testing

/// Files of cases, and texts of options, as they come from elsewhere.
@Suite struct CaseTextTests {
  private func refusal(_ text: String) -> String? {
    #expect(throws: SimulationCaseError.self) { try SimulationCase(text: text) }?.description
  }

  @Test func `blank lines and comments are left out, wherever they stand`() throws {
    let plan = SimulationCase(seed: 3)
    let lines = plan.text.split(separator: "\n").map(String.init)
    for blank in ["", "   ", "\t", "# a comment", "#"] {
      let text = "\(blank)\n" + lines.map { "\($0)\n\(blank)\n" }.joined()
      #expect(try SimulationCase(text: text) == plan)
    }
    #expect(refusal("\n\n \nseed x\n") == "line 4 of the case cannot be read: \"seed x\"")
  }

  @Test func `lines may end as those of Windows do`() throws {
    let plan = SimulationCase(seed: 3)
    let lines = plan.text.split(separator: "\n").map(String.init)
    #expect(try SimulationCase(text: lines.map { $0 + "\r\n" }.joined()) == plan)
    #expect(refusal("seed 7\r\n\r\nwhat\r\n") == "line 3 of the case cannot be read: \"what\"")
  }

  @Test func `a bad line is cut, and does not disturb a terminal`() {
    let line = "\u{1B}[2J\u{7}\u{202E}" + String(repeating: "x", count: 100_000)
    let text = refusal("seed 7\n\(line)\n")
    let shown = "\\u{1B}[2J\\u{7}\\u{202E}" + String(repeating: "x", count: 74) + "…"
    #expect(text == "line 2 of the case cannot be read: \"\(shown)\"")
  }

  @Test func `a knob of a case that is wrong, or too large beside the others, is named`() {
    #expect(
      refusal("seed 7\noptions peers=64 spaces=16\n")?.hasSuffix(
        ": \"spaces=16\": 64 peers with the topology full share at most 1") == true)
    #expect(
      refusal("seed 7\noptions peers=1")?.hasSuffix(": the value of peers is 2 to 64") == true)
  }

  @Test func `a case that takes too long is refused`() throws {
    let options = "seed 7\noptions peers=64 operations=100 operationGap=0...1300\n"
    #expect(try SimulationCase(text: options + "fault 133152 cut 1 1\n").faults.count == 1)
    #expect(
      refusal(options + "fault 133153 cut 1 1\n")?.hasSuffix(
        "\"133153 ms\": with 64 peers a course has at most 133152 ms") == true)
    #expect(
      refusal("seed 7\noptions peers=64 operations=100 operationGap=0...1400\n")?.hasSuffix(
        "with 100 operations a gap is at most 1331 ms: a course has at most 133152 ms") == true)
  }

  @Test func `a case has so many faults and no more`() throws {
    let head = "seed 7\noptions peers=2\n"
    let faults = String(repeating: "fault 5 cut 1 1\n", count: 10_000)
    #expect(try SimulationCase(text: head + faults).faults.count == 10_000)
    #expect(
      refusal(head + faults + "fault 5 cut 1 1\n")?.hasSuffix(
        ": a world has at most 10000 faults") == true)
    let options = try? SimulationOptions(text: "cut=1/1 crash=1/1 operationGap=60000...120000")
    let drawn = SimulationCase(seed: 1, options: options)
    #expect(drawn.faults.count == 10_000)
    #expect(try SimulationCase(text: drawn.text) == drawn)
  }

  @Test(arguments: [
    "delay=1...9223372036854775807", "delay=1..30", "delay=1.30", "delay=...30", "delay=1...",
    "delay=30...1", "delay=-1...30", "delay=1...99999999999999999999", "operationGap=0...3600001",
    "commitDelay=0...3600001", "transactionActions=1...257", "transactionActions=0...1",
    "operations=100001", "anchors=0", "crumbs=2/1", "crumbs=1/0", "crumbs=-1/2", "crumbs=1/2/3",
  ])
  func `values that no world can have are refused`(word: String) {
    #expect(throws: SimulationOptionsError.self) { try SimulationOptions(text: word) }
  }

  @Test func `the largest numbers that are legal do no harm`() throws {
    let most = Int.max
    let options = try SimulationOptions(
      text: "peers=2 operations=20 batchBytes=\(most) recentBytes=\(most) arrival=\(most) "
        + "crumbs=\(most)/\(most) past=1/\(most) largeValues=1/\(most)")
    let report = Simulation.run(seed: 1, options: options)
    #expect(report.failure == nil, "\(report)")
  }
}
