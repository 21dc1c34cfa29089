import Foundation
import HyperbasisCore
import HyperbasisStore
import Synchronization
import Testing

/// A backup is one file that holds a state between two commits.
struct BackupTests {
  let directory = TemporaryDirectory()

  private var file: String { directory.path + "/backup.sqlite" }

  /// The store that a backup becomes where it is copied to.
  private func restore() throws -> Store {
    let path = directory.path + "/restored"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: file, toPath: path + "/store.sqlite")
    return try Store(directory: path)
  }

  @Test("a backup of a store in use has everything, maps included, and restores by a copy")
  func whole() throws {
    let store = try Store(directory: directory.store)
    var author = Author(space: SpaceID(7), replica: store.replica)
    for (number, value) in awkwardValues.enumerated() {
      let key = Key("key \(number)")
      try store.commit([author.change([.metadata(AnchorID(1), key, value)])])
    }
    try store.putManifest(ContentHash(high: 1, low: 2), [1, 2, 3])
    try store.putChunk(ContentHash(high: 3, low: 4), StoredChunk(codec: 1, bytes: [9, 8]))
    try store.set(.leftSpaces, to: [0])
    try Store.backup(directory: directory.store, to: file)
    let restored = try restore()
    #expect(try restored.load().map(\.state.digest) == [author.state.digest])
    #expect(try restored.changes(of: SpaceID(7)) == store.changes(of: SpaceID(7)))
    #expect(try restored.manifest(ContentHash(high: 1, low: 2)) == [1, 2, 3])
    #expect(try restored.chunk(ContentHash(high: 3, low: 4))?.bytes == [9, 8])
    #expect(try restored.setting(.leftSpaces) == [0])
    #expect(restored.device == store.device)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 3)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("a backup beside edits has the edits up to one commit, none in part")
  func underEdits() async throws {
    let store = try Store(directory: directory.store)
    var author = Author(space: SpaceID(7), replica: store.replica)
    let filler = StoredChunk(codec: 0, bytes: [UInt8](repeating: 7, count: 200_000))
    for number in 0..<40 { try store.putChunk(ContentHash(high: UInt128(number), low: 0), filler) }
    let isDone = Atomic(false)
    let (source, copy) = (directory.store, file)
    let backup = Task.detached {
      for number in 0..<5 { try Store.backup(directory: source, to: copy + "\(number)") }
    }
    let end = Task.detached {
      defer { isDone.store(true, ordering: .releasing) }
      try await backup.value
    }
    var count: UInt64 = 0
    while !isDone.load(ordering: .acquiring) {
      count += 1
      // Two anchors in one change: both or none.
      let value = Value.int(Int64(count))
      try store.commit([
        author.change([
          .metadata(AnchorID(1), Key("n"), value), .metadata(AnchorID(2), Key("n"), value),
        ])
      ])
      await Task.yield()
    }
    try await end.value
    var last: UInt64 = 0
    for number in 0..<5 {
      let path = directory.path + "/restored\(number)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: copy + "\(number)", toPath: path + "/store.sqlite")
      let restored = try Store(directory: path)
      guard let space = try restored.load().first else { continue }
      let reached = space.state.vector[author.replica]
      #expect(reached >= last && reached <= count)
      last = reached
      let values = [1, 2].map { anchor in
        space.state.cell(.metadata(AnchorID(anchor), Key("n")))?.operation
      }
      #expect(
        values
          == [1, 2].map { .metadata(AnchorID($0), Key("n"), .int(Int64(reached))) })
      #expect(try restored.changes(of: SpaceID(7)).count == Int(reached))
    }
    #expect(last > 0)
  }

  @Test("a backup replaces no file, and leaves none where it fails")
  func refusals() throws {
    let store = try Store(directory: directory.store)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
    #expect(throws: StoreError.exists(path: file)) {
      try Store.backup(directory: directory.store, to: file)
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    let nowhere = directory.path + "/none/backup.sqlite"
    #expect {
      try store.backup(to: nowhere)
    } throws: { error in
      if case .notWritable(nowhere, _)? = error as? StoreError { true } else { false }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
  }

  @Test("a store in memory can be backed up")
  func inMemory() throws {
    let store = try Store(inMemory: "a")
    var author = Author(space: SpaceID(7), replica: store.replica)
    try store.commit([author.change([.name("Kitchen")])])
    try store.backup(to: file)
    #expect(try restore().load().map(\.state.digest) == [author.state.digest])
  }
}
