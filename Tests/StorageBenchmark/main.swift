// Prints what saves and loads cost: `Tests/benchmark` runs it in release mode.
//
//   StorageBenchmark [EVENTS]
//   StorageBenchmark import
//   StorageBenchmark collected [ANCHORS]
//
// EVENTS (1,000,000) past events over 10,000 anchors are made first, by single saves that share disk
// writes. Then saves in that space and in an empty one take turns, so that both meet the same disk.
//
// `collected` measures what a store takes once ANCHORS (100,000) anchors were made and all but 100 were deleted and
// given up.
//
// `import` measures the import of an SDK directory of 10,000 anchors and 100,000 events.

import Foundation
import Hyperbasis

let events = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 1_000_000
let anchorCount = 10_000
let rounds = 1_000

let root = FileManager.default.temporaryDirectory
  .appendingPathComponent("hyperbasis-benchmark-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: root) }

func place(_ x: Int) -> simd_float4x4 {
  var matrix = matrix_identity_float4x4
  matrix.columns.3 = SIMD4(Float(x % 100), 0.5, Float(x / 100), 1)
  return matrix
}

func storage(_ name: String) -> HBStorage {
  HBStorage(config: .local(directory: root.appendingPathComponent(name)))
}

struct Samples {
  var milliseconds: [Double] = []
  /// Of all threads of this process: where the machine is busy with others, this says more.
  var processorMilliseconds: [Double] = []

  mutating func measure(_ body: () async throws -> Void) async rethrows {
    let (start, processorStart) = (ContinuousClock.now, clock())
    try await body()
    processorMilliseconds.append(Double(clock() - processorStart) * 1e3 / Double(CLOCKS_PER_SEC))
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    milliseconds.append(Double(seconds) * 1e3 + Double(attoseconds) / 1e15)
  }

  func quantile(_ share: Double, of samples: KeyPath<Samples, [Double]> = \.milliseconds) -> Double
  {
    let sorted = self[keyPath: samples].sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  func row(_ name: String) -> String {
    let processor = quantile(0.5, of: \.processorMilliseconds)
    let numbers = [quantile(0.5), quantile(0.9), quantile(0.99), processor]
      .map { String(format: "%9.3f", $0) }
    return name.padding(toLength: 44, withPad: " ", startingAt: 0) + numbers.joined()
  }
}

func note(_ space: UUID, _ number: Int) -> HBAnchor {
  HBAnchor(
    spaceId: space, transform: place(number),
    metadata: [
      "type": "sticky_note", "text": .string("Note \(number)"), "color": "yellow",
      "size": 3.0,
    ])
}

/// Fills a space with anchors and a history of edits.
func fill(_ storage: HBStorage, _ space: UUID) async throws -> [HBAnchor] {
  var anchors = (0..<anchorCount).map { note(space, $0) }
  let first = anchors
  for start in stride(from: 0, to: anchorCount, by: 1_000) {
    try await storage.transaction(spaceId: space) { space in
      for anchor in first[start..<start + 1_000] { try space.save(anchor) }
    }
  }
  // Tasks at once, so that their saves share disk writes.
  var made = anchorCount
  while made < events {
    let count = min(anchorCount, events - made)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        if index % 2 == 0 {
          anchors[index].update(transform: place(made + index))
        } else {
          anchors[index].updateMetadata(key: "text", value: .string("Edit \(made + index)"))
        }
        let anchor = anchors[index]
        if index >= 2_000 { try await group.next() }
        group.addTask { try await storage.save(anchor) }
      }
      try await group.waitForAll()
    }
    made += count
    if made % 100_000 == 0 { print("\(made) of \(events) events") }
  }
  return anchors
}

/// What loads of all anchors cost, by what happened before.
struct Loads {
  var count = 0
  var (first, again, afterOne, afterAll) = (Samples(), Samples(), Samples(), Samples())
  /// Saves of an edit that follow a load.
  var saves = Samples()

  init(of space: UUID, in storage: HBStorage) async throws {
    let load: () async throws -> [HBAnchor] = { try await storage.loadAnchors(spaceId: space) }
    var anchors: [HBAnchor] = []
    await first.measure { anchors = try! await load() }
    count = anchors.count
    for _ in 0..<40 { await again.measure { anchors = try! await load() } }
    for round in 0..<20 {
      anchors[round].update(transform: place(round))
      let edited = anchors[round]
      await saves.measure { try! await storage.save(edited) }
      await afterOne.measure { anchors = try! await load() }
    }
    for round in 0..<5 {
      let all = anchors.map { anchor in
        var edited = anchor
        edited.updateMetadata(key: "text", value: .string("Round \(round)"))
        return edited
      }
      for start in stride(from: 0, to: all.count, by: 1_000) {
        try await storage.transaction(spaceId: space) { space in
          for anchor in all[start..<min(start + 1_000, all.count)] { try space.save(anchor) }
        }
      }
      await afterAll.measure { anchors = try! await load() }
    }
  }

  func printRows() {
    print(first.row("the first loadAnchors of \(count)"))
    print(again.row("loadAnchors of \(count)"))
    print(afterOne.row("loadAnchors after an edit"))
    print(afterAll.row("loadAnchors after an edit of each anchor"))
    print(saves.row("save of an edit after loadAnchors"))
  }
}

func run() async throws {
  let (empty, full) = (storage("empty"), storage("full"))
  let (emptySpace, fullSpace) = (HBSpace(name: "empty"), HBSpace(name: "full"))
  try await empty.save(emptySpace)
  try await full.save(fullSpace)
  var anchors = try await fill(full, fullSpace.id)
  var single = note(emptySpace.id, 0)
  try await empty.save(single)

  var (emptyEdits, fullEdits, emptyNew, fullNew) = (Samples(), Samples(), Samples(), Samples())
  var generator = SystemRandomNumberGenerator()
  for round in 0..<rounds {
    let index = Int.random(in: 0..<anchorCount, using: &generator)
    anchors[index].update(transform: place(round))
    single.update(transform: place(round))
    let (edited, alone) = (anchors[index], single)
    await emptyEdits.measure { try! await empty.save(alone) }
    await fullEdits.measure { try! await full.save(edited) }
    let (new, newInFull) = (note(emptySpace.id, round), note(fullSpace.id, round))
    if round % 4 == 0 {
      await emptyNew.measure { try! await empty.save(new) }
      try await empty.deleteAnchor(id: new.id)
      await fullNew.measure { try! await full.save(newInFull) }
      try await full.deleteAnchor(id: newInFull.id)
    }
  }
  let loads = try await Loads(of: fullSpace.id, in: full)
  print("milliseconds                                    median      90%      99%  processor")
  print(emptyEdits.row("save of an edit, empty space"))
  print(fullEdits.row("save of an edit, \(anchorCount) anchors, \(events) events"))
  print(emptyNew.row("save of a new anchor, empty space"))
  print(fullNew.row("save of a new anchor, \(anchorCount) anchors"))
  loads.printRows()
  let ratio = { (full: Samples, empty: Samples) in
    String(format: "%.2f", full.quantile(0.5) / empty.quantile(0.5))
  }
  print(
    "ratio of the medians: edits \(ratio(fullEdits, emptyEdits)), new \(ratio(fullNew, emptyNew))")
}

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "import": try await ImportBenchmark(anchors: anchorCount, events: 100_000, root: root).run()
case "collected":
  try CollectedBenchmark(anchors: words.dropFirst().first.flatMap(Int.init) ?? 100_000, root: root)
    .run()
case "collected-make":
  try await CollectedWork.make(
    directory: words[1], anchors: Int(words[2])!, isPair: words[3] == "pair")
case "collected-open": try await CollectedWork.open(directory: words[1])
default: try await run()
}
