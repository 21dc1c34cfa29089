import Foundation

/// The inputs that are kept in the repository.
///
/// `Corpus/TARGET` has those that together reach what a long run reached, the small ones: each behind its count of
/// bytes, four of them, the low one first. `Fixtures/TARGET` has a file for each failure of the past.
enum Corpus {
  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  /// - Throws: `Finding` where a packed file ends early.
  static func inputs(of target: any FuzzTarget.Type) throws -> [[UInt8]] {
    guard let data = try? Data(contentsOf: packed(target)) else { return [] }
    var feed = Feed(Array(data))
    var inputs: [[UInt8]] = []
    while !feed.isEmpty {
      let low = feed.short()
      let count = low | feed.short() << 16
      let input = feed.take(count)
      try expect(input.count == count, "the corpus of \(target.name) is cut short")
      inputs.append(input)
    }
    return inputs
  }

  /// In the order of their names.
  static func fixtures(
    of target: any FuzzTarget.Type
  ) throws -> [(name: String, bytes: [UInt8])] {
    let folder = here.appendingPathComponent("Fixtures/\(target.name)")
    return try files(in: folder).map { ($0.lastPathComponent, Array(try Data(contentsOf: $0))) }
  }

  /// Bytes of what is kept of one target: a repository is no place for more.
  private static let most = 32_768

  /// Replaces the corpus of a target by files of a directory, the small ones first and as many as have
  /// room.
  static func pack(_ target: any FuzzTarget.Type, from directory: String) throws {
    let inputs = try files(in: URL(fileURLWithPath: directory))
      .map { Array(try Data(contentsOf: $0)) }
      .sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count }
    var writer = FeedWriter()
    for input in inputs where writer.bytes.count + input.count + 4 <= most {
      writer.short(input.count & 0xFFFF)
      writer.short(input.count >> 16)
      for byte in input { writer.byte(byte) }
    }
    try Data(writer.bytes).write(to: packed(target))
  }

  private static func packed(_ target: any FuzzTarget.Type) -> URL {
    here.appendingPathComponent("Corpus/\(target.name)")
  }

  private static func files(in folder: URL) throws -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().map(folder.appendingPathComponent)
  }
}
