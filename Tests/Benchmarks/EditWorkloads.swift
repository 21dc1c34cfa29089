/// W1, W2 and W3: a space is built, anchors are dragged, metadata is written.
enum EditWorkloads {
  static func build(_ directory: String, _ figures: inout Figures) throws {
    let records = try Trace.records("w1", in: directory)
    var document = try Document()
    try figures.time("each_s") { try document.apply(records) }
    try figures.set("hash", hash: document.hash, expected: StateHashes.w1)
    var other = try Document()
    try figures.time("bulk_s") { try other.applyTogether(records) }
    try figures.set("bulk_hash", hash: other.hash, expected: document.hash)
  }

  /// The edits of one file upon what W1 built.
  static func edit(_ name: String, _ directory: String, _ figures: inout Figures) throws {
    let base = try Trace.records("w1", in: directory)
    let records = try Trace.records(name, in: directory)
    var document = try Document()
    try document.apply(base)
    try figures.time("each_s") { try document.apply(records) }
    var other = try Document()
    try other.apply(base)
    try figures.time("bulk_s") { try other.applyTogether(records) }
    try figures.set("bulk_hash", hash: other.hash, expected: document.hash)
  }
}

/// What TRACE.md says that states come to.
enum StateHashes {
  static let w1 = "3f28b280f3af79e3"
  static let w1w2w3 = "fa6564f728793869"
  static let w1w5 = "e4e2f096a385d2b3"
  static let w1w5First10000 = "7ab05916ab5f039c"
}
