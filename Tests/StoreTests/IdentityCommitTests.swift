import Foundation
import HyperbasisCore
import Testing

@testable import HyperbasisStore

/// H12, H10: a kill between the commits of an opening that takes a new replica id.
@Suite struct IdentityCommitTests {
  /// A value of `meta`.
  private func meta(_ key: String, in directory: String) throws -> [UInt8]? {
    let database = try Database(file: directory + "/store.sqlite", directory: directory)
    let select = try Statement("SELECT value FROM meta WHERE key = '\(key)'", in: database)
    defer { select.reset() }
    return try select.step() ? select.bytes(0) : nil
  }

  @Test func `H12: a new replica id is never there without the note of the one before`() throws {
    let directory = TemporaryDirectory()
    _ = try Store(directory: directory.store, boot: 1)
    let copy = directory.path + "/copy"
    try FileManager.default.copyItem(atPath: directory.store, toPath: copy)
    let original = try #require(try meta("identity", in: copy))
    let before = try Data(contentsOf: URL(fileURLWithPath: copy + "/store.sqlite"))
    let store = try Store(directory: copy, boot: 1)
    #expect(store.breach == .copied)
    let log = try Data(contentsOf: URL(fileURLWithPath: copy + "/store.sqlite-wal"))
    // What a kill after each commit leaves.
    let frame = 24 + 4_096
    for end in stride(from: 32 + frame, through: log.count, by: frame) {
      let killed = directory.path + "/killed\(end)"
      try FileManager.default.createDirectory(
        atPath: killed, withIntermediateDirectories: true)
      try before.write(to: URL(fileURLWithPath: killed + "/store.sqlite"))
      try log.prefix(end).write(to: URL(fileURLWithPath: killed + "/store.sqlite-wal"))
      let identity = try #require(try meta("identity", in: killed))
      let note = try meta("identityChange", in: killed)
      #expect(
        identity == original || note.map { Array($0.prefix(16)) } == Array(original.suffix(16)),
        "after \((end - 32) / frame) frames")
      // The next opening goes on from there, and names who it was. One that came to its end is a store of its own.
      guard try identity == original || meta("pending", in: killed) != nil else { continue }
      let twin = directory.path + "/twin\(end)"
      try FileManager.default.copyItem(atPath: killed, toPath: twin)
      let next = try Store(directory: killed, boot: 1)
      #expect(
        try Store(directory: twin, boot: 1).replica != next.replica, "it may be copied by then")
      #expect(next.breach == .copied)
      let change = try #require(try next.identityChange())
      var reader = ByteReader(Array(original.suffix(16)))
      #expect(try change.previous == reader.identifier(), "after \((end - 32) / frame) frames")
    }
  }
}
