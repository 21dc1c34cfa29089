import HyperbasisCore
import HyperbasisStore
import Testing

struct MemoryStoreTests {
  @Test func `a store in memory does what one on a disk does, and is no other's`() throws {
    var author = Author(space: SpaceID(7), replica: ReplicaID(1))
    let store = try Store(inMemory: "a")
    let empty = try store.byteCount()
    try store.commit([author.change([.name("Kitchen")])])
    for number in 0..<200 {
      let key = Key("key \(number)")
      try store.commit([
        author.change([.metadata(AnchorID(1), key, .string(String(repeating: "a", count: 500)))])
      ])
    }
    #expect(try store.load().map(\.state.digest) == [author.state.digest])
    #expect(try store.byteCount() > empty)
    #expect(try Store(inMemory: "a").load().isEmpty)
    let replica = store.replica
    try store.reset()
    #expect(try store.load().isEmpty)
    #expect(store.replica != replica)
  }
}
