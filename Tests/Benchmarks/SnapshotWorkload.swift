/// W4: all of a space is encoded and loaded, after W1 and after W1, W2 and W3.
enum SnapshotWorkload {
  static func run(_ directory: String, _ figures: inout Figures) throws {
    var document = try Document()
    try document.apply(try Trace.records("w1", in: directory))
    try measure(document, "w1", StateHashes.w1, &figures)
    for name in ["w2", "w3"] { try document.apply(try Trace.records(name, in: directory)) }
    try measure(document, "all", StateHashes.w1w2w3, &figures)
  }

  private static func measure(
    _ document: Document, _ name: String, _ hash: String, _ figures: inout Figures
  ) throws {
    try figures.set("\(name)_hash", hash: document.hash, expected: hash)
    let frames = figures.time("\(name)_snapshot_enc_s") { document.frames() }
    _ = figures.time("\(name)_snapshot_enc2_s") { document.frames() }
    try figures.setBytes("\(name)_snapshot_", of: frames)
    let loaded = try figures.time("\(name)_snapshot_load_s") { try Document(snapshot: frames) }
    let (other, anchors) = try figures.time("\(name)_snapshot_loadread_s") {
      let other = try Document(snapshot: frames)
      return (other, other.state.anchors())
    }
    try figures.set("\(name)_loaded_hash", hash: loaded.hash, expected: hash)
    guard anchors.count == other.state.counts.live else {
      throw BenchmarkError("\(anchors.count) anchors were read of \(other.state.counts.live)")
    }
  }
}
