import HyperbasisCore

/// What all members of a space had at which times, so that a time span goes on after a start. Beside the tables of
/// spaces: what cannot be read of it only has things kept longer.
extension Store {
  func write(_ marks: [RetentionMark], ofSpace number: Int64) throws(StoreError) {
    var writer = ByteWriter()
    RetentionMark.encode(marks, into: &writer)
    let put = try Statement(
      "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", in: database)
    try put.bind(1, text: Store.keyOfMarks(number)).bind(2, writer.bytes).run()
  }

  /// None where they cannot be read.
  func marks(ofSpace number: Int64) -> [RetentionMark] {
    guard let select = try? Statement("SELECT value FROM meta WHERE key = ?1", in: database),
      (try? select.bind(1, text: Store.keyOfMarks(number)).step()) == true
    else { return [] }
    defer { select.reset() }
    var reader = ByteReader(select.bytes(0))
    guard let marks = try? RetentionMark.decode(from: &reader), (try? reader.finish()) != nil
    else { return [] }
    return marks
  }

  private static func keyOfMarks(_ number: Int64) -> String { "marksOfSpace\(number)" }
}
