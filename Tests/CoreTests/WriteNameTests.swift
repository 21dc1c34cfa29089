import Testing

@testable import HyperbasisCore

/// Anchors of a batch that are named by writes which the receiver has.
struct WriteNameTests {
  private func state(_ changes: [Change]) throws -> SpaceState {
    var state = SpaceState(id: space)
    for change in changes { _ = try state.apply(change) }
    return state
  }

  /// As a store gives it back: nothing is known of writes that were superseded.
  private func loaded(_ state: SpaceState) throws -> SpaceState {
    try SpaceState(
      id: space, vector: state.vector,
      cells: state.delta(since: VersionVector()).cells)
  }

  private func made(_ number: Int) -> Operation {
    .existence(anchor(number), Existence(created: 1))
  }

  private func deleted(_ number: Int) -> Operation {
    .existence(anchor(number), Existence(created: 1, deleted: 2))
  }

  private func set(_ number: Int) -> Operation { .metadata(anchor(number), "k", .int(7)) }

  /// What a receiver that has `base` reads of the parts of what lies beyond; nil from the first on in which an anchor
  /// is not found.
  private func parts(
    from sender: SpaceState, to receiver: SpaceState, budget: Int = .max
  ) throws -> (sent: [CellTable], told: [CellTable?], bytes: Int, hasUntold: Bool) {
    var (sent, told): ([CellTable], [CellTable?]) = ([], [])
    var (there, here) = (CellNames(), CellNames())
    var known: [AnchorID] = []
    var (bytes, hasUntold) = (0, false)
    var reached = receiver.vector
    repeat {
      let part = sender.part(after: reached, budget: budget)
      var writer = ByteWriter()
      BatchCells(part.cells, names: WriteNamer(of: part, of: sender, within: receiver.vector))
        .encode(into: &writer, names: &there)
      bytes += writer.bytes.count
      var reader = ByteReader(writer.bytes)
      let read = try BatchCells(from: &reader, names: &here)
      try reader.finish()
      #expect(read.isNamed(within: receiver.vector))
      hasUntold = hasUntold || read.hasUntold
      sent.append(part.cells)
      told.append(read.told(by: receiver, after: &known))
      reached = part.covers
    } while !reached.covers(sender.vector)
    #expect(there.byteCount == here.byteCount)
    return (sent, told, bytes, hasUntold)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>, [1, 200, Int.max])
  func `a delta over what the receiver has is read as it was written`(
    seed: UInt64, budget: Int
  ) throws {
    let changes = Scenario(seed: seed, authors: 3, count: 90, anchors: 12).changes
    let receiver = try state(Array(changes.prefix(45)))
    let read = try parts(from: try state(changes), to: receiver, budget: budget)
    #expect(read.hasUntold)
    #expect(read.told == read.sent)
  }

  @Test func `known anchors that follow each other take one byte each in place of sixteen`() throws
  {
    let known = try state((1...40).map { change(1, $0, at: $0, [made(Int($0))]) })
    var sender = known
    for number in 1...40 as ClosedRange<UInt64> {
      _ = try sender.apply(change(1, 40 + number, at: 40 + number, [set(Int(number))]))
    }
    let read = try parts(from: sender, to: known)
    var (byIDs, names) = (ByteWriter(), CellNames())
    BatchCells(sender.cells(after: known.vector, budget: .max).cells)
      .encode(into: &byIDs, names: &names)
    // A difference takes one byte, and there are a head, a count and a check.
    #expect(byIDs.bytes.count - read.bytes == 40 * 15 - 10)
  }

  @Test func `anchors of one change are told apart by their tags`() throws {
    let known = try state([change(1, 1, at: 1, (1...200).map(made))])
    var sender = known
    _ = try sender.apply(change(1, 2, at: 2, (50...150).map(set)))
    let read = try parts(from: sender, to: known)
    #expect(read.hasUntold && read.told == read.sent)
  }

  @Test func `an anchor that the receiver deleted is found, loaded or not`() throws {
    let known = try state([change(1, 1, at: 1, [made(1), .transform(anchor(1), .identity)])])
    var (sender, receiver) = (known, known)
    _ = try sender.apply(change(1, 2, at: 2, [set(1)]))
    _ = try receiver.apply(change(2, 1, at: 3, [deleted(1)]))
    for receiver in [receiver, try loaded(receiver)] {
      let read = try parts(from: sender, to: receiver)
      #expect(read.hasUntold && read.told == read.sent)
    }
  }

  @Test func `an anchor of which no write of the change is known any more is not found`() throws {
    let known = try state([change(1, 1, at: 1, [made(1)])])
    var (sender, receiver) = (known, known)
    _ = try sender.apply(change(1, 2, at: 2, [set(1)]))
    _ = try receiver.apply(change(2, 1, at: 3, [deleted(1)]))
    // While the superseded write is remembered it helps.
    #expect(try parts(from: sender, to: receiver).told != [nil])
    #expect(try parts(from: sender, to: try loaded(receiver)).told == [nil])
  }

  /// The sender knows of one anchor of the change, the receiver of the other one alone.
  @Test func `another anchor than the sender means is not taken for it`() throws {
    let known = try state([change(1, 1, at: 1, [made(1), made(2)])])
    var (sender, receiver) = (known, known)
    _ = try sender.apply(change(1, 2, at: 2, [deleted(2)]))
    _ = try sender.apply(change(1, 3, at: 3, [set(1)]))
    _ = try receiver.apply(change(2, 1, at: 3, [deleted(1)]))
    let read = try parts(from: try loaded(sender), to: try loaded(receiver), budget: 1)
    #expect(read.told == [read.sent[0], nil])
  }

  @Test func `one of two anchors that the receiver knows of is not found`() throws {
    let receiver = try state([change(1, 1, at: 1, [made(1), made(2)])])
    var sender = receiver
    _ = try sender.apply(change(1, 2, at: 2, [deleted(2), set(1)]))
    #expect(try parts(from: try loaded(sender), to: receiver).told == [nil])
  }

  @Test func `a write that is named again and again is not looked for each time`() throws {
    let operations = [made(1)] + (0..<20).map { .metadata(anchor(1), Key("\($0)"), .null) }
    let known = try state([change(1, 1, at: 1, operations)])
    let name = WriteName(dot: Dot(replica: replica(1), sequence: 1), tag: nil)
    for count in 1...3 {
      var (writer, authors) = (ByteWriter(), PlaceTable<ReplicaID>())
      _ = authors.insert(replica(1))
      writer.varint(1)
      writer.identifier(replica(1))
      writer.varint(0)
      let anchors = Array(repeating: anchor(1), count: count)
      UntoldAnchors.encode(
        Array(repeating: name, count: count), of: authors, check: anchors.check, into: &writer)
      for _ in 0..<10 { writer.varint(0) }
      var (reader, names) = (ByteReader(writer.bytes), CellNames())
      var found: [AnchorID] = []
      let table = try BatchCells(from: &reader, names: &names).told(by: known, after: &found)
      #expect((table != nil) == (count == 1))
    }
  }

  @Test func `names are damaged: they are refused, not found, or right`() throws {
    var random = SplitMix(seed: 5)
    let changes = Scenario(seed: 2, authors: 3, count: 90, anchors: 12).changes
    let (receiver, sender) = (try state(Array(changes.prefix(45))), try state(changes))
    let part = sender.part(after: receiver.vector, budget: .max)
    var (writer, names) = (ByteWriter(), CellNames())
    BatchCells(part.cells, names: WriteNamer(of: part, of: sender, within: receiver.vector))
      .encode(into: &writer, names: &names)
    var counts = (refused: 0, lost: 0, told: 0)
    for _ in 0..<6_000 {
      var bytes = writer.bytes
      bytes[Int.random(in: 0..<180, using: &random)] = .random(in: 0...255, using: &random)
      var reader = ByteReader(bytes)
      var (none, known) = (CellNames(), [AnchorID]())
      guard let cells = try? BatchCells(from: &reader, names: &none) else {
        counts.refused += 1
        continue
      }
      guard let table = cells.told(by: receiver, after: &known) else {
        counts.lost += 1
        continue
      }
      counts.told += 1
      #expect(Set(table.anchors.elements).count == table.anchors.count)
    }
    #expect(counts.refused > 100 && counts.lost > 100 && counts.told > 100, "\(counts)")
  }

  @Test func `a place that is told later is found then, and not before`() {
    var table = PlaceTable<AnchorID>()
    let reserved = table.reserve(standingFor: AnchorID(0))
    var places = (1...20).map { table.insert(anchor($0)) }
    #expect(reserved == 0 && places == Array(1...20))
    #expect(table.place(of: AnchorID(0)) == nil)
    let isTold = [anchor(20), anchor(21)].map { table.tell($0, at: 0) }
    #expect(isTold == [false, true])
    places = (22...60).map { table.insert(anchor($0)) }
    #expect(places == Array(21...59))
    #expect(table.place(of: anchor(21)) == 0 && table.place(of: anchor(1)) == 1)
  }
}
