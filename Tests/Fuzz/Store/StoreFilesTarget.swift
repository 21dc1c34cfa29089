import Foundation
import HyperbasisStore

/// The files of a store, with any bytes written over them, on a real disk: opened, written to, and repaired
/// where something is damaged. Then it is sound. What else a store can be asked, ``PagesTarget`` asks.
///
/// The input is patches. The first byte of each says of which file: the database, its write-ahead log
/// or the proof of continuation.
enum StoreFilesTarget: FuzzTarget {
  static let name = "database-files"

  static func seeds() -> [[UInt8]] {
    let places = [16, 100, 3_000, 4_096, 4_100, 8_000, 12_200, 0, 33]
    let patches = places.enumerated().map { index, place in
      patch(of: index % files.count, at: place, [0, 1, 2, 3])
    }
    // Where the log has no page of its own, the damage of the database's is seen.
    let withoutLog = patch(of: 1, at: 1, [])
    let pages = (1..<14).map { withoutLog + patch(of: 0, at: $0 << 12 | 0xFD0, [0, 1, 2, 3]) }
    return patches + [withoutLog] + pages
  }

  static func run(_ bytes: [UInt8]) throws {
    var patched = original
    var feed = Feed(bytes)
    while !feed.isEmpty {
      let file = Int(feed.byte()) % files.count
      FilePatch(&feed).apply(to: &patched[file])
    }
    // The files stay the same ones, as the proof of continuation wants.
    for (name, bytes) in zip(files, patched) { try folder.write(bytes, to: "store/\(name)") }
    try folder.write(nil, to: "store/store.sqlite-shm")
    if try !isSound() { try repair() }
  }

  /// Whether the store opens with nothing damaged.
  private static func isSound() throws -> Bool {
    guard let store = try? Store(directory: directory) else { return false }
    let loaded = store.loadReadable()
    try StoreQuestions.check(loaded)
    guard loaded.damaged.isEmpty else { return false }
    StoreQuestions.write(loaded, to: store)
    return true
  }

  private static func repair() throws {
    guard (try? Store.repair(directory: directory)) != nil else { return }
    let loaded = try Store(directory: directory).loadReadable()
    try StoreQuestions.check(loaded)
    let damaged = loaded.damaged.map(\.what)
    try expect(damaged.isEmpty, "what was repaired is sound: \(damaged)")
    // What was kept aside.
    try FileManager.default.removeItem(atPath: directory)
    try makeDirectory()
  }

  private static func patch(of file: Int, at place: Int, _ bytes: [UInt8]) -> [UInt8] {
    var writer = FeedWriter()
    writer.byte(UInt8(file))
    writer.short(place)
    writer.byte(UInt8(bytes.count))
    return writer.bytes + bytes
  }

  private static let files = ["store.sqlite", "store.sqlite-wal", "continuation"]
  private static let folder = try! Folder(["store"])
  private static var directory: String { folder.path + "/store" }

  private static func makeDirectory() throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
  }

  /// The files of a store that is open: most is in the database, the last changes in the log alone.
  private static let original: [[UInt8]] = {
    try! SmallStores.fill(Store(directory: directory), with: 0..<3)
    let store = try! Store(directory: directory)
    _ = try! store.load()
    try! SmallStores.fill(store, with: 3..<4)
    return files.map { name in
      Array(try! Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)")))
    }
  }()
}
