#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// ``Discovery`` through the system's DNS-SD daemon: Avahi on Linux, mDNSResponder on Apple.
///
/// It has a thread of its own, because each call may block for as long as the daemon hangs. A
/// daemon that is missing or dies is a status and is tried again every
/// ``NetLimits/daemonRetryMilliseconds``.
///
/// ```swift
/// let discovery = try DNSSDDiscovery()
/// discovery.start(advertisement: Advertisement(instanceName: "a1b2", port: port)) { event in … }
/// ```
package final class DNSSDDiscovery: Discovery {
  /// The service type of this library.
  package static let serviceType = "_hyperbasis._tcp"

  private let type: String
  private let control: DNSSDControl

  /// - Throws: ``SystemError`` when the process is out of descriptors.
  package init(type: String = DNSSDDiscovery.serviceType) throws(SystemError) {
    self.type = type
    control = try DNSSDControl()
  }

  deinit {
    stop()
  }

  package func start(
    advertisement: Advertisement?, onEvent: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    // Without it Avahi writes an advertisement for its own API to standard error.
    setenv("AVAHI_COMPAT_NOWARN", "1", 0)
    #if os(Linux)
      _ = AvahiMemory.isCleared
    #endif
    let failure = control.state.withLock { state -> SystemError? in
      precondition(state.thread == nil && !state.isStopping, "discovery is started once")
      do throws(SystemError) {
        state.thread = try WorkerThread.start { [control, type] in
          DNSSDWorker(
            control: control, type: type, advertisement: advertisement, onEvent: onEvent
          ).run()
          control.finished.wake()
        }
        return nil
      } catch {
        return error
      }
    }
    guard let failure else { return }
    onEvent(.status(.unavailable(reason: "\(failure)", retrying: false)))
  }

  package func refresh(_ instanceName: String) {
    control.state.withLock { state in
      guard state.refreshes.count < NetLimits.services else { return }
      state.refreshes.append(instanceName)
    }
    control.wakePipe.wake()
  }

  /// From inside `onEvent` it only asks for the end and does not wait for it.
  package func stop() {
    let thread = control.state.withLock { state in
      state.isStopping = true
      defer { state.thread = nil }
      return state.thread
    }
    guard let thread else { return }
    control.wakePipe.wake()
    if thread.isCurrent { return thread.detach() }
    var descriptors = [pollfd(fd: control.finished.reader, events: Int16(POLLIN), revents: 0)]
    if waitForDescriptors(&descriptors, milliseconds: NetLimits.discoveryStopMilliseconds) {
      thread.join()
    } else {
      control.state.withLock { $0.isSilenced = true }
      thread.detach()
    }
  }
}

/// What the owner and the thread of discovery share.
final class DNSSDControl: Sendable {
  struct State: Sendable {
    var thread: WorkerThread?
    var isStopping = false
    /// The owner waits no more, and no event is to be told.
    var isSilenced = false
    var refreshes: [String] = []
  }

  let state = Locked(State())
  let wakePipe: WakePipe
  let finished: WakePipe

  init() throws(SystemError) {
    wakePipe = try WakePipe()
    finished = try WakePipe()
  }
}
