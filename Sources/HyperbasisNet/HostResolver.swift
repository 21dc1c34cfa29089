#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Why a host name gave no address.
package enum ResolveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system's resolver said no; `reason` is its text.
  case notFound(name: String, reason: String)
  /// ``NetLimits/pendingNames`` names are waiting already.
  case tooMany(name: String)
  /// The resolver or its reactor was stopped.
  case stopped(name: String)

  package var description: String {
    switch self {
    case .notFound(let name, let reason):
      "the host name '\(name)' could not be resolved: \(reason)"
    case .tooMany(let name):
      "the host name '\(name)' was not looked up: too many others are waiting"
    case .stopped(let name):
      "the host name '\(name)' was not looked up: networking was stopped"
    }
  }
}

/// Resolves host names one after the other on a thread of its own, which exists only while there is
/// work.
///
/// The system's resolver blocks, for seconds when a name server is silent, and cannot be
/// interrupted.
package final class HostResolver: Sendable {
  package typealias Reply = @Sendable (Result<[SocketAddress], ResolveError>) -> Void

  private struct Request: Sendable {
    let name: String
    let port: UInt16
    let reply: Reply
  }

  private struct State: Sendable {
    var waiting: [Request] = []
    var isWorking = false
    var isStopped = false
  }

  private let state = Locked(State())

  package init() {}

  /// Asks for all addresses of a host; `reply` runs on `reactor`'s thread, exactly once while that
  /// runs.
  package func resolve(name: String, port: UInt16, on reactor: Reactor, reply: @escaping Reply) {
    resolve(name: name, port: port) { result in reactor.post { reply(result) } }
  }

  /// Asks for all addresses of a host; `reply` runs on any thread, exactly once.
  package func resolve(name: String, port: UInt16, reply: @escaping Reply) {
    enum Action {
      case refuse(ResolveError)
      case wait
      case startWorker
    }
    let action: Action = state.withLock { state in
      if state.isStopped { return .refuse(.stopped(name: name)) }
      if state.waiting.count >= NetLimits.pendingNames { return .refuse(.tooMany(name: name)) }
      state.waiting.append(Request(name: name, port: port, reply: reply))
      if state.isWorking { return .wait }
      state.isWorking = true
      return .startWorker
    }
    switch action {
    case .refuse(let error): reply(.failure(error))
    case .wait: break
    case .startWorker: startWorker()
    }
  }

  /// Forgets the waiting names, whose replies say so; a lookup under way ends by itself.
  package func stop() {
    let forgotten = state.withLock { state in
      state.isStopped = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for request in forgotten { request.reply(.failure(.stopped(name: request.name))) }
  }

  private func startWorker() {
    do {
      try WorkerThread.start { [self] in work() }.detach()
    } catch {
      let failed = state.withLock { state in
        state.isWorking = false
        defer { state.waiting = [] }
        return state.waiting
      }
      for request in failed {
        request.reply(.failure(.notFound(name: request.name, reason: "\(error)")))
      }
    }
  }

  private func work() {
    while let request = next() {
      let result = lookUp(name: request.name, port: request.port)
      let isStopped = state.withLock { $0.isStopped }
      request.reply(isStopped ? .failure(.stopped(name: request.name)) : result)
    }
  }

  private func next() -> Request? {
    state.withLock { state in
      state.isWorking = !state.waiting.isEmpty
      return state.isWorking ? state.waiting.removeFirst() : nil
    }
  }
}

/// Asks the system's resolver, which blocks.
private func lookUp(name: String, port: UInt16) -> Result<[SocketAddress], ResolveError> {
  var hints = addrinfo()
  hints.ai_family = AF_UNSPEC
  #if canImport(Glibc)
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  #else
    hints.ai_socktype = SOCK_STREAM
  #endif
  var list: UnsafeMutablePointer<addrinfo>?
  let code = getaddrinfo(name, String(port), &hints, &list)
  guard code == 0 else {
    return .failure(.notFound(name: name, reason: String(cString: gai_strerror(code))))
  }
  defer { freeaddrinfo(list) }
  var addresses: [SocketAddress] = []
  var entry = list
  while let info = entry?.pointee {
    if let raw = info.ai_addr,
      let address = SocketAddress(UnsafeRawPointer(raw), family: raw.pointee.sa_family),
      !addresses.contains(address), addresses.count < NetLimits.addresses
    {
      addresses.append(address)
    }
    entry = info.ai_next
  }
  guard !addresses.isEmpty else {
    return .failure(.notFound(name: name, reason: "it has no IPv4 or IPv6 address"))
  }
  return .success(addresses)
}
