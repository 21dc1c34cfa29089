import Foundation
import Hyperbasis
import Testing

/// Errors are `HBStorageError` with a typed cause, and lists have one order.
@Suite(.timeLimit(.minutes(5))) struct RefusalStorageTests {
  let directory = PeerDirectory()

  /// The failure beneath an error of the given kind; nil for any other error.
  private func cause<Failure: Error>(
    of kind: Failure.Type, _ body: () async throws -> Void
  ) async -> Failure? {
    do { try await body() } catch let error as HBStorageError {
      switch error {
      case .fileOperationFailed(let cause), .encodingFailed(let cause),
        .cloudSyncFailed(let cause):
        return cause as? Failure
      default: return nil
      }
    } catch {
      return nil
    }
    return nil
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is none is refused by its key`(number: Double) async throws {
    let storage = localStorage(directory)
    let good = HBAnchor(spaceId: UUID(), transform: at(1), metadata: ["size": 1.0])
    try await storage.save(good)
    for value in [AnyCodableValue.double(number), [1, ["deep": .double(number)]]] {
      var bad = good
      bad.metadata["size"] = value
      bad.metadata["other"] = 1
      let failure = await cause(of: HBValueFailure.self) { try await storage.save(bad) }
      guard case .notFinite(key: "size", _)? = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
    }
    var bad = good
    bad.transform[3] = Float(number)
    let failure = await cause(of: HBValueFailure.self) { try await storage.save(bad) }
    guard case .transform? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(try await storage.loadAnchor(id: good.id) == good)
  }

  @Test func `a value of ten thousand levels is refused, not a crash`() async throws {
    let storage = localStorage(directory)
    var deep = AnyCodableValue.int(1)
    for _ in 0..<10_000 { deep = .array([deep]) }
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1), metadata: ["deep": deep])
    let failure = await cause(of: HBValueFailure.self) { try await storage.save(anchor) }
    guard case .limit(key: "deep", _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test(arguments: [0, 15, 17]) func `a transform of another length is refused`(
    count: Int
  ) async throws {
    let storage = localStorage(directory)
    let date = Date()
    let anchor = HBAnchor(
      id: UUID(), spaceId: UUID(), transform: Array(repeating: 0, count: count), metadata: [:],
      createdAt: date, updatedAt: date)
    let failure = await cause(of: HBValueFailure.self) { try await storage.save(anchor) }
    #expect(failure != nil)
    #expect(try await storage.loadAnchor(id: anchor.id) == nil)
  }

  @Test func `a directory that is no file URL is refused by every first call`() async throws {
    let url = URL(string: "https://example.com\(directory.path("web"))")!
    let storage = HBStorage(config: .local(directory: url))
    for call: () async throws -> Void in [
      { try await storage.open() }, { _ = try await storage.loadAllSpaces() },
      { _ = try storage.localStorageSize() }, { try await storage.repair() },
    ] {
      let failure = await cause(of: HBStoreFailure.self, call)
      guard case .cannotCreate(url.absoluteString, _)? = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
    }
    #expect(!FileManager.default.fileExists(atPath: directory.path("web")))
  }

  @Test func `a directory that is none is told by the first call, not by the initialiser`()
    async throws
  {
    let file = directory.url("file")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("x".utf8).write(to: file)
    let storage = HBStorage(config: .local(directory: file))
    let failure = await cause(of: HBStoreFailure.self) { _ = try await storage.loadAllSpaces() }
    #expect(failure == .notADirectory(path: file.path))
    // The next call tries anew.
    try FileManager.default.removeItem(at: file)
    #expect(try await storage.loadAllSpaces().isEmpty)
  }

  @Test func `a port that is taken is told as such`() async throws {
    let first = lanStorage(directory, "first")
    try await first.open()
    let port = first.port!
    let second = lanStorage(directory, "second", port: port)
    let failure = await cause(of: HBNetworkFailure.self) { try await second.open() }
    #expect(failure == .portInUse(port))
    let third = HBStorage(
      config: .lan(directory: directory.url("third"), knownPeers: ["nowhere"], discovery: false))
    let address = await cause(of: HBNetworkFailure.self) { try await third.open() }
    guard case .badAddress("nowhere", _)? = address else {
      Issue.record("\(String(describing: address))")
      return
    }
  }

  @Test func `storages of one directory share it, and another configuration is refused`()
    async throws
  {
    let first = localStorage(directory)
    let second = localStorage(directory)
    let anchor = HBAnchor(spaceId: UUID(), transform: at(1))
    try await first.save(anchor)
    #expect(try await second.loadAnchor(id: anchor.id) == anchor)
    let other = lanStorage(directory, "a")
    let failure = await cause(of: HBStoreFailure.self) { try await other.open() }
    #expect(failure != nil)
  }

  @Test func `every load is sorted by creation, then id`() async throws {
    let storage = localStorage(directory)
    let space = UUID()
    let date = Date()
    var anchors = (0..<40).map { number in
      HBAnchor(
        id: UUID(), spaceId: space, transform: HBAnchor.flatten(at(0)), metadata: [:],
        createdAt: date + Double(number / 10), updatedAt: date)
    }
    for anchor in anchors.shuffled() { try await storage.save(anchor) }
    anchors.sort { ($0.createdAt, $0.id.uuidString) < ($1.createdAt, $1.id.uuidString) }
    #expect(try await storage.loadAnchors(spaceId: space).map(\.id) == anchors.map(\.id))
    #expect(
      try await storage.anchorsAt(spaceId: space, date: Date()).map(\.id) == anchors.map(\.id))
    let spaces = (0..<10).map { HBSpace(name: "\($0)", createdAt: date + Double($0 / 5)) }
    for space in spaces.shuffled() { try await storage.save(space) }
    let sorted = spaces.sorted {
      ($0.createdAt, $0.id.uuidString) < ($1.createdAt, $1.id.uuidString)
    }
    #expect(try await storage.loadAllSpaces().map(\.id) == sorted.map(\.id))
  }
}
