import Foundation
import HyperbasisStore
import Testing

@testable import Hyperbasis

/// H18: two openers of one directory in one process. Two processes, one of them stopped in mid-write, are in
/// `Tests/Lab/openers.sh`.
@Suite(.timeLimit(.minutes(2)))
struct OpenersTests {
  let directory = PeerDirectory()

  @Test("H18 two storages of one process edit one directory together: no edit lost, both see both")
  func shared() async throws {
    let storages = [localStorage(directory), localStorage(directory)]
    let space = HBSpace(name: "Kitchen")
    try await storages[0].save(space)
    let counter = HBAnchor(spaceId: space.id, transform: at(0), metadata: ["n": 0])
    try await storages[0].save(counter)
    let seen = storages.map { storage in
      let changes = storage.changes(spaceId: space.id)
      return Task {
        var count = 0
        for await change in changes {
          count += change.anchors.filter { $0.before == nil }.count
          if count == 80 { break }
        }
        return count
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for storage in storages {
        group.addTask {
          for number in 0..<40 {
            try await storage.save(HBAnchor(spaceId: space.id, transform: at(Float(number))))
            try await storage.update(anchorId: counter.id) { anchor in
              anchor.metadata["n"] = .int((anchor.intMetadata(forKey: "n") ?? 0) + 1)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for storage in storages {
      #expect(try await storage.loadAnchors(spaceId: space.id).count == 81)
      #expect(try await storage.loadAnchor(id: counter.id)?.intMetadata(forKey: "n") == 80)
    }
    for task in seen { #expect(await task.value == 80) }
    #expect(try await storages[1].history(anchorId: counter.id).count == 81)
  }

  @Test(
    "H18 a second opener of another kind is refused clearly and soon, and has it when the first ends"
  )
  func refused() async throws {
    let peer = try directory.peer("a")
    let storage = localStorage(directory)
    let start = ContinuousClock.now
    do {
      try await storage.open()
      Issue.record("it opens")
    } catch HBStorageError.fileOperationFailed(let cause) {
      #expect(cause as? HBStoreFailure == .inUse(path: directory.path("a")))
    }
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(throws: PeerError.store(.inUse(path: directory.path("a")))) {
      try directory.peer("a")
    }
    // The first one goes on.
    try await peer.createSpace(named: "Kitchen")
    peer.stop()
    #expect(try await storage.loadAllSpaces().count == 1)
  }
}
