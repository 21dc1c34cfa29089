import Foundation
import Hyperbasis
import HyperbasisCore
import HyperbasisSync

/// Eight peers of one process, each linked to each, with one space that all have: what they do while nothing happens.
enum IdleWorkload {
  private static let peers = 8
  private static let seconds = 20

  static func run(_ place: Place) async throws -> [Figures] {
    let directory = place.fresh("mesh")
    let records = try Trace.records("w1", in: place.traces, most: 1_000)
    var storages: [HBStorage] = []
    var space = UUID()
    for number in 0..<peers {
      let ports = storages.map { $0.port! }
      let storage = try await HBStorage.listening("peer\(number)", in: directory, dialling: ports)
      if number == 0 { space = try await storage.fill(with: records, in: space) }
      storages.append(storage)
    }
    for storage in storages {
      _ = try await storage.untilReadable(space, anchors: records.count)
      try await storage.untilConnected(to: peers - 1)
    }
    // What is told late: histories, and the own vector once all is quiet.
    try await Task.sleep(for: .seconds(5))

    let (before, start, processorStart) = (try SocketCount(), ContinuousClock.now, clock())
    try await Task.sleep(for: .seconds(seconds))
    let processor = Double(clock() - processorStart) / Double(CLOCKS_PER_SEC)
    let elapsed = (ContinuousClock.now - start).inSeconds
    let after = try SocketCount()
    guard before.sockets == after.sockets else {
      throw BenchmarkError("\(before.sockets) sockets became \(after.sockets): a link was lost")
    }
    let sent = after.bytesSent - before.bytesSent
    // Each end of each link is to send one ping an interval, and not one byte more.
    let interval = Double(Limits.pingAfterMilliseconds) / 1_000
    let pings = (elapsed / interval).rounded(.up) * Double(peers * (peers - 1))
    var figures = Figures(workload: "idle")
    figures.set("core_share", processor / elapsed / Double(peers))
    figures.set("bytes", sent)
    figures.set("traffic", Double(sent) / (pings * Double(Frame.ping.encoded().count)))
    withExtendedLifetime(storages) {}
    return [figures]
  }
}
