import Foundation
import Hyperbasis

/// Edits go to a peer one after the other, over loopback: from the save, and from its return, until the peer's
/// observer is told.
enum TellWorkload {
  private static let edits = 2_000
  private static let warmups = 200
  /// A file system in memory: what is written there is durable at once, and survives nothing.
  private static let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)

  static func run(_ place: Place) async throws -> [Figures] {
    let records = try Trace.records("w1", in: place.traces)
    var tcp = Figures(of: "tcp", workload: "tell")
    var disk = Figures(of: "disk", workload: "tell")
    let trip = try RoundTrip.measure(edits)
    tcp.set("round_trip", trip)

    var ours = Figures(workload: "tell")
    if FileManager.default.isWritableFile(atPath: memory.path) {
      let directory = memory.appendingPathComponent("hyperbasis-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: directory) }
      let times = try await Times(in: directory, records, each: {})
      ours.set("memory_save", times.saved)
      ours.set("memory_told", times.told)
      ours.set("memory_after", times.toldAfter)
    }
    // In turns, so that both meet the same disk.
    let file = try DiskSync(in: place.fresh("synced"))
    var sync = Samples()
    let times = try await Times(in: place.fresh("disk"), records) { sync.add(try file.measure()) }
    ours.set("disk_save", times.saved)
    ours.set("disk_told", times.told)
    ours.set("disk_after", times.toldAfter)
    disk.set("sync", sync)
    disk.set("allowed_s", 2 * (sync.quantile(0.5) + trip.quantile(0.5)))
    disk.set("allowed_p99_s", 2 * sync.quantile(0.99) + 10 * trip.quantile(0.5))
    return [ours, tcp, disk]
  }

  private struct Times {
    /// From the call of `save` to its return.
    var saved = Samples()
    /// From the call of `save` to the news at the peer.
    var told = Samples()
    /// From the return of `save` to the news.
    var toldAfter = Samples()

    /// - Parameter each: what is done between two edits.
    init(
      in directory: URL, _ records: [TraceRecord], each: () throws -> Void
    ) async throws {
      let pair = try await LinkedStorages(in: directory, holding: records)
      var anchors = try await pair.first.loadAnchors(spaceId: pair.space)
      var changes = pair.second.changes(spaceId: pair.space).makeAsyncIterator()
      for number in 0..<TellWorkload.warmups + TellWorkload.edits {
        let index = number % anchors.count
        anchors[index].transform[12] = Float(number)
        let anchor = anchors[index]
        try each()
        let start = ContinuousClock.now
        try await pair.first.save(anchor)
        let returned = ContinuousClock.now
        guard let change = await changes.next(), change.anchors.first?.id == anchor.id else {
          throw BenchmarkError("the peer was told of something else than the last edit")
        }
        let end = ContinuousClock.now
        guard number >= TellWorkload.warmups else { continue }
        saved.add(returned - start)
        told.add(end - start)
        toldAfter.add(end - returned)
      }
    }
  }
}
