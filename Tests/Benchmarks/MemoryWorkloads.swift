import HyperbasisCore

/// W8 and W9: what a space takes in memory, and what is left of anchors that were deleted.
///
/// The records are read as they are applied, so that what a state shares with them counts as its own.
enum MemoryWorkloads {
  static func resident(_ directory: String, _ figures: inout Figures) throws {
    let traces = [
      try Trace("w1", in: directory), try Trace("w2", in: directory),
    ]
    let memory = try ResidentMemory()
    var document: Document? = try Document()
    var resident: [Int] = []
    for (name, trace) in zip(["rss_w1", "rss_w1w2"], traces) {
      try document!.apply(trace)
      resident.append(try memory.growth())
      figures.set(name, resident.last!)
    }
    figures.set("growth", Double(resident[1]) / Double(resident[0]))
    figures.set("rss_w1_per_anchor", Double(resident[0]) / Double(document!.state.counts.live))
    let frames = document!.frames()
    document = nil
    let loading = try ResidentMemory()
    let loaded = try Document(snapshot: frames)
    figures.set("rss_loaded", try loading.growth())
    withExtendedLifetime((loaded, frames)) {}
  }

  static func deleted(_ directory: String, _ figures: inout Figures) throws {
    try residentDeleted(try Trace("w9", in: directory), &figures)
    let records = try Trace.records("w9", in: directory)
    var document = try Document()
    try figures.time("run_s") { try document.apply(records) }
    let hash = document.hash
    let frames = figures.time("enc_s") { document.frames() }
    try figures.setBytes("snapshot_", of: frames)
    let loaded = try figures.time("load_s") { try Document(snapshot: frames) }
    try figures.set("hash", hash: loaded.hash, expected: hash)
    figures.time("collect_s") { document.collect() }
    try figures.setBytes("collected_snapshot_", of: document.frames())
    try figures.set("collected_hash", hash: document.hash, expected: hash)
    for document in [document, loaded] { try checkCount(document) }
  }

  private static func residentDeleted(_ trace: Trace, _ figures: inout Figures) throws {
    let memory = try ResidentMemory()
    var document = try Document()
    try document.apply(trace)
    figures.set("rss", try memory.growth())
    document.collect()
    figures.set("rss_collected", try memory.growth())
    try checkCount(document)
  }

  private static func checkCount(_ document: Document) throws {
    let count = document.state.counts.live
    guard count == 100 else { throw BenchmarkError("\(count) anchors are left, and not 100") }
  }
}

extension Document {
  fileprivate mutating func apply(_ trace: Trace) throws {
    var trace = trace
    while let record = try trace.next() { try apply(record) }
  }
}
