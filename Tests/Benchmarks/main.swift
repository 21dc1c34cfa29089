// Prints what a workload costs this library, as lines of JSON: `Tests/bench` runs it beside its peers.
//
//   Benchmarks WORKLOAD TRACES FILES     w1 to w9 of TRACE.md, in memory; build, drag, paced, open-warm, open-cold,
//                                        save, reads, import, collected; tell, join, idle, registration, meeting;
//                                        grow-anchors, grow-spaces, grow-peers
//   Benchmarks make TRACES FILES         the stores that some of them open, where they are not there
//   Benchmarks wait TRACES FILES         the other side of `meeting`
//   Benchmarks table RESULTS             what the lines of a file come to, against the gates
//   Benchmarks pictures RESULTS FOLDER   the same as ratios.svg and growth.svg
//
// TRACES is the directory of the traces; what is written goes to the directory FILES. Exit status 1 when a state is not
// what it has to be.

import Foundation

/// The engine in memory.
func runEngine(_ workload: String, _ directory: String) throws -> [Figures]? {
  var figures = Figures(workload: workload)
  switch workload {
  case "w1": try EditWorkloads.build(directory, &figures)
  case "w2", "w3": try EditWorkloads.edit(workload, directory, &figures)
  case "w4": try SnapshotWorkload.run(directory, &figures)
  case "w5": try DeltaWorkloads.oneWay(directory, &figures)
  case "w6": try LiveWorkload.run(directory, &figures)
  case "w7": try DeltaWorkloads.bothWays(directory, &figures)
  case "w8": try MemoryWorkloads.resident(directory, &figures)
  case "w9": try MemoryWorkloads.deleted(directory, &figures)
  default: return nil
  }
  return [figures]
}

/// Stores, links and growth.
func run(_ workload: String, _ place: Place) async throws -> [Figures] {
  switch workload {
  case "make":
    for store in [LargeStore.longPast, .large] { try store.make(place) }
    return []
  case "build": return try await BuildWorkload.run(place)
  case "drag": return try await DragWorkload.run(place)
  case "paced": return try await PacedWorkload.run(place)
  case "open-warm": return try await OpenWorkload.run(place, isCold: false)
  case "open-cold": return try await OpenWorkload.run(place, isCold: true)
  case "save": return try await SaveWorkload.run(place)
  case "reads": return try await ReadsWorkload.run(place)
  case "import": return try await ImportWorkload.run(place)
  case "collected": return try CollectedWorkload.run(place)
  case "tell": return try await TellWorkload.run(place)
  case "join": return try await JoinWorkload.run(place)
  case "idle": return try await IdleWorkload.run(place)
  case "registration": return try await RegistrationWorkload.run()
  case "meeting": return try await MeetingWorkload.run(place)
  case "wait":
    try await MeetingWorkload.wait(place)
    return []
  case "grow-anchors": return try GrowthWorkloads.anchors(place)
  case "grow-spaces": return try await GrowthWorkloads.spaces(place)
  case "grow-peers": return try GrowthWorkloads.peers()
  default: throw BenchmarkError("there is no workload \(workload); see Tests/Benchmarks/main.swift")
  }
}

func run(_ words: [String]) async throws {
  switch (words.first, words.count) {
  case ("table", 2):
    let results = try Results(file: words[1])
    let tables = [Table(results: results).text, GrowthTable(results: results).text]
    print(tables.filter { !$0.isEmpty }.joined(separator: "\n\n"))
  case ("pictures", 3):
    try Pictures(results: try Results(file: words[1])).write(to: words[2])
  // Processes that `collected` starts.
  case ("collected-make", 4):
    try await CollectedWork.make(
      directory: words[1], anchors: Int(words[2]) ?? 0, isPair: words[3] == "pair")
  case ("collected-open", 2): try await CollectedWork.open(directory: words[1])
  case (let workload?, 3):
    if let figures = try runEngine(workload, words[1]) {
      for figures in figures { print(figures.line) }
      return
    }
    let place = try Place(traces: words[1], files: words[2])
    defer { place.clear() }
    for figures in try await run(workload, place) { print(figures.line) }
  default: throw BenchmarkError("usage: see Tests/Benchmarks/main.swift")
  }
}

do {
  try await run(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("Benchmarks: \(error)\n".utf8))
  exit(1)
}
