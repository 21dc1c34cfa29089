#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Reactor {
  /// What a polled descriptor belongs to.
  private enum Owner {
    case wakePipe
    case listener(Descriptor)
    case dial(DialID)
    case link(LinkID)
  }

  /// The thread's life.
  func run() {
    while true {
      let isStopping = shared.withLock { shared in
        if case .stopping = shared.phase { true } else { false }
      }
      if isStopping { break }
      turn()
    }
    shutDown()
    // Work that was accepted before the end still runs, so that nobody waits for it in vain; none is
    // accepted any more, so this has an end.
    runPosted()
    tellEvents()
    handler?.turnEnded(at: MonotonicClock.now)
    handler = nil
    shared.withLock { $0.phase = .stopped }
  }

  /// Runs what was posted until now; false when there was nothing.
  @discardableResult
  private func runPosted() -> Bool {
    let posted = shared.withLock { shared in
      defer { shared.posted = [] }
      return shared.posted
    }
    for work in posted { work() }
    return !posted.isEmpty
  }

  private func turn() {
    var (descriptors, owners) = interests()
    let before = MonotonicClock.now
    let wait = nextTurn(at: before).map { $0 > before ? $0 - before : 0 }
    waitForDescriptors(&descriptors, milliseconds: wait)
    for (descriptor, owner) in zip(descriptors, owners) where descriptor.revents != 0 {
      switch owner {
      case .wakePipe: wakePipe.drain()
      case .listener(let listener): acceptAll(from: listener)
      case .dial(let id): finishConnecting(id)
      case .link(let id): serve(id, readiness: descriptor.revents)
      }
    }
    serveBrokenLinks()
    // After the pipe was drained: what is posted from here on wakes the next turn.
    runPosted()
    let now = MonotonicClock.now
    expire(at: now)
    tellEvents()
    handler?.turnEnded(at: now)
  }

  private func interests() -> ([pollfd], [Owner]) {
    var descriptors = [pollfd(fd: wakePipe.reader, events: Int16(POLLIN), revents: 0)]
    var owners = [Owner.wakePipe]
    if acceptPausedUntil <= MonotonicClock.now {
      for listener in listeners {
        descriptors.append(pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0))
        owners.append(.listener(listener))
      }
    }
    for (id, dial) in dials {
      descriptors.append(pollfd(fd: dial.descriptor.number, events: Int16(POLLOUT), revents: 0))
      owners.append(.dial(id))
    }
    for (id, link) in links {
      let events = link.flow.wire.isEmpty ? POLLIN : POLLIN | POLLOUT
      descriptors.append(pollfd(fd: link.descriptor.number, events: Int16(events), revents: 0))
      owners.append(.link(id))
    }
    return (descriptors, owners)
  }

  /// When the next turn must begin; nil when only a descriptor or a post can bring it.
  private func nextTurn(at now: UInt64) -> UInt64? {
    if !events.isEmpty || links.values.contains(where: { $0.writeError != nil }) { return now }
    var next = handler?.nextDeadline
    func consider(_ deadline: UInt64?) {
      guard let deadline else { return }
      next = next.map { min($0, deadline) } ?? deadline
    }
    if acceptPausedUntil > now { consider(acceptPausedUntil) }
    for dial in dials.values { consider(dial.deadline) }
    for link in links.values { consider(link.deadline) }
    return next
  }

  private func expire(at now: UInt64) {
    for (id, dial) in dials where dial.deadline <= now {
      fail(id, .timedOut(dial.remote, milliseconds: dial.timeoutMilliseconds))
    }
    for link in links.values {
      guard let deadline = link.deadline, deadline <= now else { continue }
      switch link.phase {
      case .opening(_, let milliseconds):
        end(link, .openTimedOut(milliseconds: milliseconds))
      case .flushing: end(link, .closedHere(flushed: false))
      case .lingering: end(link, .closedHere(flushed: true))
      case .open, .ended: break
      }
    }
  }

  func tellEvents() {
    // Telling may bring more of them; those wait for the next turn, so that a turn has an end.
    let told = events
    events = []
    for event in told {
      switch event {
      case .linkClosed(let id, let reason): handler?.linkClosed(id, reason: reason)
      case .dialFailed(let id, let error): handler?.dialFailed(id, error: error)
      case .acceptFailed(let remote, let reason):
        handler?.acceptFailed(remote: remote, reason: reason)
      }
    }
  }

  /// Closes everything and tells the handler.
  func shutDown() {
    isShutDown = true
    listeners = []
    for (id, dial) in dials.sorted(by: { $0.key < $1.key }) { fail(id, .stopped(dial.remote)) }
    for (_, link) in links.sorted(by: { $0.key < $1.key }) { end(link, .stopped) }
    while !events.isEmpty { tellEvents() }
  }
}
