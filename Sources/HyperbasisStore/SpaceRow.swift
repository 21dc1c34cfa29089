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

  /// The cells of a space's anchors in the order of their slots, with what is wrong with some.
  func anchorCells(ofSpace number: Int64) -> (cells: [Cell], problem: String?) {
    var cells: [Cell] = []
    var problem: String?
    var slot: Int64 = 0
    var seen: Set<AnchorID> = []
    let range = RowRange(
      table: "anchors", key: "key", columns: "record", after: (number << 32) - 1,
      before: (number + 1) << 32)
    let failure = scan(range) { row in
      let found = row.integer(0) & 0xFFFF_FFFF
      if found != slot { problem = problem ?? "row \(slot) of space \(number) is missing" }
      slot = found + 1
      do {
        let record = try decodeRecord(row.bytes(1))
        // A row of none, of several or of another row's anchor would shift the numbers of the rest.
        guard let anchor = record.first?.operation.anchor, seen.insert(anchor).inserted,
          record.allSatisfy({ $0.operation.anchor == anchor })
        else { throw CodecError.invalid("record: it is not one anchor's", offset: 0) }
        cells += record
      } catch {
        problem = problem ?? "row \(found) of space \(number): \(error)"
      }
    }
    // What SQLite says comes first: it explains the rest.
    return (cells, failure.map { "anchors of space \(number): \($0.what)" } ?? problem)
  }
}

/// A row of spaces, as far as it can be read.
struct SpaceRow {
  let number: Int64
  private(set) var id: SpaceID?
  private(set) var vector: VersionVector?
  private(set) var history: VersionVector?
  private(set) var cells: [Cell] = []
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
        "SELECT id, vector, history, record FROM spaces WHERE number = ?1", in: database)
      guard try select.bind(1, number).step() else { return note("it is missing") }
    } catch {
      return note(error.what)
    }
    defer { select.reset() }
    if SpaceRow(number: number, id: select.bytes(0)).id != id { note("its id is not the index's") }
    do throws(CodecError) {
      var reader = ByteReader(select.bytes(1))
      let read = try VersionVector(from: &reader)
      try reader.finish()
      vector = read
    } catch {
      note("\(error)")
    }
    do throws(CodecError) {
      var reader = ByteReader(select.bytes(2))
      // Nothing stands for what equals the state's vector.
      let read = reader.remaining == 0 ? vector : try VersionVector(from: &reader)
      try reader.finish()
      history = read
    } catch {
      note("\(error)")
    }
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

  private mutating func note(_ what: String) {
    problem = problem ?? what
  }
}
