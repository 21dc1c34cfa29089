import Foundation
import Hyperbasis

/// A peer that was not there yet looks around: from the first browse callback that names another one until what that
/// one has is readable here.
///
/// Two processes on two hosts of the lab. The one that is there is found by browsing and not by being dialled: what
/// comes is known to nobody before the daemon has asked for most of a second whether its name is free.
enum MeetingWorkload {
  private static let rounds = 12
  private static let anchors = 100
  private static let space = UUID(uuidString: "00000000-0000-4000-8000-000000000001")!

  /// The one that is there, until this process is ended.
  static func wait(_ place: Place) async throws {
    let records = try Trace.records("w1", in: place.traces, most: anchors)
    let storage = HBStorage(
      config: .lan(deviceName: "there", directory: place.fresh("there")))
    _ = try await storage.fill(with: records, in: space)
    try await Task.sleep(for: .seconds(600))
    withExtendedLifetime(storage) {}
  }

  /// The one that comes, each time with an empty store, and measures.
  static func run(_ place: Place) async throws -> [Figures] {
    var samples = Samples()
    for round in 0..<rounds { samples.add(try await meet(place.fresh("coming-\(round)"))) }
    var figures = Figures(workload: "meeting")
    figures.set("in_sync_s", samples.quantile(0.5))
    figures.set("in_sync_longest_s", samples.quantile(1))
    return [figures]
  }

  private static func meet(_ directory: URL) async throws -> Duration {
    let storage = HBStorage(config: .lan(deviceName: "coming", directory: directory))
    await storage.suspend()
    try await storage.open()
    let sightings = Sightings()
    let browser = try sightings.browse()
    defer { browser.end() }
    try await storage.resume()
    _ = try await storage.untilReadable(space, anchors: anchors)
    let end = ContinuousClock.now
    let other = try await storage.nameOfPeer("there")
    return end - (await sightings.first { $0.lowercased().hasPrefix(other) }).time
  }
}

extension HBStorage {
  /// The first part of the name under which a connected peer is found.
  fileprivate func nameOfPeer(_ name: String) async throws -> String {
    for await peers in peers {
      guard let peer = peers.first(where: { $0.isConnected && $0.name == name }) else { continue }
      return peer.actorId.replacing("-", with: "").lowercased()
    }
    throw BenchmarkError("the storage was closed before \(name) was connected")
  }
}
