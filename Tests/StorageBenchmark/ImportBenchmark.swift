import Foundation
import Hyperbasis

/// Writes a directory as the SDK leaves it, imports it and prints what that took.
struct ImportBenchmark {
  let anchors: Int
  let events: Int
  let root: URL

  func run() async throws {
    let source = root.appendingPathComponent("sdk")
    try write(source)
    let storage = HBStorage(
      config: .local(directory: root.appendingPathComponent("imported")))
    let mine = HBAnchor(spaceId: UUID(), transform: place(0))
    try await storage.save(mine)

    let clock = ContinuousClock()
    let isDone = Flag()
    let edits = Task {
      var samples = Samples()
      while await !isDone.isRaised {
        await samples.measure {
          _ = try! await storage.update(anchorId: mine.id) { anchor in
            anchor.updateMetadata(key: "n", value: .int(Int.random(in: 0..<1_000_000)))
          }
        }
        try? await Task.sleep(for: .milliseconds(5))
      }
      return samples
    }
    let start = clock.now
    let report = try await storage.importSDK(directory: source)
    let first = clock.now
    await isDone.raise()
    let samples = await edits.value
    let again = try await storage.importSDK(directory: source)
    print("first import   \(seconds(first - start))  \(report)")
    print("second import  \(seconds(clock.now - first))  \(again)")
    print("milliseconds                                    median      90%      99%")
    print(samples.row("save of an edit meanwhile, \(samples.milliseconds.count) of them"))
    print("longest of them " + String(format: "%.1f ms", samples.quantile(1)))
    let timeline = clock.now
    let count = try await storage.timeline(spaceId: space).events.count
    print("timeline of \(count) events in \(seconds(clock.now - timeline))")
  }

  private let space = UUID()

  init(anchors: Int, events: Int, root: URL) {
    self.anchors = anchors
    self.events = events
    self.root = root
  }

  private func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return String(format: "%6.2f s", Double(seconds) + Double(attoseconds) / 1e18)
  }

  private func write(_ source: URL) throws {
    let files = FileManager.default
    for folder in ["spaces", "worldmaps", "anchors", "events/\(space.uuidString)"] {
      try files.createDirectory(
        at: source.appendingPathComponent(folder), withIntermediateDirectories: true)
    }
    func put(_ file: String, _ text: String) throws {
      try Data(text.utf8).write(to: source.appendingPathComponent(file))
    }
    try put(
      "spaces/\(space.uuidString).json",
      """
      {"id":"\(space.uuidString)","name":"Large","createdAt":"2025-01-02T03:04:05Z",\
      "updatedAt":"2025-01-02T03:04:05Z","isCompressed":false}
      """)
    try put("worldmaps/\(space.uuidString).bin", "a map")
    let ids = (0..<anchors).map { _ in UUID().uuidString }
    var log = ""
    for number in 0..<events {
      let (id, version) = (ids[number % anchors], number / anchors + 1)
      let type = version == 1 ? "created" : version % 2 == 0 ? "moved" : "updated"
      let transform = type == "updated" ? "" : #","transform":\#(transform(number))"#
      let metadata = type == "moved" ? "" : #","metadata":\#(metadata(number))"#
      log += """
        {"id":"\(UUID().uuidString)","anchorId":"\(id)","spaceId":"\(space.uuidString)",\
        "type":"\(type)","timestamp":"2025-01-02T04:\(String(format: "%02d", version % 60)):00Z",\
        "version":\(version)\(transform)\(metadata)}

        """
    }
    try put("events/\(space.uuidString)/events.jsonl", log)
    for (number, id) in ids.enumerated() {
      try put(
        "anchors/\(id).json",
        """
        {"id":"\(id)","spaceId":"\(space.uuidString)","transform":\(transform(number)),\
        "metadata":\(metadata(number)),"createdAt":"2025-01-02T03:04:05Z",\
        "updatedAt":"2025-01-02T05:04:05Z"}
        """)
    }
  }

  private func transform(_ number: Int) -> String {
    "[1,0,0,0,0,1,0,0,0,0,1,0,\(number % 100),0.5,\(number % 977),1]"
  }

  private func metadata(_ number: Int) -> String {
    #"{"type":"sticky_note","text":"Note \#(number)","color":"yellow","size":3}"#
  }
}

private actor Flag {
  private(set) var isRaised = false

  func raise() {
    isRaised = true
  }
}
