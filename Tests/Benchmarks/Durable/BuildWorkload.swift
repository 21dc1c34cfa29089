import Foundation
import Hyperbasis
import HyperbasisCore

/// W1 through a storage: all anchors in as few transactions as limits allow.
enum BuildWorkload {
  /// Existence, transform and five keys.
  private static let registers = 7

  static func run(_ place: Place) async throws -> [Figures] {
    let records = try Trace.records("w1", in: place.traces)
    let space = UUID()
    let anchors = try records.map { try HBAnchor($0, in: space) }
    let count = anchors.count * registers / Limits.changeOperations + 1
    let size = (anchors.count + count - 1) / count
    let parts = stride(from: 0, to: anchors.count, by: size)
      .map { $0..<min($0 + size, anchors.count) }

    let storage = HBStorage(config: .local(directory: place.fresh("store")))
    try await storage.save(HBSpace(id: space, name: "Hall"))
    var ours = Figures(workload: "build")
    ours.set("transactions", parts.count)
    try await ours.time("build_s") {
      for part in parts {
        try await storage.transaction(spaceId: space) { transaction in
          for anchor in anchors[part] { try transaction.save(anchor) }
        }
      }
    }
    let loaded = try await storage.loadAnchors(spaceId: space)
    try ours.set("hash", hash: try StateHash.of(loaded), expected: StateHashes.w1)

    let rows = records.map(\.row)
    let database = try PlainSQLite(directory: place.fresh("plain"))
    var plain = Figures(of: "sqlite", workload: "build")
    try plain.time("build_s") {
      for part in parts {
        try database.transaction { for row in part { try database.write(rows[row], to: row) } }
      }
    }
    return [ours, plain]
  }
}
