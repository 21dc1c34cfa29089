import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// The histories of imported anchors: what the SDK's logs and files say, and where they differ.
@Suite(.timeLimit(.minutes(5))) struct ImportSDKHistoryTests {
  let directory = PeerDirectory()
  let sample = SDKSample.empty()

  private func imported() async throws -> HBStorage {
    let storage = localStorage(directory)
    let report = try await storage.importSDK(sample)
    #expect(report.problems == [])
    return storage
  }

  @Test func `every kind of event, at its time`() async throws {
    sample.anchor(x: 5, metadata: #"{"text":"e"}"#, created: 1, updated: 9)
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: #"{"text":"a","n":1}"#),
      SDKSample.line("moved", 3, version: 2, x: 2),
      // Whole metadata: what it lacks is gone.
      SDKSample.line("updated", 5, version: 3, metadata: #"{"text":"c"}"#),
      SDKSample.line("deleted", 7, version: 4),
      SDKSample.line("restored", 9, version: 5, x: 5, metadata: #"{"text":"e"}"#),
    ])
    let storage = try await imported()
    let events = try await storage.history(anchorId: SDKSample.anchorIDs[0])
    #expect(events.map(\.type) == [.created, .moved, .updated, .deleted, .restored])
    #expect(events.map(\.timestamp) == [1, 3, 5, 7, 9].map(SDKSample.date))
    #expect(events.map(\.version) == [1, 2, 3, 4, 5])
    #expect(events[2].metadata == ["text": "c"])
    var states: [[String]] = []
    for second in 0...10 { states.append(try await storage.sampleState(Double(second))) }
    #expect(
      states == [
        [], ["1 a"], ["1 a"], ["2 a"], ["2 a"], ["2 c"], ["2 c"], [], [], ["5 e"], ["5 e"],
      ])
    let early = try await storage.anchorsAt(
      spaceId: SDKSample.spaceID, date: SDKSample.date(4))
    #expect(early[0].metadata == ["text": "a", "n": 1])
    let anchor = try await storage.loadAnchor(id: SDKSample.anchorIDs[0])
    #expect(anchor?.updatedAt == SDKSample.date(9))
  }

  @Test func `many events in one second are all there at that second`() async throws {
    sample.anchor(x: 40, created: 1, updated: 2)
    sample.log(
      [SDKSample.line("created", 1, version: 1, x: 0, metadata: "{}")]
        + (1...40).map { SDKSample.line("moved", 2, version: 1 + $0, x: $0) })
    let storage = try await imported()
    #expect(try await storage.sampleState(1) == ["0 -"])
    #expect(try await storage.sampleState(1.999) == ["0 -"])
    #expect(try await storage.sampleState(2) == ["40 -"])
    #expect(try await storage.sampleHistory().count == 41)
  }

  /// The order of lines is not that of time: clocks step.
  @Test func `events are taken by time, then version`() async throws {
    sample.anchor(x: 3, created: 1, updated: 5)
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: "{}"),
      SDKSample.line("moved", 5, version: 4, x: 3), SDKSample.line("moved", 4, version: 3, x: 9),
      SDKSample.line("moved", 4, version: 2, x: 8),
    ])
    let storage = try await imported()
    #expect(try await storage.sampleState(4) == ["9 -"])
    #expect(try await storage.sampleState(5) == ["3 -"])
  }

  // MARK: What the log lacks

  @Test func `deleteAnchor wrote no event`() async throws {
    sample.anchor(x: 1, created: 1, updated: 8, deleted: 8)
    sample.log([SDKSample.line("created", 1, version: 1, x: 1, metadata: "{}")])
    let storage = try await imported()
    #expect(try await storage.sampleHistory() == ["created", "deleted"])
    #expect(try await storage.sampleState(7) == ["1 -"])
    #expect(try await storage.sampleState(8) == [])
    let anchor = try await storage.loadAnchor(id: SDKSample.anchorIDs[0])
    #expect(anchor?.deletedAt == SDKSample.date(8))
  }

  @Test func `a deletion with its event has the date of the file`() async throws {
    sample.anchor(x: 1, created: 1, updated: 7, deleted: 7)
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: "{}"),
      SDKSample.line("deleted", 8, version: 2),
    ])
    let storage = try await imported()
    #expect(try await storage.sampleHistory() == ["created", "deleted"])
    let anchor = try await storage.loadAnchor(id: SDKSample.anchorIDs[0])
    #expect(anchor?.deletedAt == SDKSample.date(7))
    #expect(anchor?.updatedAt == SDKSample.date(7))
  }

  @Test func `metadata that the log lost with a move`() async throws {
    sample.anchor(x: 2, metadata: #"{"text":"b"}"#, created: 1, updated: 4)
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: #"{"text":"a"}"#),
      SDKSample.line("moved", 4, version: 2, x: 2),
    ])
    let storage = try await imported()
    #expect(try await storage.sampleHistory() == ["created", "moved", "updated"])
    #expect(try await storage.sampleState(3) == ["1 a"])
    #expect(try await storage.sampleState(4) == ["2 b"])
  }

  @Test func `without events an anchor is created as its file has it`() async throws {
    sample.anchor(x: 2, metadata: #"{"text":"b"}"#, created: 1, updated: 4)
    let storage = try await imported()
    #expect(try await storage.sampleHistory() == ["created"])
    #expect(try await storage.sampleState(1) == ["2 b"])
    let anchor = try await storage.loadAnchor(id: SDKSample.anchorIDs[0])
    #expect(anchor?.updatedAt == SDKSample.date(4))
  }

  @Test func `a creation that was lost is made of the earliest that is known`() async throws {
    sample.anchor(x: 3, metadata: #"{"text":"c"}"#, created: 1, updated: 6)
    sample.log([
      SDKSample.line("moved", 4, version: 2, x: 2), SDKSample.line("moved", 6, version: 3, x: 3),
    ])
    let storage = try await imported()
    #expect(try await storage.sampleState(0) == [])
    #expect(try await storage.sampleState(1) == ["2 c"])
    #expect(try await storage.sampleState(6) == ["3 c"])
    #expect(try await storage.sampleHistory() == ["created", "moved"])
  }

  @Test func `the restoration was lost`() async throws {
    sample.anchor(x: 1, created: 1, updated: 6)
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: "{}"),
      SDKSample.line("deleted", 4, version: 2),
    ])
    let storage = try await imported()
    #expect(try await storage.sampleHistory() == ["created", "deleted", "restored"])
    #expect(try await storage.sampleState(6) == ["1 -"])
  }

  // MARK: What the files lack

  @Test func `a purged anchor is deleted at its last event`() async throws {
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: "{}"),
      SDKSample.line("moved", 3, version: 2, x: 2),
    ])
    let storage = try await imported()
    #expect(try await storage.loadAnchors(spaceId: SDKSample.spaceID).isEmpty)
    let anchor = try await storage.loadAnchor(id: SDKSample.anchorIDs[0])
    #expect(anchor?.deletedAt == SDKSample.date(3))
    #expect(try await storage.sampleState(2) == ["1 -"])
    #expect(try await storage.sampleState(3) == [])
    #expect(try await storage.sampleHistory() == ["created", "moved", "deleted"])
  }

  @Test func `an anchor that was purged and made again is restored`() async throws {
    sample.anchor(x: 7, metadata: #"{"text":"new"}"#, created: 5, updated: 5)
    sample.log([
      SDKSample.line("created", 1, version: 1, x: 1, metadata: #"{"text":"old","n":1}"#),
      SDKSample.line("moved", 2, version: 2, x: 2),
      SDKSample.line("created", 5, version: 1, x: 7, metadata: #"{"text":"new"}"#),
    ])
    let storage = try await imported()
    #expect(try await storage.sampleHistory() == ["created", "moved", "restored"])
    #expect(try await storage.sampleState(5) == ["7 new"])
    let anchor = try await storage.loadAnchor(id: SDKSample.anchorIDs[0])
    #expect(anchor?.metadata == ["text": "new"])
  }

  @Test func `times that lie ahead count as now`() async throws {
    let first = lanStorage(directory, "first")
    sample.write(
      SDKSample.anchorFile,
      SDKSample.anchorJSON(created: "2125-01-02T03:04:05Z"))
    _ = try await first.importSDK(sample)
    let anchor = try await first.loadAnchor(id: SDKSample.anchorIDs[0])
    #expect(anchor!.createdAt > Date())
    #expect(try await first.anchorsAt(spaceId: SDKSample.spaceID, date: Date()).count == 1)
    let second = lanStorage(directory, "second", dialling: [first], strategy: .manual)
    try await second.sync()
    #expect(try await second.sampleDigest() == first.sampleDigest())
  }

  @Test func `stamps ascend and come at their times`() {
    func stamps(_ times: [Int64], latest: UInt64 = .max) -> [UInt64] {
      PastChange.stamps(of: times, latest: Timestamp(bits: latest)).map(\.bits)
    }
    let second = Timestamp(nanoseconds: 1_000_000_000).bits
    #expect(stamps([]) == [])
    #expect(stamps([1_000_000_000]) == [second])
    #expect(stamps([1_000_000_000, 1_000_000_000]) == [second - 1, second])
    #expect(stamps([0, 1_000_000_000]) == [1, second])
    #expect(stamps([-5, -5, 0]) == [1, 2, 3])
    #expect(stamps([0, .max, .max], latest: 9) == [1, 8, 9])
    #expect(stamps([.max, .max, .max], latest: 9) == [7, 8, 9])
  }
}
