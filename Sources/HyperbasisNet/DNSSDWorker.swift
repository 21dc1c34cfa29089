#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The thread of ``DNSSDDiscovery``: keeps the operations alive, re-creates them when the daemon
/// has gone, and feeds a ``ServiceTable`` with what they tell.
final class DNSSDWorker {
  private let control: DNSSDControl
  private let type: String
  private let advertisement: Advertisement?
  private let onEvent: @Sendable (DiscoveryEvent) -> Void
  private let inbox = DNSSDInbox()
  private var registration: ServiceRef?
  /// Nil while the daemon is gone.
  private var browser: ServiceRef?
  private let lookups: DNSSDLookups
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
    lookups = DNSSDLookups(type: type, inbox: inbox)
  }

  /// The thread's life.
  func run() {
    say(.starting)
    while !control.state.withLock({ $0.isStopping }) {
      let now = MonotonicClock.now
      if browser == nil, retryAt <= now { reachDaemon(at: now) }
      takeRefreshes(at: now)
      if browser != nil { lookups.advance(&table, at: now) }
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
    lookups.letGo()
    browser = nil
    registration = nil
  }

  private func takeRefreshes(at now: UInt64) {
    let names = control.state.withLock { state in
      defer { state.refreshes = [] }
      return state.refreshes
    }
    for name in names { table.refresh(name, at: now) }
  }

  // MARK: Answers

  private func waitForAnswers() {
    var refs = [registration, browser].compactMap { $0 }
    let vital = refs.count
    refs += lookups.refs
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
        if index < vital { inbox.put(.failed(error)) } else { lookups.broke(ref) }
      }
    }
  }

  private var nextDeadline: UInt64? {
    guard browser != nil else { return retryAt }
    return [lookups.nextDeadline, table.nextDeadline(canLookUp: lookups.canResolve)]
      .compactMap { $0 }.min()
  }

  private func handle(_ answer: DNSSDAnswer, at now: UInt64) {
    switch answer {
    case .registered(let name):
      if browser != nil { say(.running(registeredName: name)) }
    case .appeared(let name, let interface):
      table.appeared(name, interface: interface, at: now)
    case .disappeared(let name, let interface):
      table.disappeared(name, interface: interface, at: now)
    case .resolved(let number, let host, let port, let txt):
      lookups.resolved(number, host: host, port: port, txt: txt, &table, at: now)
    case .address(let number, let address, let isThere):
      lookups.address(number, address, isThere: isThere, &table, at: now)
    case .lookupFailed(let number):
      lookups.failed(number)
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
