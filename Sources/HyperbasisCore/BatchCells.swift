/// The cells of a batch, with anchors that may be named by writes of the receiver's own state.
///
/// ```swift
/// let sent = BatchCells(part.cells, names: WriteNamer(of: part, of: state, within: base))
/// var known: [AnchorID] = []              // of a catch-up
/// received.told(by: state, after: &known)  // a table; nil where an anchor is not found
/// ```
///
/// What was received gives its table only where each anchor has its id.
package struct BatchCells: Sendable {
  /// Anchors that are not told have places in it, and stand-ins for ids.
  private var table: CellTable
  /// Where it is sent: nil names all anchors by their ids.
  private let names: WriteNamer?
  /// Where it was received.
  private let untold: UntoldAnchors?

  package init(_ cells: CellTable, names: WriteNamer? = nil) {
    (table, self.names, untold) = (cells, names, nil)
  }

  init(received table: CellTable, _ untold: UntoldAnchors) {
    (self.table, names) = (table, nil)
    self.untold = untold.isEmpty ? nil : untold
  }

  /// Whether a write stands for the id of an anchor, here or where it was named first.
  package var hasUntold: Bool { untold != nil }

  package var count: Int { table.count }

  /// The greatest timestamp of any write; nil where there is none. O(n).
  package var lastTimestamp: Timestamp? { table.lastTimestamp }

  /// The table, where all anchors were named by their ids.
  package var whole: CellTable? { untold == nil ? table : nil }

  /// Whether each write that names an anchor is one that `base` covers, as a sender has to name them.
  package func isNamed(within base: VersionVector) -> Bool {
    untold?.names.allSatisfy { base.covers($0.dot) } ?? true
  }

  /// The table with all ids; nil where an anchor is not found, or is another than the sender means.
  ///
  /// - Parameter known: The anchors that the batches before named by writes; those of this one are added.
  package consuming func told(
    by state: SpaceState, after known: inout [AnchorID]
  ) -> CellTable? {
    guard let untold else { return table }
    guard untold.first <= known.count else { return nil }
    known.removeSubrange(untold.first...)
    var reader = WriteNameReader(state)
    for name in untold.names {
      guard let anchor = reader.anchor(name) else { return nil }
      known.append(anchor)
    }
    guard untold.names.isEmpty || known[untold.first...].check == untold.check else { return nil }
    for place in untold.places {
      guard table.tell(known[Int(place.number)], at: Int(place.place)) else { return nil }
    }
    return table
  }

  // MARK: Bytes

  /// - Precondition: It was not received with anchors that are not told.
  package func encode(into writer: inout ByteWriter, names known: inout CellNames) {
    precondition(untold == nil, "what was received is told before it is sent")
    table.encode(into: &writer, names: &known, by: names)
  }
}

/// What they hold, told or not; how they are going to be named makes no difference.
extension BatchCells: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.untold == right.untold && left.table == right.table
  }
}

/// What a batch does not tell of its anchors.
struct UntoldAnchors: Equatable, Sendable {
  /// How many the batches before named by writes.
  let first: Int
  /// Of those that are named so for the first time.
  private(set) var names: [WriteName] = []
  /// The hash of their ids.
  private(set) var check: UInt64 = 0
  /// Where the batch's table has them, and those of the batches before that it names again.
  private(set) var places: [Place] = []

  struct Place: Equatable, Sendable {
    /// Of all that the catch-up named by writes.
    let number: UInt32
    let place: UInt32
  }

  var isEmpty: Bool { names.isEmpty && places.isEmpty }

  mutating func note(_ number: Int, at place: Int) {
    places.append(Place(number: UInt32(number), place: UInt32(place)))
  }

  /// Writes names in runs of one author, with tags or without.
  static func encode(
    _ names: [WriteName], of authors: PlaceTable<ReplicaID>, check: UInt64,
    into writer: inout ByteWriter
  ) {
    var runs: [Range<Int>] = []
    for (index, name) in names.enumerated() {
      if let last = runs.last, name.isInRun(with: names[last.lowerBound]) {
        runs[runs.count - 1] = last.lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
    }
    writer.varint(runs.count)
    for run in runs {
      let first = names[run.lowerBound]
      writer.varint(authors.place(of: first.dot.replica)! << 1 | (first.tag == nil ? 0 : 1))
      writer.varint(run.count)
      var sequence: UInt64 = 0
      for name in names[run] {
        writer.signed(Int64(name.dot.sequence) - Int64(sequence))
        sequence = name.dot.sequence
        if let tag = name.tag { writer.fixed(tag) }
      }
    }
    if !runs.isEmpty { writer.fixed(check) }
  }

  /// Reads what ``encode(_:of:check:into:)`` writes, and gives the names places.
  init(from reader: inout ByteReader, names known: inout CellNames) throws(CodecError) {
    first = known.writtenCount
    let start = reader.offset
    let runs = try reader.count(of: "runs of anchors", most: Limits.batchCells, itemBytes: 3)
    for _ in 0..<runs {
      let head = try reader.varint()
      guard head >> 1 < known.authors.count else { throw .invalid("replica index", offset: start) }
      let author = known.authors.elements[Int(head >> 1)]
      let isTagged = head & 1 != 0
      let count = try reader.count(
        of: "anchors", most: Limits.batchCells - names.count, itemBytes: isTagged ? 5 : 1)
      guard count > 0 else { throw .invalid("anchors", offset: start) }
      var sequence: Int64 = 0
      for _ in 0..<count {
        sequence &+= try reader.signed()
        guard sequence > 0, sequence <= Limits.sequence else {
          throw .invalid("sequence of an anchor", offset: start)
        }
        names.append(
          WriteName(
            dot: Dot(replica: author, sequence: UInt64(sequence)),
            tag: isTagged ? try reader.fixed(UInt32.self) : nil))
      }
    }
    if runs > 0 { check = try reader.fixed(UInt64.self) }
    known.addWritten(names.count)
  }
}

extension WriteName {
  fileprivate func isInRun(with other: WriteName) -> Bool {
    dot.replica == other.dot.replica && (tag == nil) == (other.tag == nil)
  }
}

extension Sequence<AnchorID> {
  /// The hash by which a receiver knows that it found these anchors.
  var check: UInt64 {
    var hash = WordHash(seed: 0)
    for anchor in self { hash.combine(anchor.bits) }
    return hash.value
  }
}
