import Foundation
import Hyperbasis
import HyperbasisCore

/// W2 through a storage: 100,000 saves of many tasks at once, so that those of one turn share a transaction.
enum DragWorkload {
  /// Tasks at once; each drags anchors of its own and waits for each save.
  private static let hands = 256

  static func run(_ place: Place) async throws -> [Figures] {
    CommitCounter.begin()
    let base = try Trace.records("w1", in: place.traces)
    let records = try Trace.records("w2", in: place.traces)
    var document = try Document()
    try document.apply(base)
    try document.apply(records)

    let storage = HBStorage(config: .local(directory: place.fresh("store")))
    let space = try await storage.fill(with: base)
    let loaded = try await storage.loadAnchors(spaceId: space)
    let work = split(records, over: loaded)
    let before = CommitCounter.count
    var ours = Figures(workload: "drag")
    try await ours.time("drag_s") {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (anchors, records) in work {
          group.addTask { try await drag(anchors, as: records, in: storage) }
        }
        try await group.waitForAll()
      }
    }
    let transactions = CommitCounter.count - before
    ours.set("transactions", transactions)
    let dragged = try await storage.loadAnchors(spaceId: space)
    try ours.set("hash", hash: try StateHash.of(dragged), expected: document.hash)
    return [ours, try plain(base, records, transactions, place)]
  }

  /// What each hand drags, in the order of the trace.
  private static func split(
    _ records: [TraceRecord], over anchors: [HBAnchor]
  ) -> [([AnchorID: HBAnchor], [TraceRecord])] {
    var work = Array(repeating: ([AnchorID: HBAnchor](), [TraceRecord]()), count: hands)
    for anchor in anchors {
      let id = AnchorID(anchor.id)
      work[hand(of: id)].0[id] = anchor
    }
    for record in records { work[hand(of: record.anchor)].1.append(record) }
    return work
  }

  private static func hand(of anchor: AnchorID) -> Int {
    Int(anchor.bits % UInt128(hands))
  }

  private static func drag(
    _ anchors: [AnchorID: HBAnchor], as records: [TraceRecord], in storage: HBStorage
  ) async throws {
    var anchors = anchors
    for record in records {
      anchors[record.anchor]!.edit(record)
      try await storage.save(anchors[record.anchor]!)
    }
  }

  /// The same writes in as many transactions.
  private static func plain(
    _ base: [TraceRecord], _ records: [TraceRecord], _ transactions: Int, _ place: Place
  ) throws -> Figures {
    var places: [AnchorID: Int] = [:]
    for (index, record) in base.enumerated() { places[record.anchor] = index }
    let writes = records.compactMap { record -> (row: Int, bytes: [UInt8])? in
      guard case .transform(let transform) = record.action, let row = places[record.anchor] else {
        return nil
      }
      return (row, base[row].row(at: transform))
    }
    let database = try PlainSQLite(directory: place.fresh("plain"))
    try database.transaction {
      for (row, record) in base.enumerated() { try database.write(record.row, to: row) }
    }
    let size = max(1, (writes.count + transactions - 1) / transactions)
    var figures = Figures(of: "sqlite", workload: "drag")
    try figures.time("drag_s") {
      for start in stride(from: 0, to: writes.count, by: size) {
        try database.transaction {
          for write in writes[start..<min(start + size, writes.count)] {
            try database.write(write.bytes, to: write.row)
          }
        }
      }
    }
    return figures
  }
}

extension HBStorage {
  /// Makes a space with the anchors of W1; returns its id.
  func fill(with records: [TraceRecord], in space: UUID = UUID()) async throws -> UUID {
    try await save(HBSpace(id: space, name: "Hall"))
    let anchors = try records.map { try HBAnchor($0, in: space) }
    for start in stride(from: 0, to: anchors.count, by: 5_000) {
      try await transaction(spaceId: space) { transaction in
        for anchor in anchors[start..<min(start + 5_000, anchors.count)] {
          try transaction.save(anchor)
        }
      }
    }
    return space
  }
}
