#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The thread of ``DNSSDDiscovery``: keeps the operations alive, re-creates them when the daemon has gone, and feeds a
/// ``ServiceTable`` with what they tell.
final class DNSSDWorker {
  /// One service being looked up: first its host and port, then the addresses of the host.
  private struct Lookup {
    let name: String
    /// Monotonic milliseconds.
    let latest: UInt64
    var deadline: UInt64
    var resolver: ServiceRef?
    var queries: [ServiceRef] = []
  }

  private let control: DNSSDControl
  private let type: String
  private let advertisement: Advertisement?
  private let onEvent: @Sendable (DiscoveryEvent) -> Void
  private let inbox = DNSSDInbox()
  private var registration: ServiceRef?
  /// Nil while the daemon is gone.
  private var browser: ServiceRef?
  private var lookups: [UInt64: Lookup] = [:]
  private var lastLookup: UInt64 = 0
  private var table = ServiceTable()
  private var status: DiscoveryStatus?
  /// Monotonic milliseconds of the next attempt to reach the daemon.
  private var retryAt: UInt64 = 0

  init(
    control: DNSSDControl, type: String, advertisement: Advertisement?,
    onEvent: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    self.control = control
    self.type = type
    self.advertisement = advertisement
    self.onEvent = onEvent
  }

  /// The thread's life.
  func run() {
    say(.starting)
    while !control.state.withLock({ $0.isStopping }) {
      let now = MonotonicClock.now
      if browser == nil, retryAt <= now { reachDaemon(at: now) }
      takeRefreshes(at: now)
      endLookups(at: now)
      startLookups(at: now)
      table.tick(at: now)
      while let event = table.nextEvent() { tell(event) }
      waitForAnswers()
      for answer in inbox.take() { handle(answer, at: MonotonicClock.now) }
    }
    registration = nil  // first, so that others hear the farewell soon
    letGo()
    say(.stopped)
  }

  // MARK: The daemon

  private func reachDaemon(at now: UInt64) {
    do throws(DNSSDError) {
      if let advertisement { registration = try register(advertisement) }
      browser = try .browse(type: type, inbox: inbox)
      table.daemonFound(at: now)
      say(advertisement == nil ? .running(registeredName: nil) : .starting)
    } catch {
      loseDaemon(error)
    }
  }

  /// Registers under the name given or one with a number behind.
  ///
  /// Avahi renames by itself only against other machines, not against another process of this one.
  private func register(_ wanted: Advertisement) throws(DNSSDError) -> ServiceRef {
    var number = 1
    while true {
      let advertisement = number == 1 ? wanted : wanted.renamed(number)
      do throws(DNSSDError) {
        return try .register(advertisement, type: type, inbox: inbox)
      } catch {
        // kDNSServiceErr_NameConflict
        guard error.code == -65548, number < NetLimits.renames else { throw error }
        number += 1
      }
    }
  }

  private func loseDaemon(_ error: DNSSDError) {
    letGo()
    _ = inbox.take()
    table.daemonLost()
    retryAt = MonotonicClock.now + NetLimits.daemonRetryMilliseconds
    say(.unavailable(reason: explanation(of: error), retrying: true))
  }

  private func letGo() {
    lookups = [:]
    browser = nil
    registration = nil
  }

  // MARK: Lookups

  private func takeRefreshes(at now: UInt64) {
    let names = control.state.withLock { state in
      defer { state.refreshes = [] }
      return state.refreshes
    }
    for name in names { table.refresh(name, at: now) }
  }

  private func startLookups(at now: UInt64) {
    while browser != nil, lookups.count < NetLimits.lookups, let name = table.takeLookup(at: now) {
      lastLookup += 1
      do throws(DNSSDError) {
        let latest = now + NetLimits.lookupMilliseconds
        lookups[lastLookup] = Lookup(
          name: name, latest: latest, deadline: latest,
          resolver: try .resolve(name, type: type, lookup: lastLookup, inbox: inbox))
      } catch {
        table.lookupEnded(name, at: now)
      }
    }
  }

  private func endLookups(at now: UInt64) {
    for (id, lookup) in lookups where lookup.deadline <= now || !table.knows(lookup.name) {
      lookups[id] = nil
      table.lookupEnded(lookup.name, at: now)
    }
  }

  private func askForAddresses(_ host: String, lookup id: UInt64) {
    lookups[id]?.resolver = nil
    do throws(DNSSDError) {
      for isIPv6 in [false, true] {
        let query = try ServiceRef.query(host: host, isIPv6: isIPv6, lookup: id, inbox: inbox)
        lookups[id]?.queries.append(query)
      }
    } catch {
      // One family may be enough; without any the lookup ends by its time and is tried again.
      return
    }
  }

  // MARK: Answers

  private func waitForAnswers() {
    var refs = [registration, browser].compactMap { $0 }
    let vital = refs.count
    for lookup in lookups.values {
      refs += [lookup.resolver].compactMap { $0 } + lookup.queries
    }
    var descriptors = [pollfd(fd: control.wakePipe.reader, events: Int16(POLLIN), revents: 0)]
    descriptors += refs.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let now = MonotonicClock.now
    let wait = nextDeadline.map { $0 > now ? $0 - now : 0 }
    waitForDescriptors(&descriptors, milliseconds: wait)
    if descriptors[0].revents != 0 { control.wakePipe.drain() }
    // Registration and browsing come first, and tell of a dead daemon before a lookup meets it.
    for (index, ref) in refs.enumerated() where descriptors[index + 1].revents != 0 {
      if index >= vital, inbox.hasFailure { return }
      do throws(DNSSDError) {
        try ref.process()
      } catch {
        // A lookup that breaks alone ends by its time.
        if index < vital { inbox.put(.failed(error)) } else { lookUpEndsNow(ref) }
      }
    }
  }

  private var nextDeadline: UInt64? {
    var deadlines = lookups.values.map(\.deadline)
    if browser == nil { deadlines.append(retryAt) }
    let canLookUp = browser != nil && lookups.count < NetLimits.lookups
    if let deadline = table.nextDeadline(canLookUp: canLookUp) { deadlines.append(deadline) }
    return deadlines.min()
  }

  private func lookUpEndsNow(_ ref: ServiceRef) {
    for (id, lookup) in lookups {
      guard lookup.resolver === ref || lookup.queries.contains(where: { $0 === ref }) else {
        continue
      }
      lookups[id]?.deadline = 0
    }
  }

  private func handle(_ answer: DNSSDAnswer, at now: UInt64) {
    switch answer {
    case .registered(let name):
      if browser != nil { say(.running(registeredName: name)) }
    case .appeared(let name, let interface):
      table.appeared(name, interface: interface, at: now)
    case .disappeared(let name, let interface):
      table.disappeared(name, interface: interface, at: now)
    case .resolved(let id, let host, let port, let txt):
      guard let lookup = lookups[id], lookup.resolver != nil else { return }
      table.resolved(lookup.name, host: host, port: port, txt: TXTRecord(reading: txt))
      askForAddresses(host, lookup: id)
    case .address(let id, let host, let isThere):
      guard let lookup = lookups[id] else { return }
      table.address(host, of: lookup.name, isThere: isThere)
      lookups[id]?.deadline = min(lookup.latest, now + NetLimits.lookupSettleMilliseconds)
    case .lookupFailed(let id):
      // One family may fail alone; the settling time ends the lookup.
      if lookups[id]?.resolver != nil { lookups[id]?.deadline = now }
    case .failed(let error):
      if browser != nil || registration != nil { loseDaemon(error) }
    }
  }

  // MARK: Telling

  private func say(_ status: DiscoveryStatus) {
    guard self.status != status else { return }
    self.status = status
    tell(.status(status))
  }

  private func tell(_ event: DiscoveryEvent) {
    guard !control.state.withLock({ $0.isSilenced }) else { return }
    onEvent(event)
  }

  private func explanation(of error: DNSSDError) -> String {
    switch error.code {
    case -65537:  // kDNSServiceErr_Unknown: all that Avahi's library says about a missing daemon
      "no avahi-daemon answers on the system D-Bus; start it, or name peers by their address"
    case -65563:  // kDNSServiceErr_ServiceNotRunning, which Avahi's header does not have
      "the system's mDNSResponder does not run; name peers by their address"
    default:
      "the DNS-SD daemon refused \(error.call) with error \(error.code)"
    }
  }
}
