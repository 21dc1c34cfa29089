import Foundation
import Hyperbasis
import HyperbasisCore
import HyperbasisStore
import Testing

/// Peers of one process over loopback, without discovery.
@Suite(.timeLimit(.minutes(5)))
struct PeerTests {
  let directory = PeerDirectory()

  @Test func twoPeersShowTheSameSpace() async throws {
    let first = try directory.peer("first")
    let port = try await first.start()
    let second = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    try await second.start()

    let space = try await first.createSpace(named: "Kitchen")
    let note = try await first.put(in: space, metadata: ["text": "Buy milk", "size": 3.0])
    try await second.joinSpace(space)
    try await directory.equal([first, second], space)
    #expect(try await second.anchors(in: space)[0].metadata["size"] == .double(3))
    #expect(try await second.name(of: space) == "Kitchen")
    #expect(try await second.anchor(note, in: space) == first.anchor(note, in: space))
    #expect(try await second.offeredSpaces() == [])

    try await second.put(note, in: space, metadata: ["text": "Buy bread"])
    try await first.deleteAnchor(note, in: space)
    try await directory.equal([first, second], space)
    #expect(try await second.anchors(in: space) == [])
    try await second.restoreAnchor(note, in: space)
    try await directory.equal([first, second], space)
    #expect(try await first.anchors(in: space)[0].metadata["text"] == "Buy bread")
  }

  @Test func aChainConvergesThroughItsMiddle() async throws {
    let middle = try directory.peer("middle")
    let port = try await middle.start()
    let known = ["127.0.0.1:\(port)"]
    let left = try directory.peer("left", knownPeers: known)
    let right = try directory.peer("right", knownPeers: known)
    try await left.start()
    try await right.start()
    let space = try await left.createSpace(named: "Hall")
    try await middle.joinSpace(space)
    try await right.joinSpace(space)
    async let fromLeft: Void = edit(left, space, count: 40)
    async let fromRight: Void = edit(right, space, count: 40)
    _ = try await (fromLeft, fromRight)
    try await directory.equal([left, middle, right], space)
    #expect(try await right.anchors(in: space).count == 80)
  }

  @Test func aPeerThatWasAwayCatchesUp() async throws {
    let first = try directory.peer("first")
    let port = try await first.start()
    let space = try await first.createSpace(named: "Studio")
    var second: LocalPeer? = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    try await second!.start()
    try await second!.joinSpace(space)
    try await directory.equal([first, second!], space)
    second!.stop()
    second = nil
    // More than a batch, so that the catch-up has several.
    try await edit(first, space, count: 300, padding: 1_000)
    let again = try directory.peer("second", knownPeers: ["127.0.0.1:\(port)"])
    try await edit(again, space, count: 5)
    try await again.start()
    try await directory.equal([first, again], space)
    #expect(try await again.anchors(in: space).count == 305)
  }

  @Test func everythingIsThereAfterReopening() async throws {
    var peer: LocalPeer? = try directory.peer("only")
    let space = try await peer!.createSpace(named: "Attic")
    try await edit(peer!, space, count: 20)
    let before = try await peer!.anchors(in: space)
    let digest = try await peer!.digest(of: space)
    peer!.stop()
    peer = nil
    let again = try directory.peer("only")
    #expect(try await again.anchors(in: space) == before)
    #expect(try await again.digest(of: space) == digest)
  }

  @Test func whatCannotBeDoneIsRefusedByName() async throws {
    let peer = try directory.peer("only")
    let space = try await peer.createSpace(named: "Attic")
    let digest = try await peer.digest(of: space)
    let missing = UUID()
    await #expect(throws: PeerError.unknownSpace("\(missing.uuidString.lowercased())")) {
      try await peer.put(in: missing)
    }
    await #expect(throws: PeerError.invalid("a transform has 16 numbers, not 15")) {
      try await peer.put(in: space, transform: Array(repeating: 0, count: 15))
    }
    await #expect(throws: PeerError.invalid("number 3 of the transform is not finite")) {
      try await peer.put(in: space, transform: [1, 0, .nan] + Array(repeating: 0, count: 13))
    }
    await #expect(throws: PeerError.self) {
      try await peer.put(in: space, metadata: ["width": .double(.infinity)])
    }
    await #expect(throws: PeerError.self) { try await peer.createSpace(named: "") }
    await #expect(throws: PeerError.unknownAnchor("\(missing.uuidString.lowercased())")) {
      try await peer.deleteAnchor(missing, in: space)
    }
    #expect(throws: PeerError.store(.inUse(path: directory.path("only")))) {
      try directory.peer("only")
    }
    #expect(try await peer.digest(of: space) == digest)
    peer.stop()
    await #expect(throws: PeerError.stopped) { try await peer.spaces() }
  }

  @Test func aPutThatChangesNothingWritesNothing() async throws {
    let peer = try directory.peer("only")
    let space = try await peer.createSpace(named: "Attic")
    let metadata: [String: AnyCodableValue] = ["a": 1, "b": 1.0, "c": [nil, true, "x"]]
    let transform: [Float] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.0, 2, 3, 1]
    let anchor = try await peer.put(in: space, transform: transform, metadata: metadata)
    let digest = try await peer.digest(of: space)
    for _ in 0..<100 {
      try await peer.put(anchor, in: space, transform: transform, metadata: metadata)
    }
    #expect(try await peer.digest(of: space) == digest)
  }

  @Test func stopGivesTheStoreBackAndEndsTheNews() async throws {
    let peer = try directory.peer("only")
    let news = peer.news()
    let space = try await peer.createSpace(named: "Attic")
    peer.stop()
    var told: [PeerReport] = []
    for await item in news { told.append(item) }
    #expect(told == [.changed(space: space, anchors: [])])
    for await _ in peer.news() { Issue.record("a stopped peer has no news") }
    let again = try directory.peer("only")
    #expect(try await again.spaces() == [space])
  }

  @Test func anUnreachablePeerGivenByHandIsReportedOnce() async throws {
    // A port that was free a moment ago, where nobody listens now.
    let gone = try directory.peer("gone")
    let port = try await gone.start()
    gone.stop()
    let peer = try directory.peer("only", knownPeers: ["127.0.0.1:\(port)"])
    let news = peer.news()
    let own = try await peer.start()
    var told: [PeerReport] = []
    for await item in news {
      told.append(item)
      break
    }
    guard case .status(let text)? = told.first else {
      Issue.record("\(told)")
      return
    }
    #expect(text.contains("127.0.0.1:\(port)"))
    // On already: nothing is begun anew.
    #expect(try await peer.start() == own)
  }

  @Test func anImportBeyondALimitWritesNothing() async throws {
    let peer = try directory.peer("only")
    let space = try await peer.createSpace(named: "Attic")
    let digest = try await peer.digest(of: space)
    var drafts = try (1...9_000).map { number in
      try AnchorDraft(
        id: AnchorID(UInt128(number)), transform: .identity,
        metadata: Value.Object([Value.Object.Entry(key: "n", value: .int(Int64(number)))])!)
    }
    let large = (1...5).map { number in
      Value.Object.Entry(
        key: Key("\(number)"), value: .string(String(repeating: "x", count: 900_000)))
    }
    drafts.append(
      try AnchorDraft(
        id: AnchorID(77_777), transform: .identity, metadata: Value.Object(large)!))
    let failing = drafts
    await #expect(throws: PeerError.self) {
      try await peer.call { loop throws(PeerError) in
        try loop.importDrafts(failing, into: SpaceID(space))
      }
    }
    #expect(try await peer.digest(of: space) == digest)
    let fitting = Array(drafts.dropLast())
    let report = try await peer.call { loop throws(PeerError) in
      try loop.importDrafts(fitting, into: SpaceID(space))
    }
    #expect(report.created == 9_000)
    #expect(try await peer.anchors(in: space).count == 9_000)
  }

  @Test func aTakenPortIsNamed() async throws {
    let first = try directory.peer("first")
    let port = try await first.start()
    let second = try directory.peer("second", port: port)
    await #expect {
      try await second.start()
    } throws: { error in
      "\(error)".contains("\(port)")
    }
  }

  private func edit(
    _ peer: LocalPeer, _ space: UUID, count: Int, padding: Int = 0
  ) async throws {
    for number in 0..<count {
      try await peer.put(
        in: space,
        metadata: [
          "number": .int(number), "padding": .string(String(repeating: "x", count: padding)),
        ])
    }
  }
}

/// Store directories that go with the test, and waiting for peers to agree.
final class PeerDirectory: Sendable {
  private let root =
    FileManager.default.temporaryDirectory.path + "/hyperbasis-" + UUID().uuidString

  deinit {
    try? FileManager.default.removeItem(atPath: root)
  }

  func path(_ name: String) -> String { root + "/" + name }

  func peer(
    _ name: String, port: UInt16 = 0, knownPeers: [String] = []
  ) throws(PeerError) -> LocalPeer {
    var configuration = PeerConfiguration(directory: path(name), name: name)
    configuration.port = port
    configuration.knownPeers = knownPeers
    configuration.usesDiscovery = false
    return try LocalPeer(configuration)
  }

  /// Returns once all peers have the same digest of a space that is not empty. The suite's time limit
  /// ends a wait in vain.
  ///
  /// It looks every few milliseconds: who waited for news could miss the last before it listens.
  func equal(_ peers: [LocalPeer], _ space: UUID) async throws {
    while true {
      var digests: Set<String> = []
      for peer in peers { digests.insert(try await peer.digest(of: space)) }
      if digests.count == 1, try await !peers[0].digest(of: space).isEmpty { return }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
