import Foundation
import Hyperbasis

/// What loads of all anchors cost, by what happened before, and a save that follows one.
enum ReadsWorkload {
  static func run(_ place: Place) async throws -> [Figures] {
    let storage = HBStorage(config: .local(directory: place.fresh("store")))
    let space = try await storage.fill(with: try Trace.records("w1", in: place.traces))
    let load: () async throws -> [HBAnchor] = { try await storage.loadAnchors(spaceId: space) }
    var figures = Figures(workload: "reads")
    var (again, afterOne, afterAll, saves) = (Samples(), Samples(), Samples(), Samples())
    var anchors = try await figures.time("first_s") { try await load() }
    for _ in 0..<40 { anchors = try await again.measure { try await load() } }
    for round in 0..<20 {
      anchors[round].transform[12] = Float(round)
      let edited = anchors[round]
      try await saves.measure { try await storage.save(edited) }
      anchors = try await afterOne.measure { try await load() }
    }
    for round in 0..<5 {
      let all = anchors.map { anchor in
        var edited = anchor
        edited.updateMetadata(key: "text", value: .string("Round \(round)"))
        return edited
      }
      try await storage.transaction(spaceId: space) { space in
        for anchor in all { try space.save(anchor) }
      }
      anchors = try await afterAll.measure { try await load() }
    }
    figures.set("again", again)
    figures.set("after_one", afterOne)
    figures.set("after_all", afterAll)
    figures.set("save", saves)
    return [figures]
  }
}
