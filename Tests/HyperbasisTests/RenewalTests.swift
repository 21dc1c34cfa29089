import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

@testable import Hyperbasis

/// Peers whose clocks were far ahead for a while.
@Suite(.timeLimit(.minutes(5)))
struct PeerRenewalTests {
  private let directory = PeerDirectory()

  /// What a device wrote while its clock was a day ahead.
  private func writeTomorrow(_ path: String, _ space: SpaceID) throws -> ReplicaID {
    let store = try Store(directory: path)
    var state = SpaceState(id: space)
    let day: UInt64 = 86_400_000
    let wall = UInt64(Date().timeIntervalSince1970 * 1_000) + day
    for number: UInt64 in 1...3 {
      let anchor = AnchorID(UInt128(number))
      let change = Change(
        stamp: Stamp(
          timestamp: Timestamp(milliseconds: wall + number),
          dot: Dot(replica: store.replica, sequence: number)),
        operations: [
          .existence(anchor, Existence(created: 1)), .metadata(anchor, "n", .int(Int64(number))),
        ])
      let touched = try state.apply(change)!
      try store.commit([
        state.writes(touched: touched, history: state.vector, changes: [change])
      ])
    }
    return store.replica
  }

  @Test func `edits from tomorrow are written anew once a peer refused them, while the app runs`()
    async throws
  {
    let right = try directory.peer("right")
    let port = try await right.start()
    let space = try await right.createSpace(named: "Hall")
    _ = try await right.put(in: space, metadata: ["n": .int(4)])
    let former = try writeTomorrow(directory.path("wrong"), SpaceID(space))

    let wrong = try directory.peer("wrong", knownPeers: ["127.0.0.1:\(port)"])
    try await wrong.start()
    #expect(try await wrong.call { $0.engine.local.replica } == former)
    try await directory.equal([right, wrong], space)
    let numbers = try await right.anchors(in: space).compactMap { anchor -> Int? in
      if case .int(let number)? = anchor.metadata["n"] { number } else { nil }
    }
    #expect(numbers.sorted() == [1, 2, 3, 4])
    let status = try await wrong.call { $0.status }
    #expect(status.replica != former && status.identityChange?.previous == former)
    #expect(status.identityChange?.reason == .clockWasWrong)
    // Later edits are of now, and go on.
    _ = try await wrong.put(in: space, metadata: ["n": .int(5)])
    try await directory.equal([right, wrong], space)
    let replica = status.replica
    wrong.stop()
    let again = try directory.peer("wrong", knownPeers: ["127.0.0.1:\(port)"])
    #expect(try await again.call { $0.engine.local.replica } == replica)
  }
}
