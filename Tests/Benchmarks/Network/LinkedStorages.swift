import Foundation
import Hyperbasis

/// Two storages of this process with a link over loopback; both hold the same space.
struct LinkedStorages {
  let first: HBStorage
  let second: HBStorage
  let space: UUID

  /// Returns once both know that they are in sync.
  init(in directory: URL, holding records: [TraceRecord]) async throws {
    first = try await HBStorage.listening("first", in: directory)
    space = try await first.fill(with: records)
    second = try await HBStorage.listening("second", in: directory, dialling: [first.port!])
    try await first.untilInSync(space, with: 1)
  }
}

extension HBStorage {
  /// One that is open, listens on a port of its own, and dials others of this machine.
  static func listening(
    _ name: String, in directory: URL, dialling ports: [UInt16] = []
  ) async throws -> HBStorage {
    let storage = HBStorage(
      config: .lan(
        deviceName: name, directory: directory.appendingPathComponent(name),
        knownPeers: ports.map { "127.0.0.1:\($0)" }, discovery: false))
    try await storage.open()
    return storage
  }

  /// Waits until so many peers have told that they have all of a space.
  ///
  /// - Throws: `BenchmarkError` when the storage is closed before.
  func untilInSync(_ space: UUID, with count: Int) async throws {
    for await peers in syncStatus(spaceId: space)
    where peers.filter({ $0.peer.isConnected && $0.isInSync }).count == count { return }
    throw BenchmarkError("the storage was closed before \(count) peers were in sync")
  }

  /// Waits until there are links to so many peers.
  ///
  /// - Throws: `BenchmarkError` when the storage is closed before.
  func untilConnected(to count: Int) async throws {
    for await peers in peers where peers.filter(\.isConnected).count == count { return }
    throw BenchmarkError("the storage was closed before \(count) peers were connected")
  }

  /// Waits until a space has so many anchors.
  ///
  /// - Throws: `BenchmarkError` when the storage is closed before.
  func untilReadable(_ space: UUID, anchors count: Int) async throws -> [HBAnchor] {
    for await anchors in anchors(spaceId: space) where anchors.count == count { return anchors }
    throw BenchmarkError("the storage was closed before \(count) anchors were there")
  }
}
