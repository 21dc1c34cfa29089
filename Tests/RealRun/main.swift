import Hyperbasis
import HyperbasisCore
import HyperbasisSimulator

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

// What Tests/Lab/faults.sh asks of Swift: the plan of a run, and the verdict.
//
//     RealRun plan DIR SECONDS seed SEED HOSTS [KNOB=VALUE...]
//                                                writes DIR/case and the plan of a seed
//     RealRun plan DIR SECONDS case FILE         the same of a case file of the simulator
//     RealRun check DIR SECONDS HOST=STORE...    checks the stores of the peers, which have stopped,
//                                                against DIR/case and DIR/log
//
// Exit status: 0 done, 1 a rule was broken, 2 the call was wrong.

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 4, let seconds = Int(arguments[2]), (1...86_400).contains(seconds) else {
  fail(
    "usage: plan DIR SECONDS seed SEED HOSTS | plan DIR SECONDS case FILE | check DIR SECONDS ...")
}
let directory = arguments[1]
switch (arguments[0], arguments[3], arguments.count) {
case ("plan", "seed", 6...):
  guard let seed = UInt64(arguments[4]), let hosts = Int(arguments[5]), (2...16).contains(hosts)
  else { fail("a seed is a number, and there are 2 to 16 hosts") }
  let knobs = Array(arguments.dropFirst(6))
  guard let drawn = RealCase.drawn(seed: seed, hosts: hosts, seconds: seconds, knobs: knobs) else {
    fail("no such options: \(knobs.joined(separator: " "))")
  }
  write(drawn)
case ("plan", "case", 5):
  write(read(arguments[4]))
case ("check", _, _):
  exit(check(stores: arguments.dropFirst(3)) ? 0 : 1)
default: fail("an unknown call: \(arguments.joined(separator: " "))")
}

func read(_ path: String) -> SimulationCase {
  guard let text = Files.read(path) else { fail("'\(path)' cannot be read") }
  do { return try SimulationCase(text: text) } catch { fail("'\(path)': \(error)") }
}

/// Writes the case, and the plan as the lab reads it: words end with a zero byte.
func write(_ found: SimulationCase) {
  let plan = RealPlan(found, seconds: seconds, directory: directory)
  for part in ["words", "files", "errors"] { Files.makeDirectory("\(directory)/\(part)") }
  Files.write(found.text.utf8, to: "\(directory)/case")
  for command in plan.commands {
    let words = command.words.map { $0 + "\0" }.joined()
    Files.write(words.utf8, to: "\(directory)/words/\(command.number)")
    if let file = command.file { Files.write(file, to: "\(directory)/files/\(command.number)") }
  }
  for host in 0..<plan.hosts {
    let lines = plan.commands.filter { $0.host == host }
      .map { "\($0.milliseconds) \($0.number) \(seconds3($0.patience))\n" }
    Files.write(lines.joined().utf8, to: "\(directory)/commands.host\(host + 1)")
  }
  let faults = plan.faults.events.map { "\($0.milliseconds) \($0.words)\n" }
  Files.write(faults.joined().utf8, to: "\(directory)/faults")
  Files.write(plan.spaceIDs.map { "\($0)\n" }.joined().utf8, to: "\(directory)/spaces")
  Files.write("\(plan.hosts)\n".utf8, to: "\(directory)/hosts")
}

/// Milliseconds as seconds, such as `0.070`.
func seconds3(_ milliseconds: Int) -> String {
  let rest = String(milliseconds % 1_000 + 1_000).dropFirst()
  return "\(milliseconds / 1_000).\(rest)"
}

/// Prints what was found, then figures; whether all is well.
func check(stores: ArraySlice<String>) -> Bool {
  let plan = RealPlan(read("\(directory)/case"), seconds: seconds, directory: directory)
  guard let log = RunLog(directory: directory) else { fail("the log cannot be read") }
  var peers: [StoppedPeer] = []
  for word in stores {
    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { fail("'\(word)' is not HOST=STORE") }
    do { peers.append(try StoreReader.peer(name: parts[0], directory: parts[1])) } catch {
      print("\(parts[0]): the store cannot be loaded: \(error)")
      return false
    }
  }
  guard peers.count == plan.hosts else { fail("\(peers.count) stores of \(plan.hosts) hosts") }
  var calls = CallChecker(plan, log, peers)
  calls.check()
  let faults = StoppedPeerCheckers.faults(in: peers) + digestFaults(of: peers) + calls.faults
  for fault in faults { print(fault) }
  printFigures(plan, log, calls)
  return faults.isEmpty
}

/// The digests that the command printed while the peers ran, against those of their stores.
func digestFaults(of peers: [StoppedPeer]) -> [String] {
  peers.compactMap { peer in
    let text = Files.read("\(directory)/digest.\(peer.name)") ?? ""
    let told = text.split(separator: "\n").compactMap { line -> String? in
      guard case .object(let object)? = try? JSON.parse(Array(line.utf8)),
        case .string(let digest)? = object["digest"]
      else { return nil }
      return digest
    }
    let held = peer.states.map { "\($0.digest)" }
    return told.sorted() == held.sorted()
      ? nil : "\(peer.name): reload: the digests were \(told), the store has \(held)"
  }
}

func printFigures(_ plan: RealPlan, _ log: RunLog, _ calls: CallChecker) {
  func list(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
  print(
    "calls: \(log.calls.count) of \(plan.commands.count): \(log.count(.acknowledged)) acknowledged "
      + "(\(calls.withoutEffect) without effect), \(log.count(.refused)) refused, "
      + "\(log.count(.unknown)) unknown; \(calls.changes.count) changes")
  print("faults: \(list(plan.faults.counts))")
  print("done: \(list(log.deeds))")
  if !plan.skipped.isEmpty { print("skipped: \(list(plan.skipped))") }
}
