/// Takes the names of writes from one table to another, as they are met: most have the anchor and author of the write
/// before, and there are few keys.
struct NameCopier {
  private var author = (from: -1, to: -1)
  private var anchor = (from: -1, to: -1)
  /// By the place of a key of the first few: where it is, and one; else 0.
  private var keys: [UInt32] = []
  private static let knownKeys = 1_024

  /// Has the next write of an anchor find it at a place that `target` has already.
  mutating func note(anchor: Int, at place: Int) {
    self.anchor = (anchor, place)
  }

  /// A head with the places of `target`, where its names are from then on.
  mutating func head(
    _ head: CellHead, of authors: PlaceTable<ReplicaID>, _ anchors: PlaceTable<AnchorID>,
    in target: inout CellTable
  ) -> CellHead {
    if author.from != head.dot.author {
      author = (head.dot.author, target.insert(authors.elements[head.dot.author]))
    }
    if let place = head.anchor, anchor.from != place {
      anchor = (place, target.insert(anchors.elements[place]))
    }
    return CellHead(
      timestamp: head.timestamp,
      dot: PackedDot(author: author.to, sequence: head.dot.sequence), date: head.date,
      anchorPlace: head.anchor == nil ? .max : UInt32(anchor.to))
  }

  /// The place of a key in `target`, where it is from then on.
  mutating func key(
    _ place: Int, of keys: PlaceTable<Key>, in target: inout CellTable
  ) -> Int {
    guard place < NameCopier.knownKeys else { return target.insert(keys.elements[place]) }
    while self.keys.count <= place { self.keys.append(0) }
    if self.keys[place] == 0 {
      self.keys[place] = UInt32(target.insert(keys.elements[place]) + 1)
    }
    return Int(self.keys[place]) - 1
  }

  /// A write of a row of `table` with the places of `target`.
  mutating func write(
    at row: Int, of table: CellTable, in target: inout CellTable
  ) -> CellWrite {
    let write = table.write(at: row)
    let head = head(write.head, of: table.authors, table.anchors, in: &target)
    guard case .field(let place, let value) = write.content else {
      return CellWrite(head: head, content: write.content)
    }
    return CellWrite(
      head: head, content: .field(key: key(place, of: table.keys, in: &target), value))
  }
}
