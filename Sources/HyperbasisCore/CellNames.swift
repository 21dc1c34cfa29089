/// The names of a catch-up's batches, by the places at which both sides have them: each is sent once.
package struct CellNames: Sendable {
  private(set) var authors = PlaceTable<ReplicaID>()
  private(set) var anchors = PlaceTable<AnchorID>()
  private(set) var keys = PlaceTable<Key>()
  var texts = KnownTexts()
  /// Where they were read: by the place of an anchor, the number of those that were named by writes before it; the
  /// greatest where it was named by its id, and none behind the last that was not.
  private var writtenNumbers: [UInt32] = []
  /// Where they were read: by these numbers, the batch that named an anchor last, and its place in the batch's table.
  private var lastPlaces: [(batch: Int, place: Int)] = []
  private var batchCount = 0

  package init() {}

  /// Bytes of all of them.
  package var byteCount: Int { 16 * (authors.count + anchors.count) + keyBytes }
  private var keyBytes = 0

  /// Adds those of a table, in its order; anchors that are named by writes behind the others. Returns where each is.
  mutating func add(_ table: CellTable, by namer: WriteNamer?) -> NamePlaces {
    var places = NamePlaces(
      authors: table.authors.elements.map { authors.insert($0) },
      keys: table.keys.elements.map { insert($0) })
    guard let namer else {
      places.anchors = table.anchors.elements.map { UInt32(anchors.insert($0)) }
      return places
    }
    var later: [Int] = []
    places.anchors.reserveCapacity(table.anchors.count)
    for (index, anchor) in table.anchors.elements.enumerated() {
      var place = anchors.place(of: anchor)
      if place == nil, let name = namer.name(at: index) {
        places.written.append(name)
        later.append(index)
        place = 0
      }
      places.anchors.append(UInt32(place ?? anchors.insert(anchor)))
    }
    for (index, name) in zip(later, places.written) {
      places.anchors[index] = UInt32(anchors.insert(table.anchors.elements[index]))
      _ = authors.insert(name.dot.replica)
    }
    return places
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

  /// How many anchors were named by writes.
  var writtenCount: Int { lastPlaces.count }

  /// Begins a batch: none of its anchors has a place in its table.
  mutating func beginBatch() { batchCount += 1 }

  /// Gives places to anchors that writes name.
  mutating func addWritten(_ count: Int) {
    guard count > 0 else { return }
    while writtenNumbers.count < anchors.count { writtenNumbers.append(.max) }
    for _ in 0..<count {
      // Its id is not told to whom only reads.
      writtenNumbers.append(UInt32(writtenCount))
      _ = anchors.reserve(standingFor: AnchorID(0))
      lastPlaces.append((0, 0))
    }
  }

  /// The place that an anchor has in the table of this batch, by its number; nil where it has none yet.
  func lastPlace(ofWritten number: Int) -> Int? {
    lastPlaces[number].batch == batchCount ? lastPlaces[number].place : nil
  }

  mutating func note(_ place: Int, ofWritten number: Int) {
    lastPlaces[number] = (batchCount, place)
  }

  /// The number of an anchor, by its place, of those that were named by writes; nil where it has an id.
  func writtenNumber(at place: Int) -> Int? {
    guard place < writtenNumbers.count, writtenNumbers[place] != .max else { return nil }
    return Int(writtenNumbers[place])
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
  var anchors: [UInt32] = []
  let keys: [Int]
  /// The new ones that writes name.
  var written: [WriteName] = []

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
