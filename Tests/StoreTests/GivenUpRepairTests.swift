import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

/// H19: a repair of a space with members, of which a part was given up.
struct GivenUpRepairTests {
  let directory = TemporaryDirectory()
  let space = SpaceID(7)

  /// Eight anchors of which the last two are given up, with the history up to then; then two edits.
  private func fill() throws -> Author {
    let store = try Store(directory: directory.store)
    var author = Author(space: space, replica: store.replica)
    try store.commit([author.makeMembers()])
    for number in 1...8 {
      try store.commit([
        author.change([.existence(AnchorID(UInt128(number)), Existence(created: 1))])
      ])
    }
    for number in [7, 8] {
      let anchor = AnchorID(UInt128(number))
      try store.commit([author.change([.existence(anchor, Existence(created: 1, deleted: 2))])])
    }
    try store.commit([author.giveUp()])
    for number in 1...2 {
      try store.commit([author.change([.metadata(AnchorID(1), "n", .int(Int64(number)))])])
    }
    return author
  }

  private func repair(_ sql: String) throws -> (RepairReport, StoredSpace) {
    RawDatabase(directory.database).execute(sql)
    let report = try Store.repair(directory: directory.store)
    let store = try Store(directory: directory.store)
    let spaces = try store.load()
    #expect(spaces.map(\.state.id) == [space])
    return (report, spaces[0])
  }

  @Test("H19 floor and cut come along with a state that is whole")
  func whole() throws {
    let author = try fill()
    let (report, stored) = try repair("UPDATE peers SET met = 1")
    #expect(report.intact == [space] && report.problems == [])
    #expect(stored.state.digest == author.state.digest)
    #expect(stored.cut == author.cut && stored.state.floor == author.cut)
    #expect(stored.history == author.state.vector)
  }

  @Test("H19 a vector says no more than what was read speaks for", arguments: [true, false])
  func vectorWithoutSupport(isAuthorKnown: Bool) throws {
    let author = try fill()
    var vector = author.state.vector
    let right = vector
    vector[isAuthorKnown ? author.replica : ReplicaID(99)] += 32
    var writer = ByteWriter()
    vector.encode(into: &writer)
    let hex = writer.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let (report, stored) = try repair("UPDATE spaces SET vector = x'\(hex)'")
    #expect(report.historyCut == [space])
    #expect(stored.state.vector == right, "or peers would take nothing of that author any more")
    #expect(stored.state.anchors() == author.state.anchors())
  }

  @Test("H19 a history ends where the damage begins, and no earlier than what was given up")
  func historyCut() throws {
    let author = try fill()
    let (report, stored) = try repair(
      "UPDATE history SET change = x'ff' WHERE sequence = (SELECT min(sequence) FROM history)")
    #expect(report.historyCut == [space])
    #expect(stored.state.digest == author.state.digest)
    #expect(stored.history == author.cut && stored.cut == author.cut)
    #expect(stored.state.floor == author.cut)
  }

  @Test("H19 a lost row leaves the others under their names, without a floor")
  func lostRow() throws {
    let author = try fill()
    let (report, stored) = try repair("DELETE FROM anchors WHERE key & 15 = 3")
    #expect(report.rebuilt == [space] && report.rewritten == 0)
    #expect(stored.state.floor.entries.isEmpty && stored.cut == author.cut)
    #expect(stored.state.vector == author.state.vector)
    #expect(stored.state.anchors(includingDeleted: true).map(\.id.bits) == [1, 2, 3, 5, 6])
    #expect(stored.state.record(of: AnchorID(1)) == author.state.record(of: AnchorID(1)))
  }

  @Test("H19 what a lost row had is taken from the history that is left")
  func lostRowInHistory() throws {
    let author = try fill()
    let (report, stored) = try repair(
      """
      DELETE FROM anchors WHERE key & 15 = 0;
      UPDATE history SET change = x'ff' WHERE sequence = (SELECT min(sequence) FROM history)
      """)
    #expect(report.rebuilt == [space])
    #expect(stored.history == author.cut)
    let register = Register.metadata(AnchorID(1), "n")
    #expect(stored.state.cell(register) == author.state.cell(register))
    #expect(stored.state.vector == author.state.vector)
  }

  @Test("H19 a space whose vectors are lost has an empty floor")
  func lostVectors() throws {
    let author = try fill()
    let (report, stored) = try repair(
      "UPDATE spaces SET vector = x'ff', history = x'ff', floor = x'ff', cut = x'ff', swept = x'ff'"
    )
    #expect(report.rebuilt == [space])
    #expect(stored.state.floor.entries.isEmpty && stored.state.hasMembers)
    #expect(stored.state.anchors() == author.state.anchors())
    #expect(stored.state.vector == author.state.vector)
  }
}
