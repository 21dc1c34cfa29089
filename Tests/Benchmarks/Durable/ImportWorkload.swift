import Foundation
import Hyperbasis

/// A directory as the SDK leaves it is imported, while edits of another space go on.
struct ImportWorkload {
  private let anchors = 10_000
  private let events = 100_000
  private let space = UUID()

  static func run(_ place: Place) async throws -> [Figures] {
    try await ImportWorkload().run(place)
  }

  private func run(_ place: Place) async throws -> [Figures] {
    let source = place.fresh("sdk")
    try write(source)
    let storage = HBStorage(config: .local(directory: place.fresh("store")))
    let mine = HBAnchor(spaceId: UUID(), transform: matrix_identity_float4x4)
    try await storage.save(mine)
    let isDone = Flag()
    let edits = Task {
      var samples = Samples()
      while await !isDone.isRaised {
        try await samples.measure {
          _ = try await storage.update(anchorId: mine.id) { anchor in
            anchor.updateMetadata(key: "n", value: .int(Int.random(in: 0..<1_000_000)))
          }
        }
        try await Task.sleep(for: .milliseconds(5))
      }
      return samples
    }
    var figures = Figures(workload: "import")
    try await figures.time("first_s") { _ = try await storage.importSDK(directory: source) }
    await isDone.raise()
    let samples = try await edits.value
    figures.set("save", samples)
    figures.set("save_longest_s", samples.quantile(1))
    try await figures.time("again_s") { _ = try await storage.importSDK(directory: source) }
    let count = try await figures.time("timeline_s") {
      try await storage.timeline(spaceId: space).events.count
    }
    figures.set("events", count)
    return [figures]
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
