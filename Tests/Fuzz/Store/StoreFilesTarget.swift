import Foundation
import HyperbasisStore

/// The files of a store, with any bytes written over them, on a real disk: opened, asked, and repaired
/// where something is damaged. Then it is sound.
///
/// The input is patches. The first byte of each says of which file: the database, its write-ahead log
/// or the proof of continuation.
enum StoreFilesTarget: FuzzTarget {
  static let name = "database-files"

  static func seeds() -> [[UInt8]] {
    let offsets = [16, 100, 3_000, 4_096, 4_100, 8_000, 12_200, 0, 33]
    return offsets.enumerated().map { index, offset in
      var writer = FeedWriter()
      writer.byte(UInt8(index % files.count))
      writer.short(offset)
      writer.byte(4)
      return writer.bytes + [0, 1, 2, 3]
    }
  }

  static func run(_ bytes: [UInt8]) throws {
    var patched = original
    var feed = Feed(bytes)
    while !feed.isEmpty {
      let file = Int(feed.byte()) % files.count
      FilePatch(&feed).apply(to: &patched[file])
    }
    try? FileManager.default.removeItem(atPath: directory)
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    for (name, bytes) in zip(files, patched) { try folder.write(bytes, to: "store/\(name)") }
    if try isSound() { return }
    guard (try? Store.repair(directory: directory)) != nil else { return }
    let repaired = try Store(directory: directory)
    let damaged = repaired.loadReadable().damaged.map(\.what)
    try expect(damaged.isEmpty, "what was repaired is sound: \(damaged)")
  }

  /// Whether the store opens with nothing damaged.
  private static func isSound() throws -> Bool {
    guard let store = try? Store(directory: directory) else { return false }
    let loaded = try StoreQuestions.ask(store)
    guard loaded.damaged.isEmpty else { return false }
    StoreQuestions.write(loaded, to: store)
    return true
  }

  private static let files = ["store.sqlite", "store.sqlite-wal", "continuation"]
  private static let folder = try! Folder()
  private static var directory: String { folder.path + "/store" }

  /// The files of a store that is open, so that its log has something in it.
  private static let original: [[UInt8]] = {
    let store = try! Store(directory: directory)
    let empty: [UInt8] = []
    try! SmallStores.fill(store, changes: 4)
    return files.map { name in
      (try? Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))).map(Array.init)
        ?? empty
    }
  }()
}
