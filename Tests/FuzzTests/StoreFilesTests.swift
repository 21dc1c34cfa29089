import Foundation
import HyperbasisSimulator
import HyperbasisStore
import Testing

@testable import Fuzz

/// What only the files of a store can show, with any bytes written over them: database, write-ahead log and proof of
/// continuation, of different times. It opens or is refused; what `repair` makes is sound.
///
/// The targets of databases are in memory, and much faster.
struct StoreFilesTests {
  @Test func `a store of damaged files opens or is repaired, and is then sound`() throws {
    let files = try SampleFiles()
    defer { files.remove() }
    var random = RandomSource(seed: 20_261_130)
    var opened = 0
    var repaired = 0
    for number in 0..<300 {
      let damage = (1...random.within(1...3)).map { _ in Damage(&random) }
      do {
        try files.write(damage)
        if try files.isSound() {
          opened += 1
        } else if try files.repair() {
          repaired += 1
        }
      } catch {
        Issue.record("damage \(number), \(damage): \(error)")
      }
    }
    // Both happen often, or the damage is none or too much.
    #expect(opened > 30 && repaired > 30, "\(opened) opened, \(repaired) repaired")
  }
}

/// What becomes of one of the files.
private struct Damage {
  /// Of ``SampleFiles/names``.
  let file: Int
  let kind: Kind

  enum Kind {
    case removed
    /// As it was at another time.
    case swapped
    case cut(at: Int)
    /// The place is in parts of the file's length, of 65,536.
    case overwritten(at: Int, [UInt8])
  }

  init(_ random: inout RandomSource) {
    file = random.below(SampleFiles.names.count)
    let place = random.below(65_536)
    switch random.below(12) {
    case 0: kind = .removed
    case 1, 2: kind = .swapped
    case 3: kind = .cut(at: place)
    default:
      let count = random.pick([1, 4, 64, 4_096])
      kind = .overwritten(
        at: place, (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
  }

  func apply(to bytes: [UInt8]?, other: [UInt8]?) -> [UInt8]? {
    switch kind {
    case .removed: return nil
    case .swapped: return other
    case .cut(let place): return bytes.map { Array($0.prefix($0.count * place >> 16)) }
    case .overwritten(let place, let new):
      guard var bytes else { return nil }
      let start = bytes.count * place >> 16
      for (index, byte) in zip(start..<bytes.count, new) { bytes[index] = byte }
      return bytes
    }
  }
}

/// The files of a store at two times, to be damaged again and again in one directory.
private struct SampleFiles {
  static let names = ["store.sqlite", "store.sqlite-wal", "continuation"]

  private let folder: Folder
  private let original: [[UInt8]?]
  private let earlier: [[UInt8]?]
  private var directory: String { folder.path + "/store" }

  /// Most is in the database, the last changes in the log alone.
  init() throws {
    // In memory where that can be: each of the many stores is synced.
    folder =
      access("/dev/shm", W_OK) == 0
      ? try Folder(["store"], in: "/dev/shm") : try Folder(["store"])
    let directory = folder.path + "/store"
    func files() -> [[UInt8]?] {
      SampleFiles.names.map { name in
        (try? Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))).map(Array.init)
      }
    }
    try SmallStores.fill(Store(directory: directory), with: 0..<3)
    earlier = files()
    let store = try Store(directory: directory)
    _ = try store.load()
    try SmallStores.fill(store, with: 3..<4)
    original = files()
    withExtendedLifetime(store) {}
  }

  /// The files stay the same ones, as the proof of continuation wants.
  func write(_ damage: [Damage]) throws {
    var files = original
    for damage in damage {
      files[damage.file] = damage.apply(to: files[damage.file], other: earlier[damage.file])
    }
    for (name, bytes) in zip(SampleFiles.names, files) {
      try folder.write(bytes, to: "store/\(name)")
    }
    try folder.write(nil, to: "store/store.sqlite-shm")
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: folder.path)
  }

  /// Whether the store opens with nothing damaged.
  func isSound() throws -> Bool {
    guard let store = try? Store(directory: directory) else { return false }
    let loaded = store.loadReadable()
    try StoreQuestions.check(loaded, in: store)
    guard loaded.damaged.isEmpty else { return false }
    StoreQuestions.write(loaded, to: store)
    return true
  }

  /// Returns whether there was something to repair.
  func repair() throws -> Bool {
    guard (try? Store.repair(directory: directory)) != nil else { return false }
    let store = try Store(directory: directory)
    let loaded = store.loadReadable()
    try StoreQuestions.check(loaded, in: store)
    try expect(loaded.damaged.isEmpty, "it is sound: \(loaded.damaged.map(\.what))")
    // What was kept aside.
    for name in try FileManager.default.contentsOfDirectory(atPath: directory)
    where name.hasPrefix("damaged-") {
      try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    }
    return true
  }
}
