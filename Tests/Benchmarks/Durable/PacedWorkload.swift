import Foundation
import Hyperbasis

/// One anchor is moved sixty times a second for ten seconds, each move saved: how much of a core that takes.
enum PacedWorkload {
  private static let perSecond = 60
  private static let seconds = 10

  static func run(_ place: Place) async throws -> [Figures] {
    let records = try Trace.records("w1", in: place.traces)
    let moves = try Trace.records("w2", in: place.traces, most: perSecond * seconds)
    let storage = HBStorage(config: .local(directory: place.fresh("store")))
    let space = try await storage.fill(with: records)
    var anchors: [UUID: HBAnchor] = [:]
    for anchor in try await storage.loadAnchors(spaceId: space) { anchors[anchor.id] = anchor }
    var ours = Figures(workload: "paced")
    var saves = Samples()
    let share = try await paced { number in
      let id = UUID(moves[number].anchor)
      anchors[id]!.edit(moves[number])
      let anchor = anchors[id]!
      try await saves.measure { try await storage.save(anchor) }
    }
    ours.set("core_share", share)
    ours.set("save", saves)

    let database = try PlainSQLite(directory: place.fresh("plain"))
    let row = records[0].row
    var plain = Figures(of: "sqlite", workload: "paced")
    plain.set("core_share", try await paced { number in try database.write(row, to: number % 30) })
    return [ours, plain]
  }

  /// The processor's seconds of this process in each second.
  private static func paced(_ body: (Int) async throws -> Void) async throws -> Double {
    let (start, processorStart) = (ContinuousClock.now, clock())
    for number in 0..<perSecond * seconds {
      try await Task.sleep(
        until: start + .seconds(1) * Double(number) / Double(perSecond), clock: .continuous)
      try await body(number)
    }
    let processor = Double(clock() - processorStart) / Double(CLOCKS_PER_SEC)
    return processor / (ContinuousClock.now - start).inSeconds
  }
}
