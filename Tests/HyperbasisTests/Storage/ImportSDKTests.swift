import Foundation
import HyperbasisCore
import Testing

@testable import Hyperbasis

/// The SDK's directory in a storage: what comes in, and that nothing comes in twice.
@Suite(.timeLimit(.minutes(5))) struct ImportSDKTests {
  let directory = PeerDirectory()
  let sample = SDKSample()

  @Test func `spaces, maps, anchors and events come in with their dates`() async throws {
    let before = try sample.everything()
    let storage = localStorage(directory)
    let report = try await storage.importSDK(sample)
    #expect(
      report.description
        == "2 spaces, 2 world maps, 3 anchors, 3 events, 0 unchanged, 0 problems")
    #expect(try sample.everything() == before)

    let spaces = try await storage.loadAllSpaces()
    #expect(spaces.map(\.name) == [nil, "Kitchen"])
    #expect(spaces[1].createdAt == SDKSample.date(5))
    #expect(spaces[1].updatedAt == SDKSample.date(6))
    let history = try await storage.spaceHistory(spaceId: SDKSample.spaceID)
    #expect(history.map(\.type) == [.created, .renamed, .worldMapChanged])
    #expect(history.map(\.timestamp) == [5, 6, 6].map(SDKSample.date))

    let anchors = try await storage.loadAnchors(spaceId: SDKSample.spaceID)
    #expect(anchors.map(\.id) == Array(SDKSample.anchorIDs[0..<2]))
    #expect(anchors[0].metadata == ["text": "Buy milk", "size": 20, "ratio": 0.5])
    #expect(anchors[0].position == SIMD3(0.5, -0.25, 3))
    #expect(anchors.map(\.createdAt) == [5, 5].map(SDKSample.date))
    #expect(anchors.map(\.updatedAt) == [6, 6].map(SDKSample.date))
  }

  @Test func `world maps are there whole`() async throws {
    let storage = localStorage(directory)
    _ = try await storage.importSDK(sample)
    let peer = try storage.peer()
    let state = try await peer.mapState(of: SpaceID(SDKSample.spaceID))
    #expect(state.isWhole)
    #expect(try await peer.loadMap(try #require(state.lastWhole)) == sample.map)
  }

  @Test func `importing twice changes nothing`() async throws {
    let storage = localStorage(directory)
    _ = try await storage.importSDK(sample)
    let digest = try await storage.sampleDigest()
    let events = try await storage.timeline(spaceId: SDKSample.spaceID).events
    let again = try await storage.importSDK(sample)
    #expect(
      again.description == "0 spaces, 0 world maps, 0 anchors, 0 events, 3 unchanged, 0 problems")
    #expect(try await storage.sampleDigest() == digest)
    #expect(try await storage.timeline(spaceId: SDKSample.spaceID).events == events)
  }

  @Test func `an import that was interrupted is completed by the next`() async throws {
    let storage = localStorage(directory)
    let file = SDKSample.anchorFile
    let json = FileManager.default.contents(atPath: "\(sample.path)/\(file)")!
    let log = FileManager.default.contents(atPath: "\(sample.path)/\(SDKSample.events)")!
    sample.remove(file)
    sample.write(SDKSample.events, "")
    let first = try await storage.importSDK(sample)
    #expect(first.anchors == 2)
    sample.write(file, Array(json))
    sample.write(SDKSample.events, Array(log))
    let second = try await storage.importSDK(sample)
    #expect(
      second.description == "0 spaces, 0 world maps, 1 anchors, 3 events, 2 unchanged, 0 problems")
    let whole = localStorage(directory, "whole")
    _ = try await whole.importSDK(sample)
    #expect(
      try await whole.loadAnchors(spaceId: SDKSample.spaceID)
        == storage.loadAnchors(spaceId: SDKSample.spaceID))
  }

  @Test func `what is here already stays as it is`() async throws {
    let storage = localStorage(directory)
    try await storage.save(HBSpace(id: SDKSample.spaceID, name: "Mine"))
    try await storage.save(
      HBAnchor(id: SDKSample.anchorIDs[0], spaceId: SDKSample.spaceID, transform: at(9)))
    try await storage.deleteAnchor(id: SDKSample.anchorIDs[0])
    let report = try await storage.importSDK(sample)
    #expect(
      report.description == "1 spaces, 1 world maps, 2 anchors, 0 events, 1 unchanged, 0 problems")
    #expect(try await storage.loadSpace(id: SDKSample.spaceID)?.name == "Mine")
    #expect(try await storage.loadAnchors(spaceId: SDKSample.spaceID).count == 1)
    #expect(try await storage.sampleHistory() == ["created", "deleted"])
  }

  @Test func `a deleted space does not come back`() async throws {
    let storage = localStorage(directory)
    _ = try await storage.importSDK(sample)
    try await storage.deleteSpace(id: SDKSample.spaceID)
    let again = try await storage.importSDK(sample)
    #expect(again.anchors == 0 && again.unchanged == 3)
    #expect(try await storage.loadAllSpaces().count == 1)
  }

  @Test func `edits after the import win, on other devices as well`() async throws {
    let first = lanStorage(directory, "first")
    _ = try await first.importSDK(sample)
    var anchor = try await first.loadAnchor(id: SDKSample.anchorIDs[0])!
    anchor.metadata["text"] = "Buy oat milk"
    try await first.save(anchor)
    try await first.deleteAnchor(id: SDKSample.anchorIDs[1])
    let second = lanStorage(directory, "second", dialling: [first], strategy: .manual)
    _ = try await second.importSDK(sample)
    try await second.sync()
    for storage in [first, second] {
      let anchors = try await storage.loadAnchors(spaceId: SDKSample.spaceID)
      #expect(anchors.map { $0.stringMetadata(forKey: "text") } == ["Buy oat milk"])
    }
    #expect(try await first.sampleDigest() == second.sampleDigest())
  }

  // MARK: What is none

  @Test func `what is no directory of the SDK`() async throws {
    let storage = localStorage(directory)
    for (path, expected) in [
      (sample.path + "/absent", "cannot be read: No such file or directory"),
      (sample.path + "/pending_operations.json", "cannot be read: Not a directory"),
      (sample.path + "/spaces", "is no directory of the Hyperbasis SDK"),
    ] {
      await #expect {
        _ = try await storage.importSDK(directory: URL(fileURLWithPath: path))
      } throws: { error in
        guard case HBStorageError.fileOperationFailed(let cause) = error else { return false }
        return cause is HBImportFailure && error.localizedDescription.contains(expected)
      }
    }
    #expect(try await storage.loadAllSpaces().isEmpty)
  }
}
