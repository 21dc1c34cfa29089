/// One thread that owns all TCP descriptors and tells a ``ReactorHandler`` what happens on them.
///
/// ```swift
/// let reactor = try Reactor()
/// let port = try reactor.listen(port: 0)
/// try reactor.start(handler: handler)
/// reactor.post { reactor.dial(address, timeoutMilliseconds: 5_000) }
/// reactor.stop()
/// ```
///
/// ``start(handler:)``, ``stop()`` and ``post(_:)`` may be called from any thread. Everything else
/// is for the reactor's thread (the handler's calls and posted work) or for the time before the
/// start. A reactor that was started lives until it is stopped.
///
/// Safe because: all state outside `shared` is touched only before the start or on the reactor's
/// thread, which ``preconditionOwned()`` checks at each entry.
package final class Reactor: @unchecked Sendable {
  enum Phase: Sendable {
    case idle
    case running(WorkerThread)
    case stopping(WorkerThread)
    case stopped
  }

  struct Shared: Sendable {
    var phase = Phase.idle
    var posted: [@Sendable () -> Void] = []
  }

  /// Something to tell the handler once no call of the user's is on the stack.
  enum Event {
    case linkClosed(LinkID, CloseReason)
    case dialFailed(DialID, DialError)
    case acceptFailed(SocketAddress, CloseReason)
  }

  let shared = Locked(Shared())
  let wakePipe: WakePipe
  let makeLink: @Sendable (LinkRole) -> any Link
  var handler: (any ReactorHandler)?
  var listeners: [Descriptor] = []
  /// Monotonic milliseconds until which nothing is accepted.
  var acceptPausedUntil: UInt64 = 0
  var links: [LinkID: LinkState] = [:]
  var dials: [DialID: DialState] = [:]
  var events: [Event] = []
  var nextNumber: UInt64 = 1
  var isShutDown = false
  var readBuffer: [UInt8] = Array(repeating: 0, count: NetLimits.readChunkBytes)

  /// - Parameter makeLink: gives each new connection its ``Link``; called on the reactor's thread.
  /// - Throws: ``SystemError`` when the process is out of descriptors.
  package init(
    makeLink: @escaping @Sendable (LinkRole) -> any Link = { _ in PlainLink() }
  ) throws(SystemError) {
    wakePipe = try WakePipe()
    self.makeLink = makeLink
  }

  /// Starts the thread; from now on `handler` is called on it, and it is let go by ``stop()``.
  ///
  /// - Precondition: called at most once, and not after ``stop()``.
  /// - Throws: ``SystemError`` when the system has no thread left.
  package func start(handler: sending any ReactorHandler) throws(SystemError) {
    self.handler = handler
    let failure: SystemError? = shared.withLock { shared in
      guard case .idle = shared.phase else {
        preconditionFailure("a reactor is started once, before it is stopped")
      }
      do throws(SystemError) {
        shared.phase = .running(try WorkerThread.start { [self] in run() })
        return nil
      } catch {
        return error
      }
    }
    guard let failure else { return }
    self.handler = nil
    throw failure
  }

  /// Closes all links and listening sockets at once and waits for the thread's end; later calls do
  /// nothing.
  ///
  /// - Precondition: not called on the reactor's own thread.
  package func stop() {
    enum Action {
      case nothing
      case closeHere
      case join(WorkerThread)
    }
    let action: Action = shared.withLock { shared in
      switch shared.phase {
      case .idle:
        shared.phase = .stopped
        return .closeHere
      case .running(let thread):
        precondition(!thread.isCurrent, "a reactor cannot stop itself and wait for itself")
        shared.phase = .stopping(thread)
        return .join(thread)
      case .stopping, .stopped:
        return .nothing
      }
    }
    switch action {
    case .nothing: break
    case .closeHere: shutDown()
    case .join(let thread):
      wakePipe.wake()
      thread.join()
    }
  }

  /// Has `work` run on the reactor's thread in its next turn, in the order of the calls.
  ///
  /// - Returns: false when ``stop()`` was called, and `work` will not run.
  @discardableResult
  package func post(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isAccepted = shared.withLock { shared in
      switch shared.phase {
      case .idle, .running:
        shared.posted.append(work)
        return true
      case .stopping, .stopped: return false
      }
    }
    if isAccepted { wakePipe.wake() }
    return isAccepted
  }

  /// Whether the caller is the reactor's own thread, which must not wait for itself.
  package var isCurrentThread: Bool {
    shared.withLock { shared in
      switch shared.phase {
      case .running(let thread), .stopping(let thread): thread.isCurrent
      case .idle, .stopped: false
      }
    }
  }

  /// Traps unless the caller may touch the state.
  func preconditionOwned() {
    shared.withLock { shared in
      switch shared.phase {
      case .idle, .stopped: break
      case .running(let thread), .stopping(let thread):
        precondition(thread.isCurrent, "the reactor was called from a foreign thread; use post")
      }
    }
  }
}
