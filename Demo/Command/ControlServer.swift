import Foundation
import Hyperbasis
import HyperbasisCore

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
  /// Connections answered at once; more wait.
  private let places = DispatchSemaphore(value: 16)

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
        places.wait()
        Thread.detachNewThread { [self] in
          serve(LineConnection(owning: connection, timeoutSeconds: ControlSocket.answerSeconds))
          places.signal()
        }
      }
    }
  }

  func stop() {
    unlink(path)
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func serve(_ connection: LineConnection) {
    while let line = connection.readLine() {
      do {
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(line)) else {
          throw CommandError("the running peer does not know this command; use one version")
        }
        for output in try executor.perform(request) {
          guard connection.write(ControlSocket.Mark.output, output) else { return }
        }
        guard connection.write(ControlSocket.Mark.done, "") else { return }
      } catch {
        guard connection.write(ControlSocket.Mark.failed, "\(error)") else { return }
      }
    }
  }
}
