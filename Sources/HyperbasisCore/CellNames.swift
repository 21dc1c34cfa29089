/// The names of a catch-up's batches, by the places at which both sides have them: each is sent once.
package struct CellNames: Sendable {
  private(set) var authors = PlaceTable<ReplicaID>()
  private(set) var anchors = PlaceTable<AnchorID>()
  private(set) var keys = PlaceTable<Key>()
  var texts = KnownTexts()

  package init() {}

  /// Bytes of all of them.
  package var byteCount: Int { 16 * (authors.count + anchors.count) + keyBytes }
  private var keyBytes = 0

  /// Adds those of a table, in its order. Returns where each is.
  mutating func add(_ table: CellTable) -> NamePlaces {
    NamePlaces(
      authors: table.authors.elements.map { authors.insert($0) },
      anchors: table.anchors.elements.map { UInt32(anchors.insert($0)) },
      keys: table.keys.elements.map { insert($0) })
  }

  private mutating func insert(_ key: Key) -> Int {
    let count = keys.count
    let place = keys.insert(key)
    if place == count { keyBytes += 16 + key.text.utf8.count }
    return place
  }

  /// - Throws: `CodecError` when one is there already.
  mutating func addAuthors(from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    for _ in 0..<(try reader.count(of: "replicas", most: Limits.replicas, itemBytes: 16)) {
      let count = authors.elements.count
      guard authors.insert(try reader.identifier()) == count, count < Limits.replicas else {
        throw .invalid("replicas", offset: start)
      }
    }
  }

  /// - Throws: `CodecError` when one is there already.
  mutating func addAnchors(from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    for _ in 0..<(try reader.count(of: "anchors", most: Limits.batchCells, itemBytes: 16)) {
      let count = anchors.elements.count
      guard anchors.insert(try reader.identifier()) == count else {
        throw .invalid("anchors", offset: start)
      }
    }
  }

  /// - Throws: `CodecError` when one is there already.
  mutating func addKeys(from reader: inout ByteReader) throws(CodecError) {
    let start = reader.offset
    for _ in 0..<(try reader.count(of: "keys", most: Limits.batchCells)) {
      let count = keys.elements.count
      let key = Key(try reader.text("key", most: Limits.keyBytes))
      guard insert(key) == count else { throw .invalid("keys", offset: start) }
    }
  }
}

/// Where the names of a table are among those of a catch-up.
struct NamePlaces {
  let authors: [Int]
  let anchors: [UInt32]
  let keys: [Int]

  /// A head of the table with the other places.
  func head(_ head: CellHead) -> CellHead {
    CellHead(
      timestamp: head.timestamp,
      dot: PackedDot(author: authors[head.dot.author], sequence: head.dot.sequence),
      date: head.date, anchorPlace: head.anchor.map { anchors[$0] } ?? .max)
  }
}

/// The first short texts that each key had, by number: types and authors come again and again.
struct KnownTexts {
  /// By the place of a key.
  private var texts: [PlaceTable<Key>] = []
  private static let most = 32
  private static let longest = 32

  func number(of text: String, key: Int) -> Int? {
    key < texts.count && text.utf8.count <= KnownTexts.longest
      ? texts[key].place(of: Key(text)) : nil
  }

  func text(_ number: Int, key: Int) -> String? {
    key < texts.count && number < texts[key].elements.count
      ? texts[key].elements[number].text : nil
  }

  mutating func note(_ text: String, key: Int) {
    guard text.utf8.count <= KnownTexts.longest else { return }
    while texts.count <= key { texts.append(PlaceTable<Key>()) }
    guard texts[key].elements.count < KnownTexts.most else { return }
    _ = texts[key].insert(Key(text))
  }
}
