import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// H19: each file of a closed store, damaged in each way. Nothing traps, what is shown was written, and
/// a repair gives a store that opens.
struct DamagedFileTests {
  private static let pageBytes = 4_096

  private func pageCount() throws -> Int {
    let files = try DamagedFiles()
    return try Data(contentsOf: files.database).count / Self.pageBytes
  }

  /// Opens, repairs and opens again; returns how many spaces have all their anchors then.
  @discardableResult
  private func survive(_ files: DamagedFiles, _ comment: Comment) throws -> Int {
    do {
      let loaded = try Store(directory: files.directory.store).loadReadable()
      #expect(loaded.spaces.allSatisfy(files.isHonest), comment)
      for space in loaded.spaces { #expect(files.showsAll(space), comment) }
    } catch {
      switch error {
      case .damaged, .newer, .foreign: break
      default: Issue.record("\(comment): \(error)")
      }
      if case .newer = error { return 2 }
    }
    let report = try Store.repair(directory: files.directory.store)
    #expect(!report.kept.isEmpty, comment)
    let spaces = try Store(directory: files.directory.store).load()
    #expect(spaces.allSatisfy(files.isHonest), comment)
    return spaces.filter(files.showsAll).count
  }

  @Test("H19 a page of zeros, each page in turn")
  func zeroedPages() throws {
    let count = try pageCount()
    var whole: [Int] = []
    for page in 0..<count {
      let files = try DamagedFiles()
      try files.damaged(files.database) { bytes in
        let start = page * Self.pageBytes
        bytes.replaceSubrange(
          start..<start + Self.pageBytes, with: Data(count: Self.pageBytes))
      }
      whole.append(try survive(files, "page \(page)"))
    }
    // The first page is the same in each store; most others hold what others tell as well.
    #expect(whole[0] == 2)
    #expect(whole.filter { $0 == 2 }.count * 2 > count, "\(whole)")
  }

  @Test("H19 a file cut at each page, and within one")
  func cutFiles() throws {
    let count = try pageCount()
    for page in 0..<count {
      for within in [0, 1_000] {
        let files = try DamagedFiles()
        try files.damaged(files.database) { $0 = $0.prefix(page * Self.pageBytes + within) }
        // A file of no bytes is a new store.
        if page + within == 0 { continue }
        try survive(files, "cut at page \(page) + \(within)")
      }
    }
  }

  @Test("H19 a flipped bit, at many places")
  func flippedBits() throws {
    let size = try pageCount() * Self.pageBytes
    var state: UInt64 = 7
    for place in 0..<120 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // The header and the text of the tables first.
      let offset = place < 40 ? place * 29 : Int(state >> 33) % size
      let files = try DamagedFiles()
      try files.damaged(files.database) { $0[offset] ^= 1 << UInt8(state >> 61) }
      do {
        _ = try Store(directory: files.directory.store).loadReadable()
        _ = try Store.repair(directory: files.directory.store)
        let loaded = try Store(directory: files.directory.store).loadReadable()
        #expect(loaded.damaged.isEmpty, "offset \(offset)")
      } catch {
        switch error {
        case .newer, .older: continue
        case .damaged, .foreign:
          _ = try Store.repair(directory: files.directory.store)
          #expect(try Store(directory: files.directory.store).load().count <= 2)
        default: Issue.record("offset \(offset): \(error)")
        }
      }
    }
  }

  @Test("H19 text, nothing, or another store in the place of the database")
  func replaced() throws {
    var files = try DamagedFiles()
    try Data(String(repeating: "not a database ", count: 999).utf8).write(to: files.database)
    #expect(try survive(files, "text") == 0)

    files = try DamagedFiles()
    try FileManager.default.removeItem(at: files.database)
    #expect(throws: StoreError.self) { try Store.repair(directory: files.directory.store) }
    let new = try Store(directory: files.directory.store)
    #expect(try new.load().isEmpty && new.replica != files.replica)

    files = try DamagedFiles()
    let other = try DamagedFiles(anchors: 3)
    try Data(contentsOf: other.database).write(to: files.database)
    let swapped = try Store(directory: files.directory.store).load()
    #expect(swapped.map(\.state.digest) == swapped.map { other.states[$0.state.id]?.digest })
  }

  @Test("H19 the log of a killed process, damaged, cut, deleted, swapped or text")
  func logs() throws {
    let sample = try DamagedFiles(leavesLog: true)
    let size = try Data(contentsOf: sample.log).count
    var changes: [(inout Data) -> Void] = [
      { $0 = Data() }, { $0 = Data("text".utf8) }, { $0 = Data(count: $0.count) },
      { $0[0] ^= 1 }, { $0[17] ^= 1 },
    ]
    for part in 1..<20 {
      let place = size * part / 20
      changes += [{ $0 = $0.prefix(place) }, { $0[place] ^= 0x10 }]
    }
    for (number, change) in changes.enumerated() {
      let files = try DamagedFiles(leavesLog: true)
      try files.damaged(files.log, change)
      try survivesLog(files, "\(number)")
    }
    let files = try DamagedFiles(leavesLog: true)
    let other = try DamagedFiles(anchors: 3, leavesLog: true)
    try Data(contentsOf: other.log).write(to: files.log)
    do { _ = try Store(directory: files.directory.store).loadReadable() } catch {}
    _ = try Store.repair(directory: files.directory.store)
    #expect(try Store(directory: files.directory.store).load().count <= 2)
  }

  /// What is lost is the end: what is shown is a state of the past.
  private func survivesLog(_ files: DamagedFiles, _ comment: Comment) throws {
    do {
      let loaded = try Store(directory: files.directory.store).loadReadable()
      #expect(loaded.spaces.allSatisfy(files.isHonest), comment)
    } catch {}
    if try Data(contentsOf: files.database).isEmpty { return }
    _ = try Store.repair(directory: files.directory.store)
    let spaces = try Store(directory: files.directory.store).load()
    #expect(spaces.allSatisfy(files.isHonest), comment)
  }

  @Test("H19 the lock and the index of the log, deleted or text")
  func smallFiles() throws {
    for name in ["lock", "store.sqlite-shm"] {
      for text in ["", "text", nil] {
        let files = try DamagedFiles(leavesLog: true)
        let path = files.directory.store + "/" + name
        if let text {
          try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } else {
          try FileManager.default.removeItem(atPath: path)
        }
        let spaces = try Store(directory: files.directory.store).load()
        #expect(spaces.count == 2 && spaces.allSatisfy(files.showsAll), "\(name)")
      }
    }
  }
}
