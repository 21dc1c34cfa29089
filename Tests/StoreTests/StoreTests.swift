import Foundation
import HyperbasisCore
import HyperbasisStore
import Testing

struct StoreTests {
  let directory = TemporaryDirectory()
  let space = SpaceID(7)

  @Test func whatWasCommittedIsThereAfterReopening() throws {
    var author = Author(space: space, replica: ReplicaID(1))
    let anchors = (1...50).map { AnchorID(UInt128($0) << 64) }
    var store: Store? = try Store(directory: directory.store)
    try store!.commit([author.change([.name("Kitchen")])])
    for (index, anchor) in anchors.enumerated() {
      var operations: [Operation] = [
        .existence(anchor, Existence(created: 5)), .transform(anchor, .identity),
      ]
      for (number, value) in awkwardValues.enumerated() {
        operations.append(.metadata(anchor, Key("key \(number)"), value))
      }
      try store!.commit([author.change(operations)])
      if index % 3 == 0 {
        try store!.commit([author.change([.metadata(anchor, "key 0", nil)])])
      }
    }
    store = nil

    let states = try Store(directory: directory.store).load().map(\.state)
    #expect(states.count == 1)
    #expect(states[0].digest == author.state.digest)
    #expect(states[0].anchors() == author.state.anchors())
    #expect(states[0].name == "Kitchen")
    #expect(states[0].lastTimestamp == author.state.lastTimestamp)
  }

  @Test func aReloadedSpaceGivesTheSameDeltas() throws {
    var author = Author(space: space, replica: ReplicaID(1))
    var store: Store? = try Store(directory: directory.store)
    var midway = VersionVector()
    for number in 0..<200 {
      let anchor = AnchorID(UInt128(number * 7 % 40))
      try store!.commit([
        author.change([
          .existence(anchor, Existence(created: 1)), .metadata(anchor, "n", .int(Int64(number))),
        ])
      ])
      if number == 100 { midway = author.state.vector }
    }
    store = nil
    let reloaded = try Store(directory: directory.store).load()[0].state
    #expect(reloaded.delta(since: midway) == author.state.delta(since: midway))
    #expect(
      reloaded.delta(since: VersionVector()) == author.state.delta(since: VersionVector()))
  }

  @Test func spacesDoNotMix() throws {
    var first = Author(space: SpaceID(1), replica: ReplicaID(1))
    var second = Author(space: SpaceID(2), replica: ReplicaID(1))
    let anchor = AnchorID(9)
    var store: Store? = try Store(directory: directory.store)
    try store!.commit([
      first.change([.existence(anchor, Existence(created: 1))]),
      second.change([.name("second")]),
    ])
    try store!.commit([second.change([.existence(anchor, Existence(created: 2))])])
    store = nil
    let states = try Store(directory: directory.store).load().map(\.state)
    #expect(states.map(\.digest) == [first.state.digest, second.state.digest])
  }

  @Test func aJoinedSpaceWithoutContentIsKept() throws {
    var store: Store? = try Store(directory: directory.store)
    let empty = SpaceState(id: space)
    try store!.commit([empty.writes(touched: Touched(), history: VersionVector(), changes: [])])
    store = nil
    let states = try Store(directory: directory.store).load().map(\.state)
    #expect(states.map(\.id) == [space])
    #expect(states[0].vector == VersionVector())
  }

  @Test func theUserAloneMayReadTheFiles() throws {
    try FileManager.default.createDirectory(
      atPath: directory.store, withIntermediateDirectories: true)
    var author = Author(space: space, replica: ReplicaID(1))
    let store = try Store(directory: directory.store)
    try store.commit([author.change([.name("private")])])
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.store) {
      let path = directory.store + "/" + name
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(mode as? Int == 0o600, "\(name)")
    }
  }

  @Test func theIdentityStays() throws {
    let first = try Store(directory: directory.store)
    let identity = (first.device, first.replica)
    withExtendedLifetime(first) {}
    let other = try Store(directory: directory.path + "/other")
    #expect(other.replica != identity.1)
    #expect(other.device != identity.0)
  }

  @Test func knownPeersAreKeptTheLatestFirst() throws {
    let store = try Store(directory: directory.store)
    for number in 1...300 {
      try store.remember(
        KnownPeer(
          replica: ReplicaID(UInt128(number)), device: DeviceID(1), name: "peer \(number)",
          address: "10.0.0.\(number % 200):7000", met: Int64(number)))
    }
    // A later meeting without an address keeps the one that worked.
    try store.remember(
      KnownPeer(
        replica: ReplicaID(299), device: DeviceID(1), name: "renamed", address: "", met: 1_000))
    let peers = try store.knownPeers()
    #expect(peers.count == 256)
    #expect(peers[0].name == "renamed")
    #expect(peers[0].address == "10.0.0.99:7000")
    #expect(peers[1].replica == ReplicaID(300))
  }
}
