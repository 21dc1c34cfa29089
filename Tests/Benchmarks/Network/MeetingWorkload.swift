import Foundation
import Hyperbasis

/// A peer is seen by a browser of this host, and then by the library: until what it has is readable here.
///
/// Two processes on two hosts of the lab: one that is there, and one that comes again and again as somebody new.
enum MeetingWorkload {
  private static let rounds = 8
  private static let anchors = 100

  /// The one that is there, and measures.
  static func run(_ place: Place) async throws -> [Figures] {
    let sightings = Sightings()
    let browser = try sightings.browse()
    defer { browser.end() }
    let storage = HBStorage(
      config: .lan(deviceName: "there", directory: place.fresh("there"), knownPeers: []))
    let own = try storage.actorId.replacing("-", with: "").lowercased()
    var (samples, met) = (Samples(), [own])
    for round in 0..<rounds {
      let known = met
      async let readable = storage.arrival(of: space(round), anchors: anchors)
      let sighting = await sightings.first { name in
        !known.contains { name.lowercased().hasPrefix($0) }
      }
      samples.add(try await readable - sighting.time)
      met.append(sighting.name.lowercased())
    }
    var figures = Figures(workload: "meeting")
    figures.set("in_sync_s", samples.quantile(0.5))
    figures.set("in_sync_longest_s", samples.quantile(1))
    return [figures]
  }

  /// The one that comes: each time with a store and a space of its own, until it is in sync with the other.
  static func come(_ place: Place) async throws {
    let records = try Trace.records("w1", in: place.traces, most: anchors)
    for round in 0..<rounds {
      let directory = place.fresh("coming-\(round)")
      try await fill(directory, with: records, round)
      let storage = HBStorage(config: .lan(deviceName: "coming", directory: directory))
      try await storage.open()
      try await storage.untilInSync(space(round), with: 1)
    }
  }

  /// Before it is seen.
  private static func fill(_ directory: URL, with records: [TraceRecord], _ round: Int) async throws
  {
    let storage = HBStorage(config: .local(directory: directory))
    _ = try await storage.fill(with: records, in: space(round))
  }

  private static func space(_ round: Int) -> UUID {
    UUID(uuidString: "00000000-0000-4000-8000-00000000000\(round)")!
  }
}

extension HBStorage {
  /// When a space had so many anchors.
  fileprivate func arrival(of space: UUID, anchors: Int) async throws -> ContinuousClock.Instant {
    _ = try await untilReadable(space, anchors: anchors)
    return .now
  }
}
