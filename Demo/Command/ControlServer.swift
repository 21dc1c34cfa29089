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
  private let connections = Mutex(0)

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
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 {
          guard errno == EINTR || errno == ECONNABORTED || errno == EMFILE else { return }
          usleep(10_000)
          continue
        }
        let line = LineConnection(
          owning: connection, timeoutSeconds: ControlSocket.answerSeconds)
        guard enter() else { continue }
        Thread.detachNewThread { [self] in
          serve(line)
          connections.withLock { $0 -= 1 }
        }
      }
    }
  }

  func stop() {
    unlink(path)
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// Counts a connection in; false when there are too many.
  private func enter() -> Bool {
    connections.withLock { count in
      guard count < ControlServer.connectionLimit else { return false }
      count += 1
      return true
    }
  }

  private func serve(_ connection: LineConnection) {
    while let line = connection.readLine() {
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
