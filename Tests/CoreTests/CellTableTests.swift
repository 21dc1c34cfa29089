import Testing

@testable import HyperbasisCore

/// What a table of cells gives back, and what the digest is made of.
struct CellTableTests {
  private let stamp = Stamp(
    timestamp: Timestamp(milliseconds: 5, counter: 1),
    dot: Dot(replica: ReplicaID(7), sequence: 3), date: 11)

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a table gives back the cells that went in, each with the hash that it has alone`(
    seed: UInt64
  ) throws {
    let state = try state(Scenario(seed: seed, authors: 3, count: 80, anchors: 6).changes)
    var cells = state.record(of: nil)
    for anchor in state.cells.anchors.elements { cells += state.record(of: anchor) }
    #expect(cells.contains { $0.operation.anchor == nil } && cells.count == state.registerCount)
    var table = CellTable()
    var sum: UInt64 = 0
    for cell in cells {
      let row = table.append(cell.operation, cell.stamp)
      #expect(table[row] == cell && table.holds(cell.operation, at: row))
      #expect(table.makeHash(of: row) == hash(cell.operation, cell.stamp))
      sum &+= table.rows[row].hash
    }
    #expect(state.cellsDigest == sum)
  }

  @Test func `a write has another hash where anything of it is another`() throws {
    var hashes: [UInt64] = []
    for operation in try operations() { hashes.append(hash(operation, stamp)) }
    let dots = [(8, 3), (7, 4), (1 << 64 + 7, 3)] as [(UInt128, UInt64)]
    let stamps =
      dots.map {
        Stamp(
          timestamp: stamp.timestamp,
          dot: Dot(replica: ReplicaID($0.0), sequence: $0.1), date: stamp.date)
      } + [
        Stamp(timestamp: stamp.timestamp, dot: stamp.dot, date: 12),
        Stamp(timestamp: Timestamp(bits: stamp.timestamp.bits + 1), dot: stamp.dot, date: 11),
      ]
    for stamp in stamps { hashes.append(hash(.metadata(anchor(1), "k", .int(1)), stamp)) }
    #expect(Set(hashes).count == hashes.count)
  }

  @Test func `the hashes are those that other devices make`() throws {
    let sum = try operations().reduce(0) { $0 &+ hash($1, stamp) }
    #expect(String(sum, radix: 16) == "330fdc7ad6d06b17")
  }

  @Test func `an overwritten register has what it was given last`() throws {
    for (first, second) in [
      (
        Operation.metadata(anchor(1), "k", .string("long enough for memory of its own")),
        .metadata(anchor(1), "k", nil)
      ),
      (
        .transform(anchor(1), .identity),
        .transform(anchor(1), try Transform.identity.moved(to: (1, 2, 3)))
      ),
      (
        .existence(anchor(1), Existence(created: 1)),
        .existence(anchor(1), Existence(created: 1, deleted: 2))
      ),
      (.name("a"), .name(nil)),
    ] as [(Operation, Operation)] {
      var table = CellTable()
      let row = table.append(
        first, Stamp(timestamp: .zero, dot: Dot(replica: ReplicaID(1), sequence: 1)))
      let write = table.write(second, stamp)
      table.overwrite(row, with: write)
      #expect(table[row] == Cell(operation: second, stamp: stamp))
      #expect(table.makeHash(of: row) == hash(second, stamp) && !table.holds(first, at: row))
    }
  }

  @Test func `the greatest sequence and many authors fit a dot`() {
    let dot = PackedDot(author: Limits.replicas, sequence: UInt64(Limits.sequence))
    #expect(dot.author == Limits.replicas && dot.sequence == UInt64(Limits.sequence))
    #expect(dot != .forgotten)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a batch is read as it was written, and is the same when written again`(
    seed: UInt64
  ) throws {
    let scenario = Scenario(seed: seed, authors: 3, count: 80, anchors: 6)
    let cells = try state(scenario.changes).cells(after: VersionVector(), budget: .max).cells
    var all = Array(cells) + cells.reversed()
    all += try operations().map { Cell(operation: $0, stamp: stamp) }
    var sent = CellNames()
    var received = CellNames()
    for table in [cells, CellTable(all), [], cells] {
      var writer = ByteWriter()
      BatchCells(table).encode(into: &writer, names: &sent)
      var reader = ByteReader(writer.bytes)
      #expect(try BatchCells(from: &reader, names: &received) == BatchCells(table))
      try reader.finish()
    }
    #expect(sent.byteCount == received.byteCount)
  }

  @Test func `names that were sent are not sent again`() throws {
    let cells = BatchCells(
      try state(Scenario(seed: 3, authors: 3, count: 80, anchors: 6).changes)
        .cells(after: VersionVector(), budget: .max).cells)
    var names = CellNames()
    var (first, second) = (ByteWriter(), ByteWriter())
    cells.encode(into: &first, names: &names)
    cells.encode(into: &second, names: &names)
    #expect(second.bytes.count + 16 * 9 <= first.bytes.count)
    // Without the first batch the second one names what is not there.
    var reader = ByteReader(second.bytes)
    #expect(throws: CodecError.self) {
      var none = CellNames()
      _ = try BatchCells(from: &reader, names: &none)
    }
  }

  @Test func `a damaged batch is refused, or is one that is written`() throws {
    var random = SplitMix(seed: 11)
    let state = try state(Scenario(seed: 5, authors: 3, count: 60, anchors: 6).changes)
    var writer = ByteWriter()
    var names = CellNames()
    BatchCells(state.cells(after: VersionVector(), budget: .max).cells)
      .encode(into: &writer, names: &names)
    var refused = 0
    for _ in 0..<4_000 {
      var bytes = writer.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      var reader = ByteReader(Array(bytes.prefix(.random(in: 1...bytes.count * 4, using: &random))))
      var none = CellNames()
      guard let cells = try? BatchCells(from: &reader, names: &none) else {
        refused += 1
        continue
      }
      // Damage can make names of writes, which nothing is written of again.
      guard let table = cells.whole else { continue }
      var again = ByteWriter()
      var (sent, received) = (CellNames(), CellNames())
      BatchCells(table).encode(into: &again, names: &sent)
      var second = ByteReader(again.bytes)
      #expect(try BatchCells(from: &second, names: &received) == cells)
    }
    #expect(refused > 500)
  }

  @Test func `a rotation is written short and bit for bit, whatever its numbers`() throws {
    var random = SplitMix(seed: 4)
    var (bytes, count) = (0, 0)
    for round in 0..<2_000 {
      var numbers = rotation(&random) + [0, 0, 0, 1]
      for index in 12..<15 { numbers[index] = .random(in: -10...10, using: &random) }
      // Numbers that are no rotation: any bits that are finite.
      if round.isMultiple(of: 4) {
        let index = Int.random(in: 0..<16, using: &random)
        numbers[index] = Float(bitPattern: .random(in: 0..<0x7F80_0000, using: &random))
      }
      let transform = try Transform(numbers)
      var writer = ByteWriter()
      var tops = ByteWriter()
      transform.encodeShort(into: &writer, tops: &tops)
      var (reader, top) = (ByteReader(writer.bytes), ByteReader(tops.bytes))
      #expect(try Transform(shortFrom: &reader, tops: &top) == transform)
      #expect(reader.remaining == 0 && top.remaining == 0)
      if !round.isMultiple(of: 4) {
        (bytes, count) = (bytes + writer.bytes.count + tops.bytes.count, count + 1)
      }
    }
    #expect(bytes <= 42 * count)
    var (writer, tops) = (ByteWriter(), ByteWriter())
    Transform.identity.encodeShort(into: &writer, tops: &tops)
    #expect(writer.bytes.count == 10 && tops.bytes.count == 3)
  }

  /// Three columns at right angles, of a quaternion that is drawn.
  private func rotation(_ random: inout SplitMix) -> [Float] {
    let q = (0..<4).map { _ in Double.random(in: -1...1, using: &random) }
    let length = q.reduce(0) { $0 + $1 * $1 }.squareRoot()
    let (x, y, z, w) = (q[0] / length, q[1] / length, q[2] / length, q[3] / length)
    let numbers = [
      1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
      2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
      2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
    ]
    return numbers.map { Float($0) }
  }

  /// Of a table with nothing else in it.
  private func hash(_ operation: Operation, _ stamp: Stamp) -> UInt64 {
    var table = CellTable()
    let row = table.append(operation, stamp)
    return table.makeHash(of: row)
  }

  private func operations() throws -> [Operation] {
    let values: [Value?] = [
      nil, .null, .bool(false), .bool(true), .int(0), .int(1), .double(0), .double(-0.0),
      .double(1), .string(""),
      .string("1"), .string("caf\u{E9}"), .string("cafe\u{301}"),
      .string("a text of more than sixteen bytes"), .array([]),
      .array([.null]),
      .array([.array([])]), .object(Value.Object()),
      .object(Value.Object([.init(key: "a", value: .string("bc"))])!),
      .object(Value.Object([.init(key: "ab", value: .string("c"))])!),
    ]
    var operations = values.map { Operation.metadata(anchor(1), "k", $0) }
    operations += [
      .metadata(anchor(2), "k", nil), .metadata(anchor(1), "", nil),
      .metadata(anchor(1), "kk", nil),
      .transform(anchor(1), .identity),
      .transform(anchor(1), try Transform.identity.moved(to: (-0.0, 0, 0))),
      .transform(anchor(1), try Transform.identity.moved(to: (0, -0.0, 0))),
      .existence(anchor(1), Existence(created: 1)),
      .existence(anchor(1), Existence(created: 1, deleted: 2)),
      .existence(anchor(1), Existence(created: 1, restored: 2)),
      .spaceExistence(Existence(created: 1)), .name(nil), .name(""), .worldMap(nil),
      .retention(.latest), .member(ReplicaID(1), .founder), .member(ReplicaID(1), .joined),
    ]
    return operations
  }
}

struct KeyOrderTests {
  @Test func `keys are in the order of their bytes, whether they are ranked yet or not`() {
    var (keys, order) = (PlaceTable<Key>(), KeyOrder())
    var random = SplitMix(seed: 5)
    for count in 1...400 {
      let text = "\(UInt64.random(in: 0..<1_000_000, using: &random))"
      _ = keys.insert(Key(text))
      order.follow(keys)
      guard count.isMultiple(of: 7) else { continue }
      let (first, second) = (
        Int.random(in: keys.elements.indices, using: &random), keys.elements.count - 1
      )
      #expect(
        order.areInOrder(first, second, of: keys) == (keys.elements[first] < keys.elements[second]))
    }
  }
}

struct PlaceTableTests {
  @Test func `an element keeps its place while others come`() {
    var table = PlaceTable<Key>()
    var random = SplitMix(seed: 3)
    var places: [Key: Int] = [:]
    for _ in 0..<5_000 {
      let key = Key("\(Int.random(in: 0..<2_000, using: &random))")
      #expect(table.place(of: key) == places[key])
      let place = table.insert(key)
      #expect(places[key, default: place] == place && table.elements[place] == key)
      places[key] = place
    }
    #expect(table.elements.count == places.count)
    #expect(Set(places.values) == Set(0..<places.count))
  }
}
