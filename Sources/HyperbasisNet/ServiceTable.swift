/// What is known of the services around, as a value: browse and lookup answers go in, events and
/// wishes come out.
///
/// One service is reported once per interface and family; here it is one entry, until the last
/// report is taken back. `now` is always monotonic milliseconds.
struct ServiceTable {
  private struct Entry {
    /// Reports per interface index.
    var reports: [UInt32: Int] = [:]
    var host = ""
    var port: UInt16 = 0
    var txt = TXTRecord.empty
    /// With port 0, in the order of their coming.
    var addresses: [SocketAddress.Host] = []
    /// Addresses of the lookup under way, which replace the others at its end.
    var fresh: [SocketAddress.Host] = []
    var told: DiscoveredService?
    /// Not seen since the daemon came back.
    var isStale = false
    /// When to look it up; nil while a lookup is under way.
    var lookupDue: UInt64? = 0
    /// Something changed during the lookup under way, so that another one is to follow.
    var wantsAnother = false
    var failures: UInt64 = 0
  }

  private var entries: [ExactText: Entry] = [:]
  private var events: [DiscoveryEvent] = []
  private var staleUntil: UInt64?

  init() {}

  /// A browse answer: the service is there on an interface.
  ///
  /// - Returns: false when the table is full and the service is ignored.
  @discardableResult
  mutating func appeared(_ name: String, interface: UInt32, at now: UInt64) -> Bool {
    let key = ExactText(name)
    var entry = entries[key] ?? Entry()
    guard entries[key] != nil || entries.count < NetLimits.services else { return false }
    entry.isStale = false
    let isNewInterface = entry.reports[interface] == nil
    entry.reports[interface, default: 0] += 1
    if isNewInterface { want(&entry, at: now) }
    entries[key] = entry
    return true
  }

  /// A browse answer: the service is gone from an interface.
  mutating func disappeared(_ name: String, interface: UInt32, at now: UInt64) {
    let key = ExactText(name)
    guard var entry = entries[key], let count = entry.reports[interface] else { return }
    entry.reports[interface] = count > 1 ? count - 1 : nil
    guard !entry.reports.isEmpty else { return forget(key) }
    if entry.reports[interface] == nil { want(&entry, at: now) }
    entries[key] = entry
  }

  /// The daemon is gone; what is known stays until it was back for a while.
  mutating func daemonLost() {
    staleUntil = nil
    for key in entries.keys {
      entries[key]?.reports = [:]
      entries[key]?.isStale = true
      entries[key]?.lookupDue = .max
      entries[key]?.wantsAnother = false
      entries[key]?.fresh = []
    }
  }

  /// The daemon is back, and what it does not report within ``NetLimits/staleMilliseconds`` is
  /// lost.
  mutating func daemonFound(at now: UInt64) {
    staleUntil = now + NetLimits.staleMilliseconds
  }

  /// Takes the service that waits longest for its lookup, if one does.
  mutating func takeLookup(at now: UInt64) -> String? {
    let due = entries.lazy.compactMap { key, entry in entry.lookupDue.map { ($0, key) } }
    guard let (time, key) = due.min(by: <), time <= now else { return nil }
    entries[key]?.lookupDue = nil
    entries[key]?.fresh = []
    return key.text
  }

  /// A lookup answer.
  mutating func resolved(_ name: String, host: String, port: UInt16, txt: TXTRecord) {
    let key = ExactText(name)
    entries[key]?.host = host
    entries[key]?.port = port
    entries[key]?.txt = txt
    tell(key)
  }

  /// A lookup answer: an address was added or taken back.
  mutating func address(_ host: SocketAddress.Host, of name: String, isThere: Bool) {
    let key = ExactText(name)
    guard var entry = entries[key] else { return }
    entry.fresh.removeAll { $0 == host }
    if isThere {
      if entry.fresh.count < NetLimits.addresses { entry.fresh.append(host) }
      if !entry.addresses.contains(host), entry.addresses.count < NetLimits.addresses {
        entry.addresses.append(host)
      }
    } else {
      entry.addresses.removeAll { $0 == host }
    }
    entries[key] = entry
    tell(key)
  }

  /// A lookup ended; one without an address failed and is tried again soon.
  mutating func lookupEnded(_ name: String, at now: UInt64) {
    let key = ExactText(name)
    guard var entry = entries[key] else { return }
    var pause = NetLimits.lookupAgainMilliseconds
    if entry.fresh.isEmpty {
      pause = min(pause, NetLimits.lookupRetryMilliseconds << min(entry.failures, 10))
      entry.failures += 1
    } else {
      entry.failures = 0
      let fresh = entry.fresh
      entry.addresses.removeAll { !fresh.contains($0) }
      entry.addresses += fresh.filter { !entry.addresses.contains($0) }
    }
    entry.fresh = []
    if entry.wantsAnother { pause = min(pause, NetLimits.lookupRetryMilliseconds) }
    entry.wantsAnother = false
    entry.lookupDue = now + pause
    entries[key] = entry
    tell(key)
  }

  /// The user wants a service looked up anew.
  mutating func refresh(_ name: String, at now: UInt64) {
    let key = ExactText(name)
    guard let due = entries[key]?.lookupDue, due != .max, due > now else { return }
    entries[key]?.lookupDue = now
  }

  /// Reports services lost that a new daemon does not know.
  mutating func tick(at now: UInt64) {
    guard let deadline = staleUntil, deadline <= now else { return }
    staleUntil = nil
    for key in entries.keys.sorted() where entries[key]?.isStale == true { forget(key) }
  }

  /// When ``tick(at:)`` or ``takeLookup(at:)`` has something to do next.
  ///
  /// - Parameter canLookUp: false leaves lookups out, because none can be started.
  func nextDeadline(canLookUp: Bool) -> UInt64? {
    let lookup = canLookUp ? entries.values.compactMap(\.lookupDue).min() : nil
    return [lookup, staleUntil].compactMap { $0 }.filter { $0 != .max }.min()
  }

  /// Takes the oldest event.
  mutating func nextEvent() -> DiscoveryEvent? {
    events.isEmpty ? nil : events.removeFirst()
  }

  /// Services known, found or not.
  var count: Int { entries.count }

  /// Whether a lookup of the service still has a purpose.
  func knows(_ name: String) -> Bool { entries[ExactText(name)] != nil }

  private func want(_ entry: inout Entry, at now: UInt64) {
    if entry.lookupDue == nil { entry.wantsAnother = true } else { entry.lookupDue = now }
  }

  private mutating func forget(_ key: ExactText) {
    let entry = entries.removeValue(forKey: key)
    if entry?.told != nil { events.append(.lost(instanceName: key.text)) }
  }

  private mutating func tell(_ key: ExactText) {
    guard let entry = entries[key], entry.port != 0, !entry.addresses.isEmpty else { return }
    let service = DiscoveredService(
      instanceName: key.text, host: entry.host, port: entry.port,
      addresses: entry.addresses.map { SocketAddress($0, port: entry.port) }, txt: entry.txt)
    guard entry.told != service else { return }
    entries[key]?.told = service
    events.append(.found(service))
  }
}
