import Foundation
import Hyperbasis

/// What a space with retention `latest` takes in which many anchors were made and deleted, beside one that only ever
/// had those that are left: bytes of the store's files and resident memory, each of a process of its own.
enum CollectedWorkload {
  static let left = 100
  private static let anchors = 100_000

  /// Runs this program once for each figure.
  static func run(_ place: Place) throws -> [Figures] {
    var figures = Figures(workload: "collected")
    for kind in ["alone", "pair"] {
      let few = try processes(place, "few-\(kind)", anchors: left)
      let many = try processes(place, "many-\(kind)", anchors: anchors)
      for (name, few, many) in [("", few.made, many.made), ("opened_", few.opened, many.opened)] {
        let prefix = "\(kind)_\(name)"
        figures.set(prefix + "few_files_bytes", few[0])
        figures.set(prefix + "files_bytes", many[0])
        figures.set(prefix + "few_rss", few[1] * 1_024)
        figures.set(prefix + "rss", many[1] * 1_024)
        figures.set(prefix + "files_ratio", Double(many[0]) / Double(few[0]))
        figures.set(prefix + "memory_ratio", Double(many[1]) / Double(few[1]))
      }
    }
    return [figures]
  }

  /// Of the process that makes the anchors, and of one that opens the store afterwards.
  private static func processes(
    _ place: Place, _ name: String, anchors: Int
  ) throws -> (made: [Int], opened: [Int]) {
    let directory = place.fresh(name).path
    let kind = name.hasSuffix("pair") ? "pair" : "alone"
    return (
      made: try child(["collected-make", directory, "\(anchors)", kind]),
      opened: try child(["collected-open", directory])
    )
  }

  private static func child(_ arguments: [String]) throws -> [Int] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .compactMap { Int($0) }
    guard process.terminationStatus == 0, numbers.count == 2 else {
      throw BenchmarkError("a process of the benchmark ended with \(process.terminationStatus)")
    }
    return numbers
  }
}

/// What the processes do that ``CollectedWorkload`` starts.
enum CollectedWork {
  private static let batch = 1_000
  private static let space = UUID(uuidString: "00000000-0000-4000-8000-000000000001")!

  /// Makes so many anchors and deletes all but those that are to be left, and waits until the rest is given up.
  static func make(directory: String, anchors: Int, isPair: Bool) async throws {
    let url = URL(fileURLWithPath: directory)
    var storages = [isPair ? lan(url, "a", []) : HBStorage(config: .local(directory: url))]
    try await storages[0].save(HBSpace(id: space, name: "Hall"))
    if isPair {
      storages.append(lan(url.appendingPathExtension("other"), "b", [storages[0].port!]))
      try await until { try await storages[1].loadAllSpaces().count == 1 }
      try await storages[1].save(note(0))
      try await until { try await storages[0].loadAnchors(spaceId: space).count == 1 }
    }
    try await storages[0].setRetention(.latest, spaceId: space)
    let batches = (anchors + batch - 1) / batch
    let share = (CollectedWorkload.left + batches - 1) / batches
    var kept = 0
    for start in stride(from: 0, to: anchors, by: batch) {
      let made = (start..<min(anchors, start + batch)).map { note($0) }
      let few = min(CollectedWorkload.left - kept, share)
      let ids = made.dropFirst(few).map(\.id)
      kept += few
      try await storages[0].transaction(spaceId: space) {
        for anchor in made { try $0.save(anchor) }
      }
      try await storages[0].transaction(spaceId: space) {
        for id in ids { try $0.deleteAnchor(id: id) }
      }
    }
    for storage in storages {
      try await until { try await storage.heldBack(spaceId: space).isEmpty }
      let count = try await storage.loadAnchors(spaceId: space).count
      try require(count == kept + storages.count - 1, "\(count) anchors are left, not \(kept)")
    }
    print(bytes(in: url), residentKilobytes)
    withExtendedLifetime(storages) {}
  }

  /// Opens a store and loads what is in it.
  static func open(directory: String) async throws {
    let url = URL(fileURLWithPath: directory)
    let storage = HBStorage(config: .local(directory: url))
    try require(try await storage.loadAnchors(spaceId: space).count >= 100, "anchors are missing")
    print(bytes(in: url), residentKilobytes)
    withExtendedLifetime(storage) {}
  }

  private static func note(_ number: Int) -> HBAnchor {
    var place = matrix_identity_float4x4
    place.columns.3 = SIMD4(Float(number % 100), 0.5, Float(number / 100), 1)
    return HBAnchor(
      spaceId: space, transform: place,
      metadata: [
        "type": "sticky_note", "text": .string("Note \(number)"), "color": "yellow", "size": 3.0,
      ])
  }

  private static func lan(_ directory: URL, _ name: String, _ ports: [UInt16]) -> HBStorage {
    let storage = HBStorage(
      config: .lan(
        deviceName: name, directory: directory, knownPeers: ports.map { "127.0.0.1:\($0)" },
        discovery: false))
    _ = try? storage.actorId  // Opens it.
    return storage
  }

  private static func until(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<12_000 {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw BenchmarkError("what was waited for did not come within two minutes")
  }

  private static func require(_ condition: Bool, _ text: String) throws {
    if !condition { throw BenchmarkError(text) }
  }

  private static func bytes(in directory: URL) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.reduce(0) { sum, name in
      let path = directory.appendingPathComponent(name).path
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      return sum + (size ?? 0)
    }
  }

  private static var residentKilobytes: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
