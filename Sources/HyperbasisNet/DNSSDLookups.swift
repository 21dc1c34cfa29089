/// Looks services up, few at a time: first a service's host and port, then that host's addresses.
///
/// With Avahi every operation is a client of the message bus, and each coming and going is told to
/// all of them; so services of one host share its query, and a fresh answer is used again.
final class DNSSDLookups {
  private struct Resolve {
    let name: String
    let ref: ServiceRef
    /// Monotonic milliseconds, as all times here.
    var deadline: UInt64
  }

  private struct HostQuery {
    let host: String
    /// The services that wait for the addresses.
    var names: [String] = []
    var addresses: [SocketAddress.Host] = []
    /// Empty before the start and after the end.
    var refs: [ServiceRef] = []
    /// When it must have ended; nil before the start.
    var latest: UInt64?
    var deadline: UInt64 = .max
    /// Until when its answers may be used again; nil before the end.
    var usableUntil: UInt64?

    var isUnderWay: Bool { latest != nil && usableUntil == nil }
  }

  private let type: String
  private let inbox: DNSSDInbox
  private var resolves: [UInt64: Resolve] = [:]
  private var queries: [UInt64: HostQuery] = [:]
  private var lastNumber: UInt64 = 0

  init(type: String, inbox: DNSSDInbox) {
    self.type = type
    self.inbox = inbox
  }

  /// Starts what is due and ends what has had its time.
  func advance(_ table: inout ServiceTable, at now: UInt64) {
    endResolves(&table, at: now)
    endQueries(&table, at: now)
    startQueries(at: now)
    while canResolve, let name = table.takeLookup(at: now) {
      lastNumber += 1
      do throws(DNSSDError) {
        resolves[lastNumber] = Resolve(
          name: name, ref: try .resolve(name, type: type, lookup: lastNumber, inbox: inbox),
          deadline: MonotonicClock.now + NetLimits.lookupMilliseconds)
      } catch {
        table.lookupEnded(name, at: now)
      }
    }
  }

  /// A service's host is known.
  func resolved(
    _ number: UInt64, host: String, port: UInt16, txt: [UInt8], _ table: inout ServiceTable,
    at now: UInt64
  ) {
    guard let name = resolves.removeValue(forKey: number)?.name else { return }
    table.resolved(name, host: host, port: port, txt: TXTRecord(reading: txt))
    guard let key = queries.first(where: { ExactText($1.host) == ExactText(host) })?.key else {
      lastNumber += 1
      queries[lastNumber] = HostQuery(host: host, names: [name])
      return
    }
    for address in queries[key]?.addresses ?? [] { table.address(address, of: name, isThere: true) }
    if queries[key]?.usableUntil == nil {
      queries[key]?.names.append(name)
    } else {
      table.lookupEnded(name, at: now)
    }
  }

  /// A host's address is known, or is no more.
  func address(
    _ number: UInt64, _ address: SocketAddress.Host, isThere: Bool, _ table: inout ServiceTable,
    at now: UInt64
  ) {
    guard var query = queries[number], let latest = query.latest else { return }
    query.addresses.removeAll { $0 == address }
    if isThere, query.addresses.count < NetLimits.addresses { query.addresses.append(address) }
    for name in query.names { table.address(address, of: name, isThere: isThere) }
    let families = Set(query.addresses.map { if case .v4 = $0 { 4 } else { 6 } }).count
    let settle =
      families == 2 ? NetLimits.lookupSettleMilliseconds : NetLimits.lookupOtherFamilyMilliseconds
    query.deadline = min(latest, now + settle)
    queries[number] = query
  }

  /// An operation told that it cannot go on.
  func failed(_ number: UInt64) {
    // A query for one family may fail alone; the time of the host's query ends it.
    resolves[number]?.deadline = 0
  }

  /// An operation broke without telling.
  func broke(_ ref: ServiceRef) {
    for (number, resolve) in resolves where resolve.ref === ref { resolves[number]?.deadline = 0 }
    for (number, query) in queries where query.refs.contains(where: { $0 === ref }) {
      queries[number]?.deadline = 0
    }
  }

  /// Lets go of everything; what was under way is not told to have ended.
  func letGo() {
    resolves = [:]
    queries = [:]
  }

  /// All operations, to be polled.
  var refs: [ServiceRef] {
    resolves.values.map(\.ref) + queries.values.flatMap(\.refs)
  }

  /// Whether another service can be looked up now.
  var canResolve: Bool {
    resolves.count < NetLimits.resolves
  }

  /// When ``advance(_:at:)`` has something to do next.
  var nextDeadline: UInt64? {
    let ends = queries.values.map { $0.usableUntil ?? $0.deadline }.filter { $0 != .max }
    let deadlines = resolves.values.map(\.deadline) + ends
    let canStart = queriesUnderWay < NetLimits.hostQueries
    return canStart && queries.values.contains { $0.latest == nil } ? 0 : deadlines.min()
  }

  private var queriesUnderWay: Int {
    queries.values.count(where: \.isUnderWay)
  }

  private func startQueries(at now: UInt64) {
    let waiting = queries.filter { $1.latest == nil }.keys.sorted()
    for number in waiting.prefix(max(0, NetLimits.hostQueries - queriesUnderWay)) {
      guard var query = queries[number] else { continue }
      do throws(DNSSDError) {
        for isIPv6 in [false, true] {
          query.refs.append(
            try .query(host: query.host, isIPv6: isIPv6, lookup: number, inbox: inbox))
        }
      } catch {
        // One family may be enough; without any the query ends by its time, and is tried again.
      }
      let latest = MonotonicClock.now + NetLimits.lookupMilliseconds
      query.latest = latest
      query.deadline = latest
      queries[number] = query
    }
  }

  private func endResolves(_ table: inout ServiceTable, at now: UInt64) {
    for (number, resolve) in resolves {
      guard resolve.deadline <= now || !table.knows(resolve.name) else { continue }
      resolves[number] = nil
      table.lookupEnded(resolve.name, at: now)
    }
  }

  private func endQueries(_ table: inout ServiceTable, at now: UInt64) {
    for (number, query) in queries {
      if let usableUntil = query.usableUntil {
        if usableUntil <= now { queries[number] = nil }
      } else if query.deadline <= now {
        for name in query.names { table.lookupEnded(name, at: now) }
        queries[number]?.refs = []
        queries[number]?.names = []
        // No answer is not worth keeping.
        let kept = query.addresses.isEmpty ? 0 : NetLimits.lookupReuseMilliseconds
        queries[number]?.usableUntil = now + kept
      }
    }
  }
}
