#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One connection that stands.
final class LinkState {
  /// Deadlines are monotonic milliseconds.
  enum Phase {
    case opening(deadline: UInt64, milliseconds: UInt64)
    case open
    /// Closed by the user; the last bytes are on their way.
    case flushing(deadline: UInt64)
    /// All bytes are sent; the socket waits for the other side's end, since closing a socket with
    /// unread bytes in it would destroy sent ones.
    case lingering(deadline: UInt64)
    case ended
  }

  let id: LinkID
  let descriptor: Descriptor
  let role: LinkRole
  let link: any Link
  var phase: Phase
  var flow = LinkFlow()
  /// Whether the handler waits to hear that the unsent bytes are few again.
  var isAboveLowWater = false
  /// Sending failed; the link ends once the bytes that still can be read are read.
  var writeError: SystemError?

  init(id: LinkID, descriptor: Descriptor, role: LinkRole, link: any Link, phase: Phase) {
    self.id = id
    self.descriptor = descriptor
    self.role = role
    self.link = link
    self.phase = phase
  }

  var isOpen: Bool {
    if case .open = phase { true } else { false }
  }

  var deadline: UInt64? {
    switch phase {
    case .opening(let deadline, _), .flushing(let deadline), .lingering(let deadline): deadline
    case .open, .ended: nil
    }
  }
}

extension Reactor {
  /// Sends bytes in order; what the socket does not take now waits in memory, see
  /// ``unsentBytes(_:)``.
  ///
  /// A link that is closed or broken takes nothing; its end is told or was told.
  package func send(_ bytes: [UInt8], on id: LinkID) {
    preconditionOwned()
    guard let link = links[id], link.isOpen, link.writeError == nil else { return }
    let wasEmpty = link.flow.wire.isEmpty
    do throws(LinkFailure) {
      try link.link.send(bytes, &link.flow)
    } catch {
      return end(link, .refused(error))
    }
    // Bytes that waited before wait for the socket; only a turn may find that they are few again.
    if wasEmpty { write(link) }
    if link.flow.wire.count >= NetLimits.lowWaterBytes { link.isAboveLowWater = true }
  }

  /// Bytes given to ``send(_:on:)`` that the socket has not taken yet, as they go on the wire.
  package func unsentBytes(_ id: LinkID) -> Int {
    preconditionOwned()
    return links[id]?.flow.wire.count ?? 0
  }

  /// The ``Link`` of an open link, for what it knows beyond bytes (a peer's certificate, say).
  package func link(_ id: LinkID) -> (any Link)? {
    preconditionOwned()
    return links[id]?.link
  }

  /// Closes a link; bytes that still come on it are dropped, and its end is told in this or the
  /// next turn.
  ///
  /// - Parameter afterFlush: gives the unsent bytes up to ``NetLimits/flushMilliseconds``, and the
  ///   end is told after that; otherwise they are dropped.
  package func close(_ id: LinkID, afterFlush: Bool) {
    preconditionOwned()
    guard let link = links[id], link.isOpen else { return }
    guard afterFlush, link.writeError == nil else {
      return end(link, .closedHere(flushed: link.flow.wire.isEmpty))
    }
    link.link.finish(&link.flow)
    link.phase = .flushing(deadline: MonotonicClock.now + NetLimits.flushMilliseconds)
    write(link)
  }

  func begin(_ link: LinkState) {
    do throws(LinkFailure) {
      try link.link.begin(&link.flow)
      settle(link)
    } catch {
      settle(link)
      end(link, .refused(error))
    }
  }

  /// Reads and writes what a descriptor is ready for.
  func serve(_ id: LinkID, readiness: Int16) {
    guard let link = links[id] else { return }
    if readiness & Int16(POLLOUT) != 0 { settle(link) }
    // Errors and hang-ups are found by reading, after the bytes that came before them.
    if readiness & ~Int16(POLLOUT) != 0 { read(link) }
  }

  /// Ends the links whose sending failed, after a last read.
  func serveBrokenLinks() {
    for link in links.values {
      guard let error = link.writeError else { continue }
      if !read(link) { end(link, .broken(error)) }
    }
  }

  /// Reads a bounded amount; true when there may be more.
  @discardableResult
  private func read(_ link: LinkState) -> Bool {
    var budget = NetLimits.readBytesPerTurn
    while budget > 0 {
      let transfer = readBuffer.withUnsafeMutableBytes { readSocket(link.descriptor, into: $0) }
      switch transfer {
      case .moved(let count):
        budget -= count
        if let failure = take(count, link) {
          settle(link)
          end(link, .refused(failure))
          return false
        }
        // A short read emptied the socket; polling again is cheaper than asking it again.
        if count < readBuffer.count, link.writeError == nil {
          settle(link)
          return false
        }
      case .wouldBlock:
        settle(link)
        return false
      case .ended:
        settle(link)
        end(link, endReason(link))
        return false
      case .failed(let error):
        settle(link)
        end(link, link.isOpen ? .broken(error) : brokenReason(link, error))
        return false
      }
    }
    settle(link)
    return true
  }

  /// Gives bytes of the read buffer to the link, or drops them when the user has closed.
  private func take(_ count: Int, _ link: LinkState) -> LinkFailure? {
    switch link.phase {
    case .flushing, .lingering, .ended: return nil
    case .opening, .open: break
    }
    do throws(LinkFailure) {
      // Not a copy: both names share the storage until the next read.
      let buffer = readBuffer
      try link.link.receive(buffer.span.bytes.extracting(0..<count), &link.flow)
      return nil
    } catch {
      return error
    }
  }

  private func endReason(_ link: LinkState) -> CloseReason {
    switch link.phase {
    case .flushing: return .closedHere(flushed: false)
    case .lingering: return .closedHere(flushed: true)
    case .opening, .open, .ended: break
    }
    do throws(LinkFailure) {
      try link.link.end()
      return .endedByPeer
    } catch {
      return .refused(error)
    }
  }

  private func brokenReason(_ link: LinkState, _ error: SystemError) -> CloseReason {
    switch link.phase {
    case .flushing: .closedHere(flushed: false)
    case .lingering: .closedHere(flushed: true)
    case .opening, .open, .ended: .broken(error)
    }
  }

  /// Sends what the link made, then tells the handler what came; not for use inside the user's
  /// calls.
  private func settle(_ link: LinkState) {
    write(link)
    if link.flow.isOpen, case .opening = link.phase {
      link.phase = .open
      handler?.linkOpened(link.id, role: link.role)
    }
    if link.isOpen, !link.flow.received.isEmpty {
      let received = link.flow.received
      link.flow.received = []
      handler?.linkReceived(link.id, received)
    }
    if link.isOpen, link.isAboveLowWater, link.writeError == nil,
      link.flow.wire.count < NetLimits.lowWaterBytes
    {
      link.isAboveLowWater = false
      handler?.linkDrained(link.id)
    }
  }

  /// Gives the socket what it takes.
  private func write(_ link: LinkState) {
    if case .ended = link.phase { return }
    while !link.flow.wire.isEmpty, link.writeError == nil {
      switch link.flow.wire.withUnsafeBytes({ writeSocket(link.descriptor, $0) }) {
      case .moved(let count): link.flow.wire.removeFirst(count)
      case .wouldBlock: return
      case .failed(let error):
        link.writeError = error
        link.flow.wire.removeAll()
      case .ended: return
      }
    }
    if case .flushing(let deadline) = link.phase {
      guard link.writeError == nil else { return end(link, .closedHere(flushed: false)) }
      endWriting(link.descriptor)
      link.phase = .lingering(deadline: deadline)
    }
  }

  /// Closes the socket and has the handler told.
  func end(_ link: LinkState, _ reason: CloseReason) {
    guard links.removeValue(forKey: link.id) != nil else { return }
    switch (link.phase, link.role) {
    case (.opening, .dialled(let dial, let remote)):
      events.append(.dialFailed(dial, openingError(reason, remote)))
    case (.opening, .accepted(let remote)):
      events.append(.acceptFailed(remote, reason))
    default:
      events.append(.linkClosed(link.id, reason))
    }
    link.phase = .ended
  }

  private func openingError(_ reason: CloseReason, _ remote: SocketAddress) -> DialError {
    switch reason {
    case .openTimedOut(let milliseconds): .timedOut(remote, milliseconds: milliseconds)
    case .stopped: .stopped(remote)
    default: .notOpened(remote, reason)
    }
  }
}
