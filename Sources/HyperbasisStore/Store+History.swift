import HyperbasisCore

extension Store {
  /// The whole changes of a space in the order in which they were applied here.
  ///
  /// The log holds what was edited here and what came live from peers. What came by a catch-up is
  /// not in it: that brings last values only. O(length of the history of all spaces).
  package func history(of space: SpaceID) throws(StoreError) -> [Change] {
    var id = ByteWriter()
    id.identifier(space)
    let statement = try Statement(
      """
      SELECT history.position, history.change FROM history
      JOIN spaces ON spaces.number = history.space
      WHERE spaces.id = ?1 ORDER BY history.position
      """, in: database)
    statement.bind(1, id.bytes)
    var changes: [Change] = []
    while try statement.step() {
      var reader = ByteReader(statement.bytes(1))
      do {
        changes.append(try Change(from: &reader))
        try reader.finish()
      } catch {
        throw .damaged(
          path: directory, what: "row \(statement.integer(0)) of history: \(error)")
      }
    }
    return changes
  }
}
