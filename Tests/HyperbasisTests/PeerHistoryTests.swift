import Foundation
import Hyperbasis
import HyperbasisCore
import HyperbasisStore
import Testing

/// Histories between peers of one process, over loopback.
@Suite(.timeLimit(.minutes(5)))
struct PeerHistoryTests {
  let directory = PeerDirectory()

  private func changes(_ peer: LocalPeer, _ space: UUID) async throws -> [Change] {
    try await peer.call { loop throws(PeerError) in try loop.changes(of: SpaceID(space)) }
  }

  /// Returns once all peers have as many whole changes, and the same.
  private func equal(_ peers: [LocalPeer], _ space: UUID, count: Int) async throws {
    for peer in peers {
      while try await changes(peer, space).count < count {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try await changes(peer, space) == changes(peers[0], space))
    }
  }

  @Test func aLateJoinerGetsEveryChange() async throws {
    let first = try directory.peer("first")
    let port = try await first.start()
    let space = try await first.createSpace(named: "Hall")
    let note = try await first.put(in: space, metadata: ["n": 0])
    // Some parts' worth of it; the state is small.
    for number in 1...1_000 {
      try await first.put(
        note, in: space, metadata: ["n": .int(number), "padding": .string(padding(number))])
    }
    let middle = try directory.peer("middle", knownPeers: ["127.0.0.1:\(port)"])
    let middlePort = try await middle.start()
    try await middle.joinSpace(space)
    let last = try directory.peer("last", knownPeers: ["127.0.0.1:\(middlePort)"])
    try await last.start()
    try await last.joinSpace(space)
    let other = try await middle.put(in: space, metadata: ["live": 1])
    try await last.put(note, in: space, metadata: ["live": 2])
    try await equal([first, middle, last], space, count: 1_004)

    for (anchor, count) in [(note, 1_002), (other, 1)] {
      let own = try await last.call { loop throws(PeerError) in
        try loop.changes(of: SpaceID(space), anchor: AnchorID(anchor))
      }
      #expect(own.count == count)
    }
    await #expect(throws: PeerError.self) { try await changes(first, UUID()) }
  }

  @Test func itGoesOnAfterARestart() async throws {
    let first = try directory.peer("first")
    let port = try await first.start()
    let space = try await first.createSpace(named: "Hall")
    for number in 1...300 {
      try await first.put(in: space, metadata: ["padding": .string(padding(number))])
    }
    var second: LocalPeer? = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    try await second!.start()
    try await second!.joinSpace(space)
    while try await changes(second!, space).isEmpty {
      try await Task.sleep(for: .milliseconds(1))
    }
    second!.stop()
    second = nil
    let again = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    try await again.put(in: space, metadata: ["mine": true])
    try await again.start()
    try await equal([first, again], space, count: 302)
  }

  private func padding(_ number: Int) -> String {
    String(repeating: "\(number % 10)", count: 500)
  }
}
