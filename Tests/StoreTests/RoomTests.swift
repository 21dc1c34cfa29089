import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// What is given up makes the file smaller.
struct RoomTests {
  let directory = TemporaryDirectory()

  private func size(_ path: String) throws -> Int {
    try Data(contentsOf: URL(fileURLWithPath: path + "/store.sqlite")).count
  }

  /// Makes the anchors `numbers`, 100 with each change.
  private func make(_ numbers: Range<Int>, by author: inout Author, in store: Store) throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
      let operations = (start..<start + 100).flatMap { number -> [Operation] in
        let id = AnchorID(UInt128(number + 1) << 64)
        return [
          .existence(id, Existence(created: 1)), .transform(id, .identity),
          .metadata(id, Key("title"), .string("anchor \(number)")),
        ]
      }
      try store.commit([author.change(operations)])
    }
  }

  @Test("a store of which most was given up is about as large as one of the rest")
  func shrinks() throws {
    var store: Store? = try Store(directory: directory.store)
    var author = Author(space: SpaceID(7), replica: store!.replica)
    try store!.commit([author.makeMembers()])
    try make(0..<20_000, by: &author, in: store!)
    let full = try store!.byteCount()
    for start in stride(from: 2_000, to: 20_000, by: 100) {
      let operations = (start..<start + 100).map { number in
        Operation.existence(
          AnchorID(UInt128(number + 1) << 64), Existence(created: 1, deleted: 2))
      }
      try store!.commit([author.change(operations)])
    }
    try store!.commit([author.giveUp()])
    // Without waiting for an end of the process.
    let open = try size(directory.store)
    store = nil
    let shrunk = try size(directory.store)

    let path = directory.path + "/rest"
    store = try Store(directory: path)
    var rest = Author(space: SpaceID(7), replica: store!.replica)
    try store!.commit([rest.makeMembers()])
    try make(0..<2_000, by: &rest, in: store!)
    try store!.commit([rest.giveUp()])
    store = nil
    let small = try size(path)
    print(
      "bytes of the store: \(full), given up: \(open), closed: \(shrunk), the rest alone: \(small)")
    #expect(Double(shrunk) <= 1.5 * Double(small) && Double(open) <= 1.5 * Double(small))
    let loaded = try Store(directory: directory.store).load()
    #expect(loaded.map(\.state.digest) == [author.state.digest])
    #expect(loaded[0].state.anchorCount == 2_000)
  }

  @Test("a file of which most is free gets short when it is opened", arguments: [false, true])
  func opening(isDamaged: Bool) throws {
    do {
      let store = try Store(directory: directory.store)
      var author = Author(space: SpaceID(7), replica: store.replica)
      try store.commit([author.change([.existence(AnchorID(1), Existence(created: 1))])])
      let bytes = [UInt8](repeating: 7, count: 200_000)
      for number in 0..<10 {
        try store.putChunk(
          ContentHash(high: UInt128(number), low: 0), StoredChunk(codec: 0, bytes: bytes))
      }
    }
    RawDatabase(directory.database).execute("DELETE FROM chunks")
    if isDamaged { RawDatabase(directory.database).execute("DELETE FROM anchors") }
    #expect(try size(directory.store) > 2_000_000)
    do { _ = try Store(directory: directory.store).loadReadable() }
    // What is damaged stays as it is.
    #expect(try (size(directory.store) > 2_000_000) == isDamaged)
    #expect(
      try Store(directory: directory.store).loadReadable().spaces.count == (isDamaged ? 0 : 1))
  }
}
