import Foundation
import Hyperbasis
import HyperbasisCore

/// An empty peer meets one that holds W1, over loopback: from its dial until all anchors are read, and on the disk.
enum JoinWorkload {
  static func run(_ place: Place) async throws -> [Figures] {
    let records = try Trace.records("w1", in: place.traces)
    let directory = place.fresh("join")
    let first = try await HBStorage.listening("first", in: directory)
    let space = try await first.fill(with: records)
    let second = HBStorage(
      config: .lan(
        deviceName: "second", directory: directory.appendingPathComponent("second"),
        knownPeers: ["127.0.0.1:\(first.port!)"], discovery: false))
    // The store is open before it dials, as that of an app which was there and empty.
    await second.suspend()
    try await second.open()
    var figures = Figures(workload: "join")
    let anchors = try await figures.time("join_s") {
      try await second.resume()
      return try await second.untilReadable(space, anchors: records.count)
    }
    try figures.set("hash", hash: try StateHash.of(anchors), expected: StateHashes.w1)
    return [figures]
  }
}
