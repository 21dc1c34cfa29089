import Foundation
import HyperbasisBlob
import HyperbasisCore
import HyperbasisStore
import Testing

/// A store of each released format, made once: every later build reads it as it was.
///
/// `HYPERBASIS_GOLDEN=DIR swift test --filter GoldenTests` writes a store of the current format to DIR,
/// and prints its digest.
struct GoldenTests {
  private static let space = SpaceID(0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00)
  /// Greater than `space`, and so the second.
  private static let sharedSpace = SpaceID(0x2222_3344_5566_7788_99aa_bbcc_ddee_ff00)

  /// By format version: the digests of the spaces.
  private static let digests = [
    2: ["6944629012d59cf7a639c53fa2716bb0"],
    3: ["b2ec42f481183323c867a2a48d57a466", "7f9197547f0a56591688f4b744cefd4f"],
    4: ["4f869936787ffb7826c4947a6b3fc4e5", "d2dd195b78301b92d49ddd7cc62a2ca8"],
  ]

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden")

  /// An anchor for each awkward value, one of several replicas' edits, a removed key, a deleted and a
  /// restored anchor, an unread history and a map.
  private static func fill(_ store: Store) throws -> [SpaceState] {
    var author = Author(space: space, replica: store.replica)
    var writes = [
      try author.change([.spaceExistence(Existence(created: 1)), .name("Caf\u{E9} \u{0}\u{1F3E0}")])
    ]
    for (number, value) in awkwardValues.enumerated() {
      let anchor = AnchorID(UInt128(number + 1))
      var floats = [Float](repeating: -0.0, count: 16)
      floats[number] = .leastNonzeroMagnitude
      writes.append(
        try author.change([
          .existence(anchor, Existence(created: Int64(number) - 5)),
          .transform(anchor, try Transform(floats)), .metadata(anchor, Key("value"), value),
          .metadata(anchor, Key("cafe\u{301}"), .int(.max)),
        ]))
    }
    writes.append(try author.change([.metadata(AnchorID(1), Key("value"), nil)]))
    writes.append(try author.change([.existence(AnchorID(2), Existence(created: 1, deleted: 9))]))
    writes.append(try author.change([.existence(AnchorID(3), Existence(created: 1, restored: 9))]))
    let map = MapReference(manifest: ContentHash(high: 1, low: 2), byteCount: 3)
    writes.append(try author.change([.worldMap(map)]))
    for write in writes { try store.commit([write]) }
    // A change of another replica, whose history is still to come.
    let foreign = author.state.foreign(
      [.metadata(AnchorID(4), Key("by"), .string("another"))], by: ReplicaID(0xfeed))
    let history = author.state.vector
    let touched = try #require(try author.state.apply(foreign))
    try store.commit([author.state.writes(touched: touched, history: history, changes: [])])
    try store.putManifest(ContentHash(high: 1, low: 2), [1, 2, 3])
    try store.putChunk(ContentHash(high: 3, low: 4), StoredChunk(codec: 1, bytes: [9, 8, 7]))
    try store.setWholeMap(map, of: space)
    try store.set(.leftSpaces, to: [0])
    try store.remember(
      KnownPeer(
        replica: ReplicaID(0xfeed), device: DeviceID(2), name: "K\u{FC}che",
        address: "192.0.2.1:4711", met: 1_700_000_000_000))
    return [author.state, try fillShared(store)]
  }

  /// A space with members, where the second of three anchors and the history up to then were given
  /// up.
  private static func fillShared(_ store: Store) throws -> SpaceState {
    var author = Author(space: sharedSpace, replica: store.replica)
    try store.commit([author.makeMembers()])
    for number in 1...3 {
      let anchor = AnchorID(UInt128(number))
      try store.commit([author.change([.existence(anchor, Existence(created: 1))])])
    }
    try store.commit([author.change([.existence(AnchorID(2), Existence(created: 1, deleted: 9))])])
    try store.commit([author.giveUp()])
    try store.commit([author.change([.metadata(AnchorID(3), Key("after"), .int(1))])])
    return author.state
  }

  @Test("a store of each released format is read as it was written", arguments: [2, 3, 4])
  func released(format: Int) throws {
    let directory = TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.store, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: GoldenTests.folder.appendingPathComponent("format-\(format).sqlite"),
      to: URL(fileURLWithPath: directory.database))
    let store = try Store(directory: directory.store)
    let spaces = try store.load()
    #expect(spaces.map { "\($0.state.contentDigest)" } == GoldenTests.digests[format])
    if format > 2 { try checkShared(#require(spaces.last), in: store) }
    let space = try #require(spaces.first)
    #expect(space.state.vector[ReplicaID(0xfeed)] == 1 && space.history[ReplicaID(0xfeed)] == 0)
    for (number, value) in awkwardValues.enumerated() where number > 0 {
      let register = Register.metadata(AnchorID(UInt128(number + 1)), Key("value"))
      guard case .metadata(_, _, let read?)? = space.state.cell(register)?.operation else {
        Issue.record("value \(number) is missing")
        continue
      }
      #expect(read == value)
    }
    let changes = try store.changes(of: GoldenTests.space)
    #expect(changes.count == awkwardValues.count + 5)
    #expect(changes.allSatisfy(space.state.holds))
    #expect(try store.chunk(ContentHash(high: 3, low: 4))?.bytes == [9, 8, 7])
    #expect(try store.manifest(ContentHash(high: 1, low: 2)) == [1, 2, 3])
    #expect(try store.wholeMaps().map(\.space) == [GoldenTests.space])
    #expect(try store.knownPeers().map(\.name) == ["K\u{FC}che"])
    #expect(try store.setting(.leftSpaces) == [0])
  }

  private func checkShared(_ space: StoredSpace, in store: Store) throws {
    let state = space.state
    #expect(state.id == GoldenTests.sharedSpace && state.hasMembers)
    #expect([1, 2, 3].map { state.slotNumber(of: AnchorID($0)) } == [0, nil, 2])
    #expect(state.floor == space.cut && space.history == state.vector)
    #expect(space.cut.count(beyond: VersionVector()) == 5)
    #expect(state.vector.count(beyond: space.cut) == 1)
    #expect((state.lastGivenUp > .zero) && state.lastGivenUp <= Timestamp(milliseconds: 1 << 41))
    #expect(try store.changes(of: state.id).map(\.dot.sequence) == [6])
    #expect(try store.changes(of: state.id, slot: 2).count == 1)
  }

  @Test("a store of the current format can be made for later builds")
  func current() throws {
    let directory = TemporaryDirectory()
    let wanted = ProcessInfo.processInfo.environment["HYPERBASIS_GOLDEN"]
    let path = wanted ?? directory.store
    let states = try GoldenTests.fill(Store(directory: path))
    let spaces = try Store(directory: path).load()
    #expect(spaces.map(\.state.digest) == states.map(\.digest))
    if wanted != nil { print("golden digests: \(states.map(\.contentDigest))") }
  }
}
