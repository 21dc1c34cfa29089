import HyperbasisCore

extension Database {
  /// The rows of spaces, ascending; their problem is why some may be missing.
  ///
  /// The index names them, so that one whose page is damaged is still known by its id.
  func spaceRows() -> (rows: [SpaceRow], problem: String?) {
    var rows: [SpaceRow] = []
    var problem: String?
    do throws(StoreError) {
      let names = try Statement("SELECT number, id FROM spaces ORDER BY id", in: self)
      while try names.step() {
        rows.append(SpaceRow(number: names.integer(0), id: names.bytes(1)))
        // In a damaged tree there may be no end of them.
        guard rows.count <= Limits.spaces else {
          throw .damaged(path: "", what: "more than \(Limits.spaces) rows")
        }
      }
    } catch {
      problem = error.what
      rows = []
      let all = RowRange(table: "spaces NOT INDEXED", key: "number", columns: "id")
      _ = scan(all) { row in
        rows.append(SpaceRow(number: row.integer(0), id: row.bytes(1)))
      }
    }
    // A number is the upper half of the keys of anchors.
    if let wrong = rows.first(where: { !(1...Int64(Int32.max)).contains($0.number) }) {
      problem = problem ?? "row \(wrong.number): its number is none of a space"
      rows.removeAll { !(1...Int64(Int32.max)).contains($0.number) }
    }
    rows.sort { $0.number < $1.number }
    for index in rows.indices { rows[index].read(from: self) }
    return (rows, problem)
  }

  /// The registers of a space, of its own row and those of its anchors; `lastSlot` is the greatest that the history
  /// names, -1 for none.
  func anchorRows(of space: SpaceRow, lastSlot: Int = -1) -> AnchorRows {
    let number = space.number
    var rows = AnchorRows(cells: CellTable(space.cells))
    var problem: String?
    var slots: [Int] = []
    let range = RowRange(
      table: "anchors", key: "key", columns: "record", after: (number << 32) - 1,
      before: (number + 1) << 32)
    let failure = scan(range) { row in
      let slot = Int(row.integer(0) & 0xFFFF_FFFF)
      slots.append(slot)
      do throws(CodecError) {
        guard slot <= SpaceTable.lastSlot else {
          throw .limit("slot", value: UInt64(slot), most: SpaceTable.lastSlot, offset: 0)
        }
        try rows.take(row.bytes(1), inSlot: slot)
      } catch {
        problem = problem ?? "row \(slot) of space \(number): \(error)"
      }
    }
    // What SQLite says comes first: it explains the rest.
    rows.problem =
      failure.map { "anchors of space \(number): \($0.what)" }
      ?? space.missing(in: slots, lastSlot: lastSlot) ?? problem
    return rows
  }
}

/// The registers of a space, as far as they can be read.
struct AnchorRows {
  /// Those of the space's own row, then of the anchors in the order of their slots.
  fileprivate(set) var cells: CellTable
  /// Of the anchors.
  fileprivate(set) var slots: [Int] = []
  /// What is wrong with some.
  fileprivate(set) var problem: String?
  /// By their places in `cells`: the anchors that have a row.
  private var isThere: [Bool] = []

  fileprivate init(cells: CellTable) {
    self.cells = cells
  }

  /// Adds the record of an anchor.
  ///
  /// - Throws: `CodecError` where it is none of one; nothing is added then.
  fileprivate mutating func take(_ record: [UInt8], inSlot slot: Int) throws(CodecError) {
    let known = cells.count
    var reader = ByteReader(record)
    try cells.append(from: &reader)
    do throws(CodecError) {
      try reader.finish()
      // One of none, of several or of another row's anchor would shift the numbers of the rest.
      guard let anchor = cells.anchorPlace(ofAllFrom: known),
        anchor >= isThere.count || !isThere[anchor]
      else { throw .invalid("record: it is not one anchor's", offset: 0) }
      while isThere.count <= anchor { isThere.append(false) }
      isThere[anchor] = true
      slots.append(slot)
    } catch {
      cells.removeRows(from: known)
      throw error
    }
  }
}

/// A row of spaces, as far as it can be read.
struct SpaceRow {
  let number: Int64
  private(set) var id: SpaceID?
  private(set) var vector: VersionVector?
  private(set) var history: VersionVector?
  private(set) var cells: [Cell] = []
  private(set) var floor: VersionVector?
  private(set) var cut: VersionVector?
  private(set) var swept: VersionVector?
  private(set) var lastGivenUp = Timestamp.zero
  /// The number of rows of anchors; nil where it is not known, which then have no gap.
  private(set) var anchors: Int?
  /// The first thing that is wrong with it.
  private(set) var problem: String?

  init(number: Int64, id: [UInt8]) {
    self.number = number
    do throws(CodecError) {
      var reader = ByteReader(id)
      let read: SpaceID = try reader.identifier()
      try reader.finish()
      self.id = read
    } catch {
      problem = "\(error)"
    }
  }

  mutating func read(from database: Database) {
    let select: Statement
    do throws(StoreError) {
      select = try Statement(
        """
        SELECT id, vector, history, record, floor, cut, swept, anchors, given_up FROM spaces WHERE number = ?1
        """, in: database)
      guard try select.bind(1, number).step() else { return note("it is missing") }
    } catch {
      return note(error.what)
    }
    defer { select.reset() }
    if SpaceRow(number: number, id: select.bytes(0)).id != id { note("its id is not the index's") }
    vector = read(select.bytes(1))
    // Nothing stands for what equals the state's vector, or what was given up; or for an empty
    // vector.
    history = read(select.bytes(2), or: vector)
    floor = read(select.bytes(4), or: VersionVector())
    cut = read(select.bytes(5), or: VersionVector())
    swept = read(select.bytes(6), or: cut)
    lastGivenUp = Timestamp(bits: UInt64(bitPattern: select.integer(8)))
    anchors = select.integer(7) < 0 ? nil : Int(select.integer(7))
    do throws(CodecError) {
      let read = try decodeRecord(select.bytes(3))
      guard read.allSatisfy({ $0.operation.anchor == nil }) else {
        throw CodecError.invalid("record: it has registers of an anchor", offset: 0)
      }
      cells = read
    } catch {
      note("\(error)")
    }
  }

  /// Decodes a vector; no bytes mean `standard`.
  private mutating func read(_ bytes: [UInt8], or standard: VersionVector?? = .none)
    -> VersionVector?
  {
    if bytes.isEmpty, let standard { return standard }
    do throws(CodecError) {
      var reader = ByteReader(bytes)
      let vector = try VersionVector(from: &reader)
      try reader.finish()
      return vector
    } catch {
      note("\(error)")
      return nil
    }
  }

  /// Whether anchors may have been given up, so that slots have gaps.
  var mayHaveGaps: Bool {
    let vectors = [floor, cut].compactMap { $0 }
    return vectors.contains { !$0.entries.isEmpty } || cells.contains { Member($0) != nil }
  }

  /// What is wrong with the slots of the rows that were found, ascending; nil for nothing.
  fileprivate func missing(in slots: [Int], lastSlot: Int) -> String? {
    let expected = anchors ?? slots.count
    if mayHaveGaps {
      if expected == slots.count { return nil }
      return "of \(expected) rows of space \(number) there are \(slots.count)"
    }
    // Where nothing was given up, the one that is missing can be named.
    let gap = slots.indices.first { slots[$0] != $0 } ?? slots.count
    guard gap < slots.count || gap < max(expected, lastSlot + 1) else {
      return gap == expected ? nil : "space \(number) has more rows than its \(expected)"
    }
    return "row \(gap) of space \(number) is missing"
  }

  private mutating func note(_ what: String) {
    problem = problem ?? what
  }
}
