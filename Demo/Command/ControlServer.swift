import Foundation
import Hyperbasis
import HyperbasisCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin  // Not compiled here.
#endif

/// Answers the commands that come in on a store's control socket, each connection on a thread.
///
/// The socket's file belongs to the user alone (mode 0600). It is removed on ``stop()``.
final class ControlServer: Sendable {
  private let path: String
  private let listener: Int32
  private let executor: Executor
  /// Requests carried out at once; more wait. An idle connection takes no place.
  private let places = DispatchSemaphore(value: 16)
  /// Connections held at once; more are closed.
  private static let connectionLimit = 256
  private let state = Mutex(State())
  /// The thread that accepts, and those that serve.
  private let threads = DispatchGroup()

  private struct State {
    var connections: [LineConnection] = []
    var isStopping = false
  }

  /// - Throws: `CommandError` when the socket cannot be made.
  init(store: String, executor: Executor) throws(CommandError) {
    path = try ControlSocket.path(ofStore: store)
    self.executor = executor
    // The store's lock is held, so whatever is at this path was left by a process that is no more.
    unlink(path)
    listener = ControlSocket.make()
    let isBound = ControlSocket.withAddress(path) { bind(listener, $0, $1) == 0 }
    guard isBound, chmod(path, 0o600) == 0, listen(listener, 64) == 0 else {
      let reason = String(cString: strerror(errno))
      close(listener)
      throw CommandError("the control socket '\(path)' cannot be made: \(reason)")
    }
  }

  func start() {
    threads.enter()
    Thread.detachNewThread { [self] in
      accept()
      threads.leave()
    }
  }

  /// Begins no more requests, and returns once those underway are finished or `drainSeconds` are over.
  ///
  /// A peer that stopped first would let them fail although nothing is wrong with them. Whoever asked
  /// without being served hears that nothing was begun, and can ask elsewhere.
  func stop() {
    unlink(path)
    let open = state.withLock { state in
      state.isStopping = true
      return state.connections
    }
    for connection in open { connection.endReading() }
    shutdown(listener, Int32(SHUT_RDWR))
    _ = threads.wait(timeout: .now() + .seconds(ControlSocket.drainSeconds))
  }

  private func accept() {
    while true {
      let descriptor = acceptConnection(listener)
      if descriptor < 0 {
        guard errno == EINTR || errno == ECONNABORTED || errno == EMFILE else { return }
        usleep(10_000)
        continue
      }
      let connection = LineConnection(
        owning: descriptor, timeoutSeconds: ControlSocket.answerSeconds)
      guard enter(connection) else { continue }
      threads.enter()
      Thread.detachNewThread { [self] in
        serve(connection)
        state.withLock { $0.connections.removeAll { $0 === connection } }
        threads.leave()
      }
    }
  }

  /// Counts a connection in; false when there are too many.
  private func enter(_ connection: LineConnection) -> Bool {
    state.withLock { state in
      guard state.connections.count < ControlServer.connectionLimit else { return false }
      state.connections.append(connection)
      if state.isStopping { connection.endReading() }
      return true
    }
  }

  private func serve(_ connection: LineConnection) {
    while let line = connection.readLine() {
      guard !state.withLock({ $0.isStopping }) else {
        _ = connection.write(ControlSocket.Mark.unbegun, "")
        return
      }
      do {
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(line)) else {
          throw CommandError("the running peer does not know this command; use one version")
        }
        places.wait()
        let outputs = request.isLong ? performLong(request, for: connection) : perform(request)
        places.signal()
        for output in try outputs.get() {
          guard connection.write(ControlSocket.Mark.output, output) else { return }
        }
        guard connection.write(ControlSocket.Mark.done, "") else { return }
      } catch {
        guard connection.write(ControlSocket.Mark.failed, "\(error)") else { return }
      }
    }
  }

  private func perform(_ request: Request) -> Result<[String], CommandError> {
    Result { () throws(CommandError) in try executor.perform(request) }
  }

  /// Shows signs of life meanwhile, so that the client does not take this peer for dead.
  private func performLong(
    _ request: Request, for connection: LineConnection
  ) -> Result<[String], CommandError> {
    let outputs = Handover<Result<[String], CommandError>>()
    Thread.detachNewThread { [self] in outputs.give(perform(request)) }
    while true {
      if let outputs = outputs.wait(seconds: ControlSocket.signSeconds) { return outputs }
      // That the client went away changes nothing: what was begun is finished.
      _ = connection.write(ControlSocket.Mark.waiting, "")
    }
  }
}

/// `accept(2)`, whose name is taken inside `ControlServer`.
private func acceptConnection(_ listener: Int32) -> Int32 {
  accept(listener, nil, nil)
}
