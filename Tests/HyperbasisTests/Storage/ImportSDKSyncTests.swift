import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// Imports that meet: what one device imported reaches others, and what two imported is there once.
@Suite(.timeLimit(.minutes(5))) struct ImportSDKSyncTests {
  let directory = PeerDirectory()

  /// Two spaces, with every kind of event in the first.
  private func full() -> SDKSample {
    let sample = SDKSample()
    sample.anchor(x: 6, metadata: #"{"text":"e"}"#, created: 1, updated: 9)
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: #"{"text":"a","n":1}"#),
      SDKSample.line("moved", 3, version: 2, x: 2), SDKSample.line("moved", 3, version: 3, x: 3),
      SDKSample.line("updated", 5, version: 4, metadata: #"{"text":"c"}"#),
      SDKSample.line("deleted", 7, version: 5),
      SDKSample.line("restored", 9, version: 6, x: 5, metadata: #"{"text":"e"}"#),
      SDKSample.line("created", 2, version: 1, anchor: SDKSample.anchors[1], x: 1, metadata: "{}"),
    ])
    sample.anchor(SDKSample.anchors[1], x: 1, created: 2, updated: 8, deleted: 8)
    return sample
  }

  private func types(_ storage: HBStorage) async throws -> [String] {
    try await storage.timeline(spaceId: SDKSample.spaceID).events.map {
      "\($0.anchorId.uuidString.last!) \($0.version) \($0.type.rawValue)"
    }
  }

  @Test func `an import reaches another storage with its history and its map`() async throws {
    let sample = full()
    let first = lanStorage(directory, "first")
    _ = try await first.importSDK(sample)
    let second = lanStorage(directory, "second", dialling: [first])
    #expect(
      try await eventually { try await second.sampleDigestIfHeld() == first.sampleDigest() })
    #expect(try await eventually { try await types(second) == types(first) })
    #expect(
      try await second.timeline(spaceId: SDKSample.spaceID)
        == first.timeline(spaceId: SDKSample.spaceID))
    #expect(try await second.loadAllSpaces() == first.loadAllSpaces())
    #expect(try await second.sampleState(4) == ["3 a", "1 -"])
    let peer = try second.peer()
    #expect(
      try await eventually { try await peer.mapState(of: SpaceID(SDKSample.spaceID)).isWhole })
  }

  @Test func `two devices that import the same show nothing twice`() async throws {
    let sample = full()
    let first = lanStorage(directory, "first")
    _ = try await first.importSDK(sample)
    let alone = try await types(first)
    #expect(alone.count == 9)
    let history = try await first.spaceHistory(spaceId: SDKSample.spaceID).map(\.type)
    let second = lanStorage(directory, "second", dialling: [first], strategy: .manual)
    _ = try await second.importSDK(sample)
    #expect(try await types(second) == alone)
    try await second.sync()
    let whole = { (storage: HBStorage) in
      try await storage.turn { loop throws(HBStorageError) in
        loop.engine.rooms.values.allSatisfy { $0.history == $0.state.vector }
      }
    }
    #expect(
      try await eventually {
        let isFirst = try await whole(first)
        return try await whole(second) && isFirst
      })
    for storage in [first, second] {
      #expect(try await types(storage) == alone)
      #expect(try await storage.sampleDigest() == first.sampleDigest())
      #expect(try await storage.spaceHistory(spaceId: SDKSample.spaceID).map(\.type) == history)
      #expect(try await storage.loadAnchors(spaceId: SDKSample.spaceID).count == 1)
    }
    #expect(
      try await first.timeline(spaceId: SDKSample.spaceID)
        == second.timeline(spaceId: SDKSample.spaceID))
    // And again, now that both have heard of the other.
    let again = try await first.importSDK(sample)
    #expect(again.anchors == 0 && again.unchanged == 3)
  }

  /// The same write at another time is an event of its own.
  @Test func `repeats are told by their time alone`() {
    let space = SpaceID(1)
    let anchor = AnchorID(1)
    var projection = EventProjection(space: space)
    func types(
      _ replica: UInt128, _ sequence: UInt64, at time: UInt64,
      _ operations: [HyperbasisCore.Operation]
    ) -> [String] {
      let stamp = Stamp(
        timestamp: Timestamp(bits: time),
        dot: Dot(replica: ReplicaID(replica), sequence: sequence))
      return projection.events(of: Change(stamp: stamp, operations: operations))
        .map { "\($0.version) \($0.type.rawValue)" }
    }
    let made: [HyperbasisCore.Operation] = [
      .existence(anchor, Existence(created: 1)), .transform(anchor, .identity),
      .metadata(anchor, "a", .int(1)),
    ]
    #expect(types(1, 1, at: 1, made) == ["1 created"])
    #expect(types(2, 1, at: 1, made) == [])
    #expect(types(3, 1, at: 1, [.metadata(anchor, "a", .double(1))]) == ["2 updated"])
    #expect(types(1, 2, at: 2, [.transform(anchor, .identity)]) == ["3 moved"])
    #expect(types(2, 2, at: 2, [.transform(anchor, .identity)]) == [])
    #expect(types(1, 3, at: 3, [.transform(anchor, .identity)]) == ["4 moved"])
    let deleted = HyperbasisCore.Operation.existence(anchor, Existence(created: 1, deleted: 4))
    #expect(types(1, 4, at: 4, [deleted]) == ["5 deleted"])
    #expect(types(2, 3, at: 4, [deleted]) == [])
    #expect(types(1, 5, at: 5, [deleted]) == ["6 deleted"])
    let restored = HyperbasisCore.Operation.existence(anchor, Existence(created: 1, restored: 6))
    #expect(types(1, 6, at: 6, [restored]) == ["7 restored"])
    #expect(types(2, 4, at: 6, [restored, .metadata(anchor, "a", nil)]) == ["8 updated"])
  }

  @Test func `edits go on while much comes in`() async throws {
    let sample = SDKSample.empty()
    for number in 0..<300 {
      let id = "A0000000-0000-4000-8000-" + String(format: "%012d", number)
      sample.anchor(id, x: number, created: 1, updated: 2)
    }
    sample.log(
      (0..<300).flatMap { number in
        let id = "A0000000-0000-4000-8000-" + String(format: "%012d", number)
        return [SDKSample.line("created", 1, version: 1, anchor: id, x: 0, metadata: "{}")]
          + (2...20).map { SDKSample.line("moved", 2, version: $0, anchor: id, x: number + $0) }
      })
    let storage = localStorage(directory)
    let mine = HBAnchor(spaceId: UUID(), transform: at(1))
    try await storage.save(mine)
    async let importing = storage.importSDK(sample)
    var edits = 0
    while try await storage.loadAnchors(spaceId: SDKSample.spaceID).count < 300 {
      let number = edits
      try await storage.update(anchorId: mine.id) { anchor in
        anchor.updateMetadata(key: "n", value: .int(number))
      }
      edits += 1
    }
    let report = try await importing
    #expect(report.anchors == 300 && report.events == 6_000 && report.problems == [])
    #expect(edits > 2)
    // Each anchor's last event is followed by what its file has.
    #expect(try await storage.timeline(spaceId: SDKSample.spaceID).events.count == 6_300)
  }
}

extension HBStorage {
  fileprivate func sampleDigestIfHeld() async throws -> String? {
    try await loadSpace(id: SDKSample.spaceID) == nil ? nil : sampleDigest()
  }
}
