// Prints what a workload of TRACE.md costs this library, as one line of JSON: `Tests/bench` runs it beside its peers.
//
//   Benchmarks WORKLOAD DIRECTORY     w1 to w9, with the traces of that directory
//   Benchmarks table FILE             what the lines of a file come to, against the gates
//
// The engine is in memory and keeps the latest only. Exit status 1 when a state is not what it has to be.

import Foundation

func run(_ words: [String]) throws {
  guard words.count == 2 else {
    throw BenchmarkError("usage: Benchmarks w1...w9 DIRECTORY, or Benchmarks table FILE")
  }
  if words[0] == "table" { return print(try Table(file: words[1]).text) }
  let directory = words[1]
  var figures = Figures(workload: words[0])
  switch words[0] {
  case "w1": try EditWorkloads.build(directory, &figures)
  case "w2", "w3": try EditWorkloads.edit(words[0], directory, &figures)
  case "w4": try SnapshotWorkload.run(directory, &figures)
  case "w5": try DeltaWorkloads.oneWay(directory, &figures)
  case "w6": try LiveWorkload.run(directory, &figures)
  case "w7": try DeltaWorkloads.bothWays(directory, &figures)
  case "w8": try MemoryWorkloads.resident(directory, &figures)
  case "w9": try MemoryWorkloads.deleted(directory, &figures)
  default: throw BenchmarkError("there is no workload \(words[0]); there are w1 to w9")
  }
  print(figures.line)
}

do {
  try run(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("Benchmarks: \(error)\n".utf8))
  exit(1)
}
