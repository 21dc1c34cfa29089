import Foundation
import Hyperbasis
import HyperbasisCore

/// Saves of one edit in a small store and in a large one with a long past, in turns, so that both meet the same disk.
enum SaveWorkload {
  private static let rounds = 1_000
  private static let few = 100

  static func run(_ place: Place) async throws -> [Figures] {
    try LargeStore.large.make(place)
    let small = HBStorage(config: .local(directory: place.fresh("small")))
    let smallSpace = try await small.fill(
      with: try Trace.records("w1", in: place.traces, most: few))
    let large = HBStorage(config: .local(directory: LargeStore.large.directory(place)))
    let pairs = [(small, smallSpace), (large, UUID(LargeStore.space))]
    var anchors: [[HBAnchor]] = []
    for (storage, space) in pairs { anchors.append(try await storage.loadAnchors(spaceId: space)) }
    guard anchors[1].count == LargeStore.large.anchors else {
      throw BenchmarkError("the large store has \(anchors[1].count) anchors: remove it")
    }
    var random = SystemRandomNumberGenerator()
    var samples = [Samples(), Samples()]
    for round in 0..<rounds {
      // Whoever comes second finds the processor taken more often, where others want it.
      for index in round % 2 == 0 ? [0, 1] : [1, 0] {
        let storage = pairs[index].0
        let place = Int.random(in: 0..<anchors[index].count, using: &random)
        anchors[index][place].transform[12] = Float(round)
        let anchor = anchors[index][place]
        try await samples[index].measure { try await storage.save(anchor) }
      }
    }
    var figures = Figures(workload: "save")
    for (name, samples) in zip(["small", "large"], samples) { figures.set(name, samples) }
    return [figures]
  }
}
