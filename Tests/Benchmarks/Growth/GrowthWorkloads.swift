import Foundation
import Hyperbasis
import HyperbasisCore
import HyperbasisSimulator

/// The same work at several sizes, each figure with its size in front: `1000_build_s`.
enum GrowthWorkloads {
  /// A space in memory, with more and more anchors.
  static func anchors(_ place: Place) throws -> [Figures] {
    let records = try Trace.records("w1", in: place.traces)
    var figures = Figures(workload: "grow-anchors")
    for size in Growth.anchorCounts {
      let created = (0..<size).lazy.map { number in
        let record = records[number % records.count]
        return record.moved(to: AnchorID(record.anchor.bits ^ UInt128(number / records.count)))
      }
      // Where little is done it is done again, and the least counts.
      var least: [String: Double] = [:]
      for _ in 0..<max(1, 20_000 / size) {
        for (name, seconds) in try grown(created) {
          least[name] = min(least[name] ?? seconds, seconds)
        }
      }
      for (name, value) in least.sorted(by: { $0.key < $1.key }) {
        figures.set("\(size)_\(name)", value)
      }
    }
    return [figures]
  }

  private static func grown(_ records: some Sequence<TraceRecord>) throws -> [(String, Double)] {
    let memory = try ResidentMemory()
    var document = try Document()
    var figures = [("build_s", try seconds { try document.apply(records) })]
    figures.append(("rss", Double(try memory.growth())))
    let vector = document.state.vector
    try document.apply(
      records.prefix(1_000).map { record in
        TraceRecord(replica: record.replica, anchor: record.anchor, action: .transform(.identity))
      })
    figures.append(("delta_s", seconds { _ = document.frames(since: vector) }))
    var frames: [[UInt8]] = []
    figures.append(("encode_s", seconds { frames = document.frames() }))
    figures.append(("bytes", Double(frames.reduce(0) { $0 + $1.count })))
    let hash = document.state.digest
    figures.append(
      (
        "load_s",
        try seconds {
          guard try Document(snapshot: frames).state.digest == hash else {
            throw BenchmarkError("what was loaded is something else")
          }
        }
      ))
    return figures
  }

  /// A store on the disk with more and more spaces of a hundred anchors.
  static func spaces(_ place: Place) async throws -> [Figures] {
    let records = try Trace.records("w1", in: place.traces)
    var figures = Figures(workload: "grow-spaces")
    for size in Growth.spaceCounts {
      let directory = place.fresh("spaces-\(size)")
      var spaces: [UUID] = []
      // A storage of its own: it has to be closed before it is opened.
      do {
        let storage = HBStorage(config: .local(directory: directory))
        for number in 0..<size {
          let own = records[(100 * number)..<(100 * number + 100)]
          spaces.append(try await storage.fill(with: Array(own)))
        }
      }
      let (storage, loaded) = try await figures.time("\(size)_open_s") {
        let storage = HBStorage(config: .local(directory: directory))
        var loaded: [[HBAnchor]] = []
        for space in spaces { loaded.append(try await storage.loadAnchors(spaceId: space)) }
        return (storage, loaded)
      }
      guard loaded.allSatisfy({ $0.count == 100 }) else {
        throw BenchmarkError("anchors are missing in one of \(size) spaces")
      }
      var saves = Samples()
      for number in 0..<500 {
        var anchor = loaded[number % size][number % 100]
        anchor.transform[12] = Float(number) + 0.25
        let edited = anchor
        try await saves.measure { try await storage.save(edited) }
      }
      figures.set("\(size)_save", saves)
    }
    return [figures]
  }

  /// The same number of edits in a simulated mesh of more and more peers, without faults; its checkers are a part of
  /// the time.
  static func peers() throws -> [Figures] {
    var figures = Figures(workload: "grow-peers")
    for size in Growth.peerCounts {
      var options = SimulationOptions()
      options.peers = size
      options.operations = 400
      options.commitFailure = .never
      options.needlessDial = .never
      var report: SimulationReport?
      figures.time("\(size)_run_s") { report = Simulation.run(seed: 1, options: options) }
      guard let report, report.failure == nil else {
        throw BenchmarkError("\(size) simulated peers do not converge")
      }
      figures.set("\(size)_frames", report.counts.frames)
      figures.set("\(size)_bytes", report.counts.bytes)
      figures.set("\(size)_applications", report.counts.applications)
      figures.set("\(size)_converged_s", Double(report.counts.convergenceMilliseconds) / 1_000)
    }
    return [figures]
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start).inSeconds
  }
}
