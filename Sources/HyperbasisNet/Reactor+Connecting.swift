#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A connection that does not stand yet.
struct DialState {
  let descriptor: Descriptor
  let remote: SocketAddress
  let timeoutMilliseconds: UInt64
  /// Monotonic milliseconds.
  let deadline: UInt64
}

extension Reactor {
  /// Listens on all IPv4 and IPv6 addresses of the machine, or on IPv4 alone where IPv6 is missing.
  ///
  /// - Parameter port: 0 for any port that is free for both.
  /// - Returns: the port.
  /// - Throws: ``ListenError``, which names the port.
  package func listen(port: UInt16) throws(ListenError) -> UInt16 {
    preconditionOwned()
    var attempts = 16
    while true {
      attempts -= 1
      do throws(ListenError) {
        return try listenOnce(port: port)
      } catch {
        // The port that IPv6 found free may be taken for IPv4.
        guard port == 0, attempts > 0, case .portInUse = error else { throw error }
      }
    }
  }

  /// Takes no more connections from others; those that stand stay.
  package func stopListening() {
    preconditionOwned()
    listeners = []
  }

  private func listenOnce(port: UInt16) throws(ListenError) -> UInt16 {
    var opened: [Descriptor] = []
    var bound = port
    do throws(SystemError) {
      let listener = try makeListener(.any6(port: port))
      bound = localAddress(listener)?.port ?? port
      opened.append(listener)
    } catch {
      let isWithoutIPv6 = [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(error.code)
      guard isWithoutIPv6 else { throw listenError(error, port: port) }
    }
    do throws(SystemError) {
      let listener = try makeListener(.any4(port: bound))
      bound = localAddress(listener)?.port ?? bound
      opened.append(listener)
    } catch {
      throw listenError(error, port: bound)
    }
    listeners += opened
    return bound
  }

  private func listenError(_ error: SystemError, port: UInt16) -> ListenError {
    switch error.code {
    case EADDRINUSE: .portInUse(port)
    case EACCES: .portNotPermitted(port)
    default: .failed(port: port, error)
    }
  }

  /// Begins a connection; its end is told as a link that opened or as a dial that failed.
  ///
  /// - Parameter timeoutMilliseconds: bounds the whole way until the link is open.
  @discardableResult
  package func dial(_ remote: SocketAddress, timeoutMilliseconds: UInt64) -> DialID {
    preconditionOwned()
    let id = DialID(takeNumber())
    guard !isShutDown else {
      events.append(.dialFailed(id, .stopped(remote)))
      return id
    }
    guard dials.count < NetLimits.dials, links.count < NetLimits.links else {
      events.append(.dialFailed(id, .tooMany(remote)))
      return id
    }
    do throws(SystemError) {
      let descriptor = try makeStreamSocket(family: remote.family)
      disableDelay(descriptor)
      limitUnsent(descriptor)
      // A connection that stands at once is writable at once, and is found so in the next turn.
      _ = try startConnecting(descriptor, to: remote)
      dials[id] = DialState(
        descriptor: descriptor, remote: remote, timeoutMilliseconds: timeoutMilliseconds,
        deadline: MonotonicClock.now + timeoutMilliseconds)
    } catch {
      events.append(.dialFailed(id, dialError(error, remote)))
    }
    return id
  }

  /// Gives up a dial that has not become a link; nothing more is told of it.
  package func cancel(_ id: DialID) {
    preconditionOwned()
    dials[id] = nil
  }

  func fail(_ id: DialID, _ error: DialError) {
    dials[id] = nil
    events.append(.dialFailed(id, error))
  }

  private func dialError(_ error: SystemError, _ remote: SocketAddress) -> DialError {
    switch error.code {
    case ECONNREFUSED: .refused(remote)
    case ETIMEDOUT: .failed(remote, error)
    default: .failed(remote, error)
    }
  }

  func finishConnecting(_ id: DialID) {
    guard let dial = dials[id] else { return }
    if let error = connectionError(dial.descriptor) {
      return fail(id, dialError(error, dial.remote))
    }
    // A dial to a free local port can meet itself.
    if let local = localAddress(dial.descriptor), local == remoteAddress(dial.descriptor) {
      return fail(id, .refused(dial.remote))
    }
    dials[id] = nil
    let phase = LinkState.Phase.opening(
      deadline: dial.deadline, milliseconds: dial.timeoutMilliseconds)
    adopt(dial.descriptor, role: .dialled(id, remote: dial.remote), phase: phase)
  }

  func acceptAll(from listener: Descriptor) {
    for _ in 0..<NetLimits.acceptsPerTurn {
      do throws(SystemError) {
        guard let (descriptor, remote) = try acceptConnection(listener) else { return }
        guard links.count < NetLimits.links else {
          events.append(.acceptFailed(remote, .tooMany))
          continue
        }
        disableDelay(descriptor)
        limitUnsent(descriptor)
        let milliseconds = NetLimits.openMilliseconds
        let phase = LinkState.Phase.opening(
          deadline: MonotonicClock.now + milliseconds, milliseconds: milliseconds)
        adopt(descriptor, role: .accepted(remote: remote), phase: phase)
      } catch {
        // Out of descriptors or memory: the caller stays in the queue, and polling would spin on
        // it.
        acceptPausedUntil = MonotonicClock.now + NetLimits.acceptPauseMilliseconds
        return
      }
    }
  }

  private func adopt(_ descriptor: Descriptor, role: LinkRole, phase: LinkState.Phase) {
    let link = LinkState(
      id: LinkID(takeNumber()), descriptor: descriptor, role: role, link: makeLink(role),
      phase: phase)
    links[link.id] = link
    begin(link)
  }

  private func takeNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }
}
