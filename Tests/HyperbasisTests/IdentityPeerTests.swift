import Foundation
import Hyperbasis
import HyperbasisCore
import Testing

/// H10 and H11: backups and copies of whole peers.
@Suite(.timeLimit(.minutes(5)))
struct IdentityPeerTests {
  private let directory = PeerDirectory()

  private func copy(_ source: String, to target: String) throws {
    try FileManager.default.copyItem(atPath: directory.path(source), toPath: directory.path(target))
  }

  private func edit(
    _ peer: LocalPeer, _ space: UUID, _ names: ClosedRange<Int>, _ prefix: String
  ) async throws -> [UUID] {
    var ids: [UUID] = []
    for number in names {
      ids.append(try await peer.put(in: space, metadata: ["name": .string("\(prefix)\(number)")]))
    }
    return ids
  }

  private func names(_ peer: LocalPeer, _ space: UUID) async throws -> Set<String> {
    Set(
      try await peer.anchors(in: space).compactMap {
        if case .string(let name)? = $0.metadata["name"] { name } else { nil }
      })
  }

  @Test func `H10: a restored backup gets its lost edits back, and gives no number twice`()
    async throws
  {
    let witness = try directory.peer("b")
    let port = try await witness.start()
    let known = ["127.0.0.1:\(port)"]
    let space = try await witness.createSpace(named: "Hall")

    var first: LocalPeer? = try directory.peer("a", knownPeers: known)
    try await first!.start()
    try await first!.joinSpace(space)
    let early = try await edit(first!, space, 1...100, "early")
    try await directory.equal([witness, first!], space)
    first!.stop()
    first = nil
    try copy("a", to: "backup")

    first = try directory.peer("a", knownPeers: known)
    try await first!.start()
    _ = try await edit(first!, space, 101...150, "late")
    for anchor in early.prefix(10) { try await first!.deleteAnchor(anchor, in: space) }
    try await directory.equal([witness, first!], space)
    let replica = try await first!.call { $0.engine.local.replica }
    first!.stop()
    first = nil

    try FileManager.default.removeItem(atPath: directory.path("a"))
    try copy("backup", to: "a")
    let restored = try directory.peer("a", knownPeers: known)
    let status = try await restored.call { $0.status }
    #expect(status.replica != replica && status.identityChange?.previous == replica)
    #expect(status.identityChange?.reason == .copied)
    _ = try await edit(restored, space, 1...10, "X")
    try await restored.start()
    let other = try directory.peer("c", knownPeers: known)
    try await other.start()
    try await other.joinSpace(space)
    try await directory.equal([witness, restored, other], space)

    let expected =
      Set((11...100).map { "early\($0)" }).union((101...150).map { "late\($0)" })
      .union((1...10).map { "X\($0)" })
    for peer in [witness, restored, other] {
      #expect(try await names(peer, space) == expected)
    }
  }

  @Test func `H11: a copied peer and its original are two, and lose nothing`() async throws {
    var one: LocalPeer? = try directory.peer("a")
    let space = try await one!.createSpace(named: "Hall")
    _ = try await edit(one!, space, 1...5, "both")
    one!.stop()
    one = nil
    try copy("a", to: "a2")

    let original = try directory.peer("a")
    let twin = try directory.peer("a2")
    _ = try await edit(original, space, 1...20, "original")
    _ = try await edit(twin, space, 1...20, "twin")
    let port = try await original.start()
    let known = ["127.0.0.1:\(port)"]
    let joined = try directory.peer("b", knownPeers: known)
    try await joined.start()
    try await joined.joinSpace(space)
    twin.stop()
    let again = try directory.peer("a2", knownPeers: known)
    try await again.start()
    try await directory.equal([original, again, joined], space)
    #expect(try await names(joined, space).count == 45)

    let first = try await original.call { $0.status }
    let second = try await again.call { $0.status }
    #expect(first.replica != second.replica && first.device == second.device)
    // To the original they are two peers, and neither takes the other for itself.
    #expect(first.peers.contains { $0.replica == second.replica && $0.isConnected })
  }
}
