import Foundation
import HyperbasisCore
import HyperbasisStore

/// The stores that releases left: `Tests/StoreTests/Golden`.
enum GoldenStores {
  /// Formats 2, 3 and 4, as databases that can be opened in memory.
  static let files: [[UInt8]] = ["format-2", "format-3", "format-4"].map { name in
    let tests = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appendingPathComponent("StoreTests/Golden/\(name).sqlite")
    guard let data = try? Data(contentsOf: file) else {
      fatalError("\(file.path) is missing: the fuzzer runs in the repository")
    }
    return inMemory(Array(data))
  }

  /// A database in memory has no write-ahead log, and its header says so.
  static func inMemory(_ file: [UInt8]) -> [UInt8] {
    var file = file
    (file[18], file[19]) = (1, 1)
    return file
  }
}

/// Stores of one small space.
enum SmallStores {
  /// With a few of its changes, and with all.
  static func all() throws -> [[UInt8]] {
    try [2, 6].map(file)
  }

  private static func file(changes: Int) throws -> [UInt8] {
    let folder = try Folder()
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    var store: Store? = try Store(directory: folder.path + "/store")
    try fill(store!, with: 0..<changes)
    store = nil
    let file = folder.path + "/store/store.sqlite"
    return GoldenStores.inMemory(Array(try Data(contentsOf: URL(fileURLWithPath: file))))
  }

  /// Writes changes of the space of the samples, each in a commit; the store has those before.
  static func fill(_ store: Store, with changes: Range<Int>) throws {
    var state = SpaceState(id: Samples.space)
    for (index, change) in Samples.changes(of: store.replica).prefix(changes.upperBound)
      .enumerated()
    {
      let touched = try state.apply(change)!
      guard index >= changes.lowerBound else { continue }
      try store.commit([
        state.writes(touched: touched, history: state.vector, changes: [change])
      ])
    }
  }
}
