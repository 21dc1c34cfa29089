import Testing

@testable import HyperbasisNet

private let here = SocketAddress.Host.v4(0x0A00_0001)
private let there = SocketAddress.Host.v6(0x2001_0DB8 << 96 | 1, scope: 0)

@Suite final class ServiceTableTests {
  private var table = ServiceTable()

  private func takeLookup(at now: UInt64) -> String? { table.takeLookup(at: now) }

  private func events() -> [String] {
    var told: [String] = []
    while let event = table.nextEvent() {
      switch event {
      case .found(let service):
        told.append("found \(service.instanceName) \(service.addresses.map(\.description))")
      case .lost(let name): told.append("lost \(name)")
      case .status: told.append("status")
      }
    }
    return told
  }

  private func lookUp(_ name: String, _ addresses: [SocketAddress.Host], at now: UInt64) {
    table.resolved(name, host: "h.local.", port: 7, txt: .empty)
    for address in addresses { table.address(address, of: name, isThere: true) }
    table.lookupEnded(name, at: now)
  }

  @Test func oneEntryForAllInterfacesAndFamilies() {
    for interface in [2, 2, 3, 3] as [UInt32] {
      table.appeared("a", interface: interface, at: 0)
    }
    #expect(takeLookup(at: 0) == "a")
    #expect(takeLookup(at: 0) == nil)
    lookUp("a", [here, there], at: 10)
    #expect(
      events() == [#"found a ["10.0.0.1:7"]"#, #"found a ["10.0.0.1:7", "[2001:db8::1]:7"]"#])
    for interface in [2, 3, 2] as [UInt32] {
      table.disappeared("a", interface: interface, at: 20)
    }
    #expect(events() == [])
    table.disappeared("a", interface: 3, at: 20)
    #expect(events() == ["lost a"])
    #expect(table.count == 0)
  }

  @Test func sameNewsAreToldOnce() {
    table.appeared("a", interface: 2, at: 0)
    #expect(takeLookup(at: 0) == "a")
    lookUp("a", [here, there], at: 0)
    _ = events()
    table.refresh("a", at: 100)
    #expect(takeLookup(at: 100) == "a")
    lookUp("a", [there, here], at: 200)
    #expect(events() == [])
  }

  @Test func addressThatIsNoLongerSeenGoesAfterTheLookup() {
    table.appeared("a", interface: 2, at: 0)
    _ = table.takeLookup(at: 0)
    lookUp("a", [here, there], at: 0)
    _ = events()
    #expect(table.nextDeadline(canLookUp: true) == NetLimits.lookupAgainMilliseconds)
    #expect(takeLookup(at: NetLimits.lookupAgainMilliseconds) == "a")
    lookUp("a", [there], at: 70_000)
    #expect(events() == [#"found a ["[2001:db8::1]:7"]"#])
  }

  @Test func failedLookupIsTriedAgainEverLater() {
    table.appeared("a", interface: 2, at: 0)
    var now: UInt64 = 0
    var pauses: [UInt64] = []
    for _ in 0..<9 {
      #expect(takeLookup(at: now) == "a")
      table.lookupEnded("a", at: now)
      let due = table.nextDeadline(canLookUp: true) ?? 0
      pauses.append(due - now)
      now = due
    }
    #expect(pauses == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
    #expect(table.nextDeadline(canLookUp: false) == nil)
    #expect(events() == [])
  }

  @Test func newInterfaceDuringALookupBringsAnother() {
    table.appeared("a", interface: 2, at: 0)
    _ = table.takeLookup(at: 0)
    table.appeared("a", interface: 3, at: 1)
    lookUp("a", [here], at: 100)
    #expect(table.nextDeadline(canLookUp: true) == 100 + NetLimits.lookupRetryMilliseconds)
  }

  @Test func newDaemonThatKnowsTheServiceChangesNothing() {
    for name in ["a", "b"] {
      table.appeared(name, interface: 2, at: 0)
      _ = table.takeLookup(at: 0)
      lookUp(name, [here], at: 0)
    }
    _ = events()
    table.daemonLost()
    #expect(takeLookup(at: 1_000_000) == nil)
    table.tick(at: 1_000_000)
    #expect(events() == [])
    table.daemonFound(at: 1_000_000)
    table.appeared("b", interface: 2, at: 1_000_100)
    #expect(takeLookup(at: 1_000_100) == "b")
    lookUp("b", [here], at: 1_000_200)
    table.tick(at: 1_000_000 + NetLimits.staleMilliseconds - 1)
    #expect(events() == [])
    table.tick(at: 1_000_000 + NetLimits.staleMilliseconds)
    #expect(events() == ["lost a"])
    table.disappeared("b", interface: 2, at: 1_006_000)
    #expect(events() == ["lost b"])
  }

  @Test func floodOfServicesIsBounded() {
    for number in 0..<300 {
      let isTaken = table.appeared("s\(number)", interface: 2, at: 0)
      #expect(isTaken == (number < NetLimits.services))
    }
    #expect(table.count == NetLimits.services)
    table.disappeared("s0", interface: 2, at: 0)
    let isTaken = table.appeared("late", interface: 2, at: 0)
    #expect(isTaken)
    _ = table.takeLookup(at: 0)
    table.appeared("many", interface: 2, at: 0)
    table.resolved("s1", host: "h", port: 1, txt: .empty)
    for number in 0..<100 {
      table.address(.v4(UInt32(number)), of: "s1", isThere: true)
    }
    var last: DiscoveredService?
    while case .found(let service)? = table.nextEvent() { last = service }
    #expect(last?.addresses.count == NetLimits.addresses)
  }

  @Test func namesThatOnlyLookAlikeStayApart() {
    table.appeared("\u{E9}", interface: 2, at: 0)
    table.appeared("e\u{301}", interface: 2, at: 0)
    #expect(table.count == 2)
  }

  @Test func answersForUnknownServicesAreIgnored() {
    lookUp("ghost", [here], at: 0)
    table.disappeared("ghost", interface: 1, at: 0)
    table.refresh("ghost", at: 0)
    #expect(events() == [])
    #expect(table.count == 0)
  }
}
