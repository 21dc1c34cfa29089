import HyperbasisCore
import HyperbasisSync

/// W5 and W7: what one replica has beyond another is sent and taken over.
enum DeltaWorkloads {
  private static let few = 1_000
  /// So many more copies of W1 make the document ten times as large.
  private static let copies = 9

  static func oneWay(_ directory: String, _ figures: inout Figures) throws {
    let base = try Trace.records("w1", in: directory)
    let records = try Trace.records("w5", in: directory)
    var document = try Document()
    try document.apply(base)
    let vector = document.state.vector
    let snapshot = document.frames()
    var changes: [Change] = []
    for (name, part) in [("1k", records[..<few]), ("100k", records[few...])] {
      var other = try Document(snapshot: snapshot)
      for record in part { if let change = try document.apply(record) { changes.append(change) } }
      let frames = figures.time("\(name)_enc_s") { document.frames(since: vector) }
      _ = figures.time("\(name)_enc2_s") { document.frames(since: vector) }
      try figures.setBytes("\(name)_", of: frames)
      try figures.time("\(name)_apply_s") { try other.take(frames) }
      try figures.set("\(name)_hash", hash: other.hash, expected: document.hash)
    }
    try figures.set("hash", hash: document.hash, expected: StateHashes.w1w5)
    try history(of: changes, &figures)
    try largeDocument(base, records[..<few], &figures)
  }

  /// The same changes with all that lay between, as a replica gets them that keeps everything.
  private static func history(of changes: [Change], _ figures: inout Figures) throws {
    let frames = figures.time("100k_history_enc_s") {
      var frames: [[UInt8]] = []
      var part: [Change] = []
      var bytes = 0
      for (index, change) in changes.enumerated() {
        part.append(change)
        bytes += change.operations.count * 128
        guard bytes >= Limits.batchBytes || index == changes.indices.last else { continue }
        let isLast = index == changes.indices.last
        let history = HistoryPart(space: Document.space, changes: part, isLast: isLast)
        frames.append(Frame.history(history).encoded())
        (part, bytes) = ([], 0)
      }
      return frames
    }
    try figures.setBytes("100k_history_", of: frames)
  }

  private static func largeDocument(
    _ base: [TraceRecord], _ part: ArraySlice<TraceRecord>, _ figures: inout Figures
  ) throws {
    var document = try Document()
    try document.apply(base)
    for copy in 1...copies {
      try document.apply(base.lazy.map { $0.moved(to: AnchorID($0.anchor.bits ^ UInt128(copy))) })
    }
    let vector = document.state.vector
    try document.apply(part)
    _ = figures.time("1k_x10_enc_s") { document.frames(since: vector) }
    _ = figures.time("1k_x10_enc2_s") { document.frames(since: vector) }
  }

  static func bothWays(_ directory: String, _ figures: inout Figures) throws {
    let base = try Trace.records("w1", in: directory, most: 1_000)
    let records = try Trace.records("w7", in: directory)
    var first = try Document()
    try first.apply(base)
    var second = try Document(snapshot: first.frames())
    let vector = first.state.vector
    try first.apply(records.lazy.filter { $0.replica == 0 })
    try second.apply(records.lazy.filter { $0.replica == 1 })
    let (there, back) = figures.time("enc_s") {
      (first.frames(since: vector), second.frames(since: vector))
    }
    try figures.time("apply_s") {
      try first.take(back)
      try second.take(there)
    }
    try figures.setBytes("", of: there + back)
    try figures.set("hash", hash: second.hash, expected: first.hash)
    guard first.state.digest == second.state.digest else {
      throw BenchmarkError("the replicas show the same and have different digests")
    }
  }
}

extension TraceRecord {
  func moved(to anchor: AnchorID) -> TraceRecord {
    TraceRecord(replica: replica, anchor: anchor, action: action)
  }
}
